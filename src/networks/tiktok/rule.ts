// TikTok's rule: its Content Posting API, read 2026-11-20. Then the stored data of an account and of a post under way.
import * as z from "zod";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import type { PostMode } from "../../domain/posts/post-mode.ts";
import type { OptionFault } from "../../domain/posts/units.ts";
import { ACCESS } from "./access.ts";

export const rule: PlatformRule = {
  platform: "tiktok",
  // Open API v2: developers.tiktok.com/doc. No end of support is documented.
  api: { version: "v2", supported_until: null },
  // 2,200 UTF-16 units: the title of a direct post.
  text_limit: 2_200,
  caption_limit: 2_200,
  text_unit: "utf16",
  // 4,000 UTF-16 units: the description of a photo post, doc/content-posting-api-reference-photo-post, read 2026-11-27.
  long_text: { option: "photo_description", limit: 4_000 },
  // 35 photos or 1 video: direct post and photo post.
  media: { images: 35, videos: 1, mixed: false },
  min_media: 1,
  // 20 MB, "max 1080p": media transfer guide.
  image: { types: ["image/jpeg", "image/webp"], max_bytes: 20_000_000, max_side: 1_920, max_short_side: 1_080 },
  // 4 GB, 10 min, sides of 360 to 4,096 pixels: media transfer guide. An account may have lower limits.
  video: {
    types: ["video/mp4", "video/quicktime", "video/webm"],
    max_bytes: 4_000_000_000,
    max_seconds: 600,
    min_side: 360,
    max_side: 4_096,
  },
  post_types: ["feed", "reel", "carousel"],
  per_type: {
    reel: { media: { images: 0, videos: 1, mixed: false } },
    carousel: { media: { images: 35, videos: 0, mixed: false } },
  },
  // doc/content-posting-api-reference-direct-post and -photo-post, read 2026-11-20.
  options_go_with: {
    photo_title: { media: "image" },
    photo_description: { media: "image" },
    photo_cover_index: { media: "image" },
    auto_add_music: { media: "image" },
    disable_duet: { media: "video" },
    disable_stitch: { media: "video" },
    is_aigc: { media: "video" },
    cover_timestamp_ms: { media: "video" },
  },
  delivery_guarantee: "reconciled",
  auth: "oauth",
  // Ordinary apps lack video.list, which only serves to read posts: brightbeanxyz/brightbean-studio, tiktok.py
  // (`analytics_only_scopes`), and gitroomhq/postiz-docs issue 209, read 2026-11-24.
  permissions: {
    asked: ["user.info.basic", "video.publish"],
    // Either way of posting is enough: an app without the audit may send drafts (content-sharing-guidelines, read
    // 2026-11-25).
    sufficient: [
      ["user.info.basic", "video.publish"],
      ["user.info.basic", "video.upload"],
    ],
    optional: {
      "video.publish": "Posts need `post_mode: inbox`: nothing is published directly.",
      "video.upload": "Posts with `post_mode: inbox` are refused.",
      "video.list": "Live posts are not rechecked and have no figures.",
    },
  },
  access: ACCESS,
  measures: true,
  // The Content Posting API has no call that deletes a post, read 2026-11-20.
  takedown: false,
  // The Content Posting API ends with the upload: developers.tiktok.com, from memory.
  edit: { offered: false, reason: "TikTok's API cannot change a post." },
  source: "https://developers.tiktok.com/doc/content-posting-api-get-started",
  verified_at: "2026-11-20",
};

/** The audience of a post. An account may be allowed to use only some of these levels. */
export const PRIVACY_LEVELS = [
  "PUBLIC_TO_EVERYONE",
  "MUTUAL_FOLLOW_FRIENDS",
  "FOLLOWER_OF_CREATOR",
  "SELF_ONLY",
] as const;

/** The destination of a post. doc/content-posting-api-reference-upload-video and -photo-post, read 2026-11-25. */
const POST_MODES = ["direct", "inbox"] as const;

