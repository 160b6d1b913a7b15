// Threads' rule: developers.facebook.com/documentation/threads, overview and posts, read 2026-11-20.
import * as z from "zod";
import { THREAD_PARTS_MAX } from "../../domain/limits.ts";
import { namesOfSet } from "../../domain/posts/option-fit.ts";
import type { OptionProblem, PostShape } from "../../domain/posts/option-problem.ts";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { FIRST_COMMENT } from "../shared/first-comment.ts";
import { ACCESS } from "./access.ts";

/** Only for posts with a location: threads/create-posts/location-tagging, read 2026-11-22. */
export const LOCATION_SCOPE = "threads_location_tagging";

export const rule: PlatformRule = {
  platform: "threads",
  // Threads has its own API versions. v1.0 is the only version, and no end is documented: threads/overview, read 2026-11-20.
  api: { version: "v1.0", supported_until: null },
  // 500, emoji counted as their UTF-8 bytes; 5 different links: posts.
  text_limit: 500,
  caption_limit: 500,
  text_unit: "weighted",
  text_weighting: "emoji_utf8",
  text_parts: { links: 5 },
  // 2 to 20 files make a carousel: overview.
  media: { images: 20, videos: 20, mixed: true, total: 20 },
  min_media: 0,
  // 8 MB, ratio up to 10:1: overview. 1,000 characters of alt text: tirthpatell/threads-go, read 2026-11-20.
  image: { types: ["image/jpeg", "image/png"], max_bytes: 8_000_000, max_ratio: 10, max_alt: 1_000 },
  // 1 GB, 5 min, 1,920 pixels wide: overview.
  video: {
    types: ["video/mp4", "video/quicktime"],
    max_bytes: 1_000_000_000,
    max_seconds: 300,
    max_width: 1_920,
    max_alt: 1_000,
  },
  post_types: ["feed", "carousel"],
  per_type: { carousel: { min_media: 2 } },
  // Text-only posts: create-posts/text-attachments and posts (GIFs), read 2026-11-27; create-posts/ghost-posts of
  // 2026-07-02, read 2026-11-27.
  options_max_media: { link_attachment: 0, text_attachment: 0, gif: 0, ghost: 0 },
  // The first blurs files. A text attachment cannot be combined with a poll: create-posts/text-attachments, read 2026-11-27; that a GIF
  // cannot either is our own caution.
  options_go_with: {
    spoiler: { media: "any" },
    text_attachment: { poll: false },
    gif: { poll: false },
    ghost: { poll: false },
  },
  delivery_guarantee: "exactly_once",
  auth: "oauth",
  // A new app has threads_basic and the permissions that its owner adds; other publishers ask for these four:
  // brightbeanxyz/brightbean-studio, README, read 2026-11-24. Replies are written with manage_replies and listed with
  // read_replies: threads/reply-management, read 2026-11-22.
  permissions: {
    asked: ["threads_basic", "threads_content_publish", "threads_manage_replies", "threads_manage_insights"],
    sufficient: [["threads_basic", "threads_content_publish"]],
    optional: {
      threads_manage_replies: "First comments and further thread parts are not published.",
      threads_manage_insights: "Posts have no figures.",
      threads_read_replies: "A first comment or thread part whose answer was lost cannot be found.",
      threads_delete: "Posts cannot be taken down.",
      [LOCATION_SCOPE]: "Posts cannot have a location.",
    },
  },
  access: ACCESS,
  measures: true,
  takedown: true,
  // The API has calls to publish, delete and reply, and none to change a post: docs/threads, from memory.
  edit: { offered: false, reason: "The Threads API cannot change a post." },
  // The network names no number of replies; this limit is our own.
  thread: { max_parts: THREAD_PARTS_MAX },
  // 2 to 4 options of 1 to 25 characters, in text posts only: threads/create-posts/polls, read 2026-11-27. The call takes no
  // duration: polls last 24 hours, as in the app (from memory).
  poll: {
    max_question: 0,
    min_options: 2,
    max_options: 4,
    max_option: 25,
    min_minutes: 1_440,
    max_minutes: 1_440,
    minutes: [1_440],
  },
  source: "https://developers.facebook.com/documentation/threads",
  verified_at: "2026-11-20",
};

