// X's rule: docs.x.com and the OpenAPI description 2.167, read 2026-11-20.
import * as z from "zod";
import { THREAD_PARTS_MAX } from "../../domain/limits.ts";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { textLength } from "../../domain/posts/text-length.ts";
import { FIRST_COMMENT } from "../shared/first-comment.ts";
import { ACCESS } from "./access.ts";

export const rule: PlatformRule = {
  platform: "x",
  // X's API v2: docs.x.com. No end of support is documented.
  api: { version: "v2", supported_until: null },
  // 280 weighted: docs.x.com/fundamentals/counting-characters and twitter-text config v3, read 2026-11-20.
  text_limit: 280,
  caption_limit: 280,
  text_unit: "weighted",
  text_weighting: "twitter_text_v3",
  // 25,000 for every paying account: press about X Premium, read 2026-11-27; the API takes them since 2024-08-20,
  // docs.x.com/changelog, read 2026-11-20.
  tiers: {
    free: { text_limit: 280, caption_limit: 280 },
    premium: { text_limit: 25_000, caption_limit: 25_000 },
  },
  // 1: docs.x.com/x-api/posts/manage-tweets/introduction, read 2026-11-20.
  text_parts: { cashtags: 1 },
  // 4 photos, or 1 GIF, or 1 video: docs.x.com/x-api/media/quickstart/best-practices, read 2026-11-20.
  media: { images: 4, videos: 1, mixed: false },
  min_media: 0,
  image: {
    types: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    alone: ["image/gif"],
    max_bytes: 5_000_000,
    // 1,000: media/metadata in the OpenAPI description, read 2026-11-20.
    max_alt: 1_000,
    per_format: { "image/gif": { max_bytes: 15_000_000, max_side: 1_280, max_short_side: 1_080 } },
  },
  // 0.5 s to 20 min, 8 GB for accounts without a subscription (others: 125 min, 16 GB):
  // docs.x.com/x-api/media/quickstart/best-practices as of commit 0c986f00, read 2026-11-22; before that 140 s and 512 MB.
  // Its pixels, 32 × 32 to 1280 × 1024, are not checked: 1920 × 1080 is accepted. X itself reports a video that it cannot
  // process before the post is made.
  video: {
    types: ["video/mp4", "video/quicktime", "video/webm"],
    max_bytes: 8_000_000_000,
    min_seconds: 0.5,
    max_seconds: 1_200,
  },
  post_types: ["feed", "article"],
  per_type: {
    article: {
      // 10,000 weighted: the only length that docs.x.com/x-api/articles/introduction names, read 2026-11-20.
      text_limit: 10_000,
      media: { images: 1, videos: 0, mixed: false },
      required_options: ["title"],
    },
  },
  // docs.x.com/x-api/posts/create-post and media/create-media-metadata, read 2026-11-27.
  options_go_with: {
    title: { post_types: ["article"] },
    tagged_users: { media: "any", post_types: ["feed"] },
    sensitive: { media: "any", post_types: ["feed"] },
  },
  delivery_guarantee: "reconciled",
  auth: "oauth",
  // docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code, read 2026-11-20.
  permissions: {
    asked: ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"],
    sufficient: [["tweet.read", "tweet.write", "users.read", "media.write"]],
    optional: { "offline.access": "The channel has to be connected again every two hours." },
  },
  access: ACCESS,
  measures: true,
  takedown: true,
  // Within 30 minutes, and each edit is a new post with a new id: docs.x.com/x-api/fundamentals/edit-posts, read 2026-11-27. Only
  // subscribers of X Premium have it (from memory).
  edit: {
    offered: false,
    reason: "X lets only paying accounts edit, within 30 minutes, and each edit makes a new post with a new address.",
  },
  // The network names no number of replies; this limit is our own.
  thread: { max_parts: THREAD_PARTS_MAX },
  // 2 to 4 options of 1 to 25 characters, 5 to 10,080 minutes: PollOption and Poll of the OpenAPI description 2.167, read
  // 2026-11-27. A poll has no question of its own, and excludes files.
  poll: { max_question: 0, min_options: 2, max_options: 4, max_option: 25, min_minutes: 5, max_minutes: 10_080 },
  // 403, "You are not allowed to create a Tweet with duplicate content.": docs.x.com, errors, read 2026-11-20.
  refuses_repeats: true,
  // docs.x.com/x-api/getting-started/pricing, read 2026-11-20: a post that is read costs $0.005, once in a UTC day.
  // The metadata of a file costs $0.005 a call, and a user that is read $0.010: same page, read 2026-11-27.
  price_usd: {
    post: 0.015,
    post_with_link: 0.2,
    alt_text: 0.005,
    read: 0.005,
    file_options: ["sensitive"],
    entries: { tagged_users: 0.01 },
  },
  // Each read costs a third of a post.
  rechecks: "light",
  source: "https://docs.x.com",
  verified_at: "2026-11-20",
};

