// Bluesky's rule: the app.bsky lexicons of bluesky-social/atproto, read 2026-11-20.
import * as z from "zod";
import { THREAD_PARTS_MAX } from "../../domain/limits.ts";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { captions } from "../shared/captions.ts";
import { ACCESS } from "./access.ts";

/** Images that `app.bsky.embed.images` shows; more are sent as `app.bsky.embed.gallery`. */
export const PLAIN_IMAGES_MAX = 4;
/** Bytes of a link card's picture: app.bsky.embed.external lexicon, read 2026-11-20. */
export const THUMB_BYTES_MAX = 1_000_000;

const CAPTIONS_MAX = 20;

export const rule: PlatformRule = {
  platform: "bluesky",
  // XRPC methods have no versions: atproto.com/specs/xrpc.
  api: { version: null, supported_until: null },
  // 300 graphemes and 3,000 bytes: app.bsky.feed.post lexicon, read 2026-11-20.
  text_limit: 300,
  caption_limit: 300,
  text_unit: "graphemes",
  text_lookup: "mention",
  text_max_bytes: 3_000,
  // 10: the limit for clients in a gallery (schema 20), social-app composer test, read 2026-11-20.
  media: { images: 10, videos: 1, mixed: false },
  min_media: 0,
  image: {
    types: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    // 2,000,000: app.bsky.embed.images lexicon, raised 2026-04-08, read 2026-11-20.
    max_bytes: 2_000_000,
    // The lexicon names no length of alt text; this limit is our own.
    max_alt: 2_000,
  },
  video: {
    types: ["video/mp4", "video/quicktime", "video/webm"],
    // 300,000,000: app.bsky.embed.video lexicon, raised 2026-08-11; 10 minutes: social-app constants, read 2026-11-20.
    max_bytes: 300_000_000,
    max_seconds: 600,
    max_alt: 2_000,
  },
  // 20 files of WebVTT, 20,000 bytes each: app.bsky.embed.video lexicon, read 2026-11-27.
  captions: { types: ["text/vtt"], max_bytes: 20_000, max_files: CAPTIONS_MAX },
  post_types: ["feed", "carousel"],
  per_type: { carousel: { min_media: 2, media: { images: 10, videos: 0, mixed: false } } },
  options_go_with: { captions: { media: "video" } },
  delivery_guarantee: "exactly_once",
  auth: "credentials",
  access: ACCESS,
  measures: true,
  takedown: true,
  // Bluesky's app shows the original only, or loses the likes: snarfed/bridgy-fed issue 947 and bluesky-social/social-app issue 8781, read
  // 2026-11-27.
  edit: { offered: false, reason: "Bluesky does not show changes to a post." },
  // The network names no number of replies; this limit is our own.
  thread: { max_parts: THREAD_PARTS_MAX },
  source: "https://github.com/bluesky-social/atproto (lexicons)",
  verified_at: "2026-11-20",
};

export const connectInput = z.strictObject({
  identifier: z.string().min(1).max(300).meta({ description: "Handle or DID." }),
  app_password: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: "App password, created under Settings, App passwords." }),
  service: z
    .url()
    .max(300)
    .optional()
    .meta({ description: "The account's host. By default, it is looked up from the identity." }),
});

const LinkCard = z.strictObject({
  url: z.url().max(2_000),
  title: z.string().max(300),
  description: z.string().max(1_000).default(""),
});

/** Rules of one threadgate: `allow`, maxLength 5. */
const REPLY_RULES_MAX = 5;
export const REPLY_WORDS = ["nobody", "mentioned", "following", "followers"] as const;
/** A list by its address in the app, or by its address in the network. */
export const LIST_ADDRESS =
  /^(?:https:\/\/bsky\.app\/profile\/([\w.:%-]{3,300})\/lists\/|at:\/\/([\w.:%-]{3,300})\/app\.bsky\.graph\.list\/)([\w.~:-]{1,512})$/;

const replyRules = z
  .array(
    z.union([
      z.enum(REPLY_WORDS),
      z.string().max(1_000).regex(LIST_ADDRESS, { error: "This is not the address of a list." }),
    ]),
  )
  .min(1)
  .max(REPLY_RULES_MAX)
  .refine((rules) => new Set(rules).size === rules.length, { error: "List each rule once." })
  .refine((rules) => !rules.includes("nobody") || rules.length === 1, { error: "`nobody` excludes all other rules." })
  .optional()
  .meta({
    description:
      "Who can reply: `nobody`, or `mentioned`, `following`, `followers` and the addresses of lists. Absent: everybody.",
  });

/** A post by its address in the app, or by its address in the network. */
export const POST_ADDRESS =
  /^(?:https:\/\/bsky\.app\/profile\/([\w.:%-]{3,300})\/post\/|at:\/\/([\w.:%-]{3,300})\/app\.bsky\.feed\.post\/)([\w.~:-]{1,512})$/;

const quote = z
  .string()
  .max(1_000)
  .regex(POST_ADDRESS, { error: "This is not the address of a post on Bluesky." })
  .optional()
  .meta({ description: "Address of the post to quote, as https://bsky.app/profile/.../post/..." });

export const Options = z.strictObject({
  langs: z
    .array(z.string().regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/))
    .max(3)
    .optional()
    .meta({
      description: "BCP 47 tags of the languages of the text.",
    }),
  link_card: z
    .union([z.enum(["auto", "off"]), LinkCard])
    .default("auto")
    .meta({
      description: "Link card of a post without files: for its first link (`auto`), none (`off`), or the given card.",
    }),
  labels: z
    .array(z.enum(["sexual", "nudity", "porn", "graphic-media"]))
    .max(4)
    .optional()
    .meta({
      description: "Content warnings.",
    }),
  hashtags: z
    .array(z.string().min(1).max(64))
    .max(8)
    .optional()
    .meta({ description: "Tags in addition to the text, without #." }),
  captions: captions(CAPTIONS_MAX),
  quote,
  reply_rules: replyRules,
  quote_rules: z.enum(["everybody", "nobody"]).default("everybody").meta({ description: "Who can quote the post." }),
});
export type Options = z.output<typeof Options>;

const Record = z.record(z.string(), z.json());
export const PublishKey = z.discriminatedUnion("step", [
  /** Nothing that matters is uploaded yet. */
  z.object({ step: z.literal("start") }),
  /** The first images are uploaded. */
  z.object({ step: z.literal("images"), blobs: z.array(Record) }),
  /** The first `sent` chunks of a large video are uploaded. */
  z.object({
    step: z.literal("chunks"),
    job_id: z.string(),
    chunk_bytes: z.number(),
    chunks: z.number(),
    sent: z.number(),
  }),
  /** The video service has the video and is processing it. */
  z.object({ step: z.literal("video"), job_id: z.string(), since: z.number() }),
  /** Everything is uploaded; this exact record under this key is the post. */
  z.object({
    step: z.literal("ready"),
    rkey: z.string(),
    record: Record,
    /** Records about who may reply and quote, under the same key and in the same commit; absent: none. */
    gates: z.array(z.object({ collection: z.string(), record: Record })).optional(),
  }),
]);
export type PublishKey = z.output<typeof PublishKey>;