/** At most 10 spoilers in one text: create-posts/spoilers, as its users repeat it, read 2026-11-27. */
const SPOILERS_MAX = 10;

/** The forms of an address that the network itself names: reference/oembed of 2026-03-03, read 2026-11-27. */
export const POST_ADDRESS =
  /^https:\/\/(?:www\.)?threads\.(?:com|net)\/(?:@[\w.]{1,30}\/post|t)\/([\w-]{5,40})\/?(?:\?.*)?$/;
const POST_ID = /^\d{5,30}$/;
const quote = z
  .string()
  .max(500)
  .refine((value) => POST_ID.test(value) || POST_ADDRESS.test(value), {
    error: "Give the address of a post on Threads, or its id in the API.",
  })
  .meta({
    description: "Post to quote: the address of one of the account's newest 100 posts, or the API's id of any post.",
  });

const Fields = z.strictObject({
  topic_tag: z
    .string()
    .regex(/^[^.&]{1,50}$/)
    .optional()
    .meta({ description: "Topic of 1 to 50 characters, without . and &." }),
  link_attachment: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional()
    .meta({ description: "Link card of a post without files." }),
  reply_control: z
    .enum(["everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"])
    .default("everyone")
    .meta({ description: "Accounts that can reply." }),
  location_id: z
    .string()
    .regex(/^\d{1,30}$/)
    .optional(),
  // A reply is a separate post, so it has the text limit of a post.
  first_comment: z.string().min(1).max(500).optional().meta({ description: FIRST_COMMENT }),
  spoiler: z.boolean().default(false).meta({ description: "Blurs the files until the viewer taps them." }),
  text_spoilers: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(SPOILERS_MAX)
    .refine((phrases) => new Set(phrases).size === phrases.length, { error: "List each phrase once." })
    .optional()
    .meta({ description: "Phrases of the text, each hidden at its first place until the reader taps it." }),
  // 10,000: create-posts/text-attachments, read 2026-11-27.
  text_attachment: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: "Long text below a post without files or poll." }),
  quote: quote.optional(),
  // GIPHY is the only provider: posts, GIFs, read 2026-11-27. The form of its ids is from memory.
  gif: z
    .string()
    .regex(/^[A-Za-z0-9]{1,64}$/)
    .optional()
    .meta({ description: "GIPHY's id of a GIF, for a post without files or poll." }),
  ghost: z
    .boolean()
    .default(false)
    .meta({ description: "Ghost post: without files, and gone from the profile after 24 hours." }),
  reply_approval: z.boolean().default(false).meta({ description: "Hides replies until the account approves them." }),
});

/** "The only feature supported with ghost posts is text spoilers": create-posts/ghost-posts of 2026-07-02, read 2026-11-27. */
const ALLOWED_WITH_GHOST = ["ghost", "text_spoilers"];

export const Options = Fields.check(({ value, issues }) => {
  if (!value.ghost) return;
  const { reply_control, ...otherOptions } = value;
  const set = namesOfSet({ ...otherOptions, reply_control: reply_control === "everyone" ? undefined : reply_control });
  for (const name of set.filter((name) => !ALLOWED_WITH_GHOST.includes(name)))
    issues.push({ code: "custom", path: [name], input: name, message: "cannot be combined with `ghost`" });
});

/** A ghost post has no further parts, because replies are no text spoilers either. */
export const checkOptions = ({ ghost }: Options, { parts = 0 }: PostShape): OptionProblem[] =>
  ghost && parts > 0
    ? [{ path: ["ghost"], message: `\`ghost\` cannot be used with a thread on ${rule.platform}.` }]
    : [];
export type Options = z.output<typeof Fields>;