/** `sensitive_media_warning` of media/create-media-metadata, read 2026-11-27. A post itself has no such flag. */
const WARNINGS = ["adult_content", "graphic_violence", "other"] as const;

export const Options = z.strictObject({
  reply_settings: z
    .enum(["everyone", "following", "mentionedUsers", "subscribers", "verified"])
    .default("everyone")
    .meta({ description: "Accounts that can reply." }),
  community_id: z
    .string()
    .regex(/^\d{1,19}$/)
    .optional(),
  share_with_followers: z.boolean().optional().meta({ description: "Shows a community post to followers, too." }),
  made_with_ai: z.boolean().default(false),
  paid_partnership: z.boolean().default(false),
  first_comment: z
    .string()
    .min(1)
    .max(4_096)
    .refine((text) => textLength(text, rule) <= rule.text_limit, {
      error: `A reply can have ${rule.text_limit} weighted characters.`,
    })
    .optional()
    .meta({
      description: `${FIRST_COMMENT} A reply of at most ${rule.text_limit} weighted characters, charged as a post.`,
    }),
  title: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "Title of an article. Required for that post type." }),
  // 10: `tagged_user_ids` of the OpenAPI description 2.167, read 2026-11-20.
  tagged_users: z
    .array(z.string().regex(/^@?[A-Za-z0-9_]{1,15}$/))
    .min(1)
    .max(10)
    .optional()
    .meta({ description: "User names of accounts tagged in the files, each charged as one that is read." }),
  sensitive: z
    .array(z.enum(WARNINGS))
    .min(1)
    .max(WARNINGS.length)
    .optional()
    .meta({ description: "Warns of what the files show. Each file is charged as one with alt text." }),
});
export type Options = z.output<typeof Options>;

export const Credential = z.object({
  access_token: z.string(),
  /** null if it was supplied without one; the channel then expires with its access token. */
  refresh_token: z.string().nullable(),
  /** Epoch milliseconds. */
  expires_at: z.number().nullable(),
  user_id: z.string(),
  username: z.string(),
});
export type Credential = z.output<typeof Credential>;

/** Uploaded files in publish order, and the one under way. */
const Upload = z.object({
  step: z.literal("upload"),
  media_ids: z.array(z.string()),
  /** `sent`: segments that the network has; `closed`: it is processing the file. */
  current: z.object({ media_id: z.string(), sent: z.int(), closed: z.boolean() }).nullable(),
});
export type Upload = z.output<typeof Upload>;
export const PublishKey = z.discriminatedUnion("step", [
  Upload,
  /** Everything is uploaded; `since` (epoch milliseconds) is before the post. `text` identifies it. */
  z.object({
    step: z.literal("ready"),
    media_ids: z.array(z.string()),
    since: z.number(),
    text: z.string(),
    /** Ids of the earlier thread parts, which must not be taken for this one; it replies to the last. */
    before: z.array(z.string()).optional(),
    /** The accounts tagged in the files. */
    tagged_user_ids: z.array(z.string()).optional(),
  }),
  /** A draft of an article that is ready to be published. */
  z.object({ step: z.literal("article"), article_id: z.string(), since: z.number(), title: z.string() }),
]);
export type PublishKey = z.output<typeof PublishKey>;