const Fields = z.strictObject({
  post_mode: z.enum(POST_MODES).optional().meta({
    description:
      "`inbox` sends a draft for the account's owner to publish, for a video without its text. Default `direct`.",
  }),
  privacy_level: z
    .enum(PRIVACY_LEVELS)
    .optional()
    .meta({
      description: "Visibility of the post. A user must choose it: required unless `post_mode` is `inbox`.",
      "x-lookup": true,
      "x-required-unless": { post_mode: "inbox" },
    }),
  disable_comment: z.boolean().optional().meta({ description: "Default true." }),
  disable_duet: z.boolean().optional().meta({ description: "Default true; videos only." }),
  disable_stitch: z.boolean().optional().meta({ description: "Default true; videos only." }),
  brand_content: z
    .boolean()
    .optional()
    .meta({ description: "Marks a paid partnership. Not allowed with `SELF_ONLY`." }),
  brand_organic: z.boolean().optional().meta({ description: "Promotes the account's own business." }),
  is_aigc: z.boolean().optional().meta({ description: "Marks AI-generated content. Videos only." }),
  cover_timestamp_ms: z.int().min(0).optional().meta({ description: "Position of the cover frame of a video." }),
  photo_title: z.string().min(1).max(90).optional().meta({ description: "Title above the text of a photo post." }),
  photo_description: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .meta({ description: "Text of a photo post, in place of the post's text, which may have only 2,200." }),
  photo_cover_index: z.int().min(0).max(34).optional(),
  auto_add_music: z.boolean().optional().meta({ description: "Photos only; default false." }),
});
type Fields = z.output<typeof Fields>;
/** The options of a draft; its owner chooses the others in the app. */
const OF_DRAFTS = ["post_mode", "photo_title", "photo_description", "photo_cover_index"];

export const isDraft = ({ post_mode }: Pick<Fields, "post_mode">): boolean => post_mode === "inbox";

export const Options = Fields.check(({ value, issues }) => {
  if (!isDraft(value)) {
    if (value.privacy_level === undefined)
      issues.push({ code: "custom", path: ["privacy_level"], input: undefined, message: "is required" });
    return;
  }
  for (const [name, chosen] of Object.entries(value))
    if (chosen !== undefined && chosen !== false && !OF_DRAFTS.includes(name))
      issues.push({
        code: "custom",
        path: [name],
        input: chosen,
        message: "cannot be combined with `post_mode: inbox`: the account's owner chooses it in the app",
        params: { fault: "wrong_mode" satisfies OptionFault },
      });
});
export type Options = Fields;

/** The scope that a post needs, and whether its text is sent. */
export const getPostMode = (options: Options): PostMode => ({
  permission: isDraft(options) ? "video.upload" : "video.publish",
  option: "post_mode",
  takesTextWith: (kind) => !isDraft(options) || kind === "image",
});

export const Credential = z.object({
  /** The account's lasting id for this app. */
  open_id: z.string(),
  access_token: z.string(),
  refresh_token: z.string().nullable(),
  /** Epoch milliseconds at which `access_token` expires. */
  expires_at: z.number(),
});
export type Credential = z.output<typeof Credential>;

export const Post = z.object({
  kind: z.enum(["video", "photo"]),
  /** The text as the user wrote it. It identifies a post whose answer was lost. */
  text: z.string(),
  title: z.string().nullable(),
  /** Only public posts have an address and metrics. */
  public: z.boolean(),
  /** The user whose profile shows the post, when it was prepared; null if unknown, as for a draft. */
  username: z.string().nullable(),
  /** Whether the post is a draft for the account's inbox. */
  draft: z.literal(true).optional(),
});
/** The data that is kept about a post until its end. */
export type Post = z.output<typeof Post>;

export const PublishKey = z.discriminatedUnion("step", [
  /** The first `sent` bytes of a video are uploaded. `publish_id` identifies the post permanently. */
  z.object({
    step: z.literal("upload"),
    publish_id: z.string(),
    upload_url: z.string(),
    bytes: z.number(),
    chunk_bytes: z.number(),
    sent: z.number(),
    /** Epoch milliseconds at which the upload was opened. */
    since: z.number(),
    post: Post,
  }),
  /** Photos with the exact request that publishes them. */
  z.object({ step: z.literal("photos"), request: z.record(z.string(), z.json()), since: z.number(), post: Post }),
  /** The network has everything and is processing it. */
  z.object({ step: z.literal("accepted"), publish_id: z.string(), since: z.number(), post: Post }),
]);
export type PublishKey = z.output<typeof PublishKey>;
export type Upload = Extract<PublishKey, { step: "upload" }>;
export type Photos = Extract<PublishKey, { step: "photos" }>;
