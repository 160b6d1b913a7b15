// YouTube's rule: Data API v3, discovery revision 20260427 and revision history to 2026-11-03, read 2026-11-20.
import * as z from "zod";
import { CAPTIONS_TYPES } from "../../domain/media/types.ts";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { captions } from "../shared/captions.ts";
import { FIRST_COMMENT } from "../shared/first-comment.ts";
import { thumbnailMedia } from "../shared/thumbnail.ts";
import { ACCESS } from "./access.ts";

/**
 * 500 characters for all tags, including commas between them and quotes around tags with a space: videos resource, read
 * 2026-11-20.
 */
const TAGS_LENGTH_MAX = 500;
const tagsLength = (tags: string[]) =>
  tags.reduce((sum, tag) => sum + tag.length + (tag.includes(" ") ? 2 : 0), 0) + Math.max(0, tags.length - 1);
const NO_BRACKETS = /^[^<>]*$/;

const SCOPE = "https://www.googleapis.com/auth/";
const MANAGE = `${SCOPE}youtube.force-ssl`;

/** Quotas belong to the project and reset at midnight in this zone: determine_quota_cost, read 2026-11-20. */
export const QUOTA_TIMEZONE = "America/Los_Angeles";

const CAPTIONS_MAX = 5;

export const rule: PlatformRule = {
  platform: "youtube",
  // Data API v3: developers.google.com/youtube/v3. No end of support is documented. Since 2026-06-01 videos.insert has a
  // separate quota: determine_quota_cost and revision history, read 2026-11-25.
  app_posts_per_day: { limit: 100, timezone: QUOTA_TIMEZONE },
  api: { version: "v3", supported_until: null },
  // The description: 5,000 bytes without < and >: videos resource, snippet.description.
  text_limit: 5_000,
  caption_limit: 5_000,
  text_unit: "characters",
  text_max_bytes: 5_000,
  text_without: ["<", ">"],
  media: { images: 0, videos: 1, mixed: false },
  min_media: 1,
  image: null,
  // 256 GB: videos.insert. 12 hours according to the site; unverified accounts are limited to 15 minutes.
  video: {
    types: ["video/mp4", "video/quicktime", "video/webm"],
    max_bytes: 256_000_000_000,
    max_seconds: 43_200,
  },
  // 50 MB: thumbnails.set, since 2026-09-14; 2 MB before.
  thumbnail: { types: ["image/jpeg", "image/png"], max_bytes: 50_000_000 },
  // 100 MB: captions.insert, discovery revision 20260427. The help lists SubRip and WebVTT among the formats. A call costs 400 of
  // the 10,000 units that a project has in a day (determine_quota_cost, read 2026-11-20), so the number of files is our own limit.
  captions: { types: Object.keys(CAPTIONS_TYPES), max_bytes: 100_000_000, max_files: CAPTIONS_MAX },
  post_types: ["feed", "short"],
  // At most 3 minutes, square or upright: the site's definition of a Short, since 2024-10-15.
  per_type: { short: { video: { max_seconds: 180, max_aspect: 1 } } },
  delivery_guarantee: "exactly_once",
  auth: "oauth",
  // videos.insert, videos.list and videos.delete: discovery revision 20260427. The last two scopes include the first two.
  permissions: {
    asked: [`${SCOPE}youtube.upload`, `${SCOPE}youtube.readonly`, MANAGE],
    sufficient: [[`${SCOPE}youtube.upload`, `${SCOPE}youtube.readonly`], [`${SCOPE}youtube`], [MANAGE]],
    optional: {
      [MANAGE]: "Videos cannot be taken down, get no first comment and no captions, and are not added to playlists.",
    },
  },
  access: ACCESS,
  measures: true,
  takedown: true,
  // developers.google.com/youtube/v3/docs/videos/update, read 2026-11-27; the text is the description.
  edit: { offered: true },
  source: "https://developers.google.com/youtube/v3/docs/videos",
  verified_at: "2026-11-20",
};

export const Options = z.strictObject({
  title: z
    .string()
    .min(1)
    .max(100)
    .regex(NO_BRACKETS)
    .meta({ description: "Title of 1 to 100 characters, without < and >." }),
  made_for_kids: z.boolean().meta({ description: "The owner's legal declaration. It has no default." }),
  privacy: z.enum(["public", "unlisted", "private"]).optional().meta({ description: "Default `public`." }),
  tags: z
    .array(
      z
        .string()
        .min(1)
        .max(TAGS_LENGTH_MAX)
        .regex(/^[^<>,]*$/),
    )
    .max(TAGS_LENGTH_MAX)
    .refine((tags) => tagsLength(tags) <= TAGS_LENGTH_MAX, {
      error: `All tags together can have ${TAGS_LENGTH_MAX} characters.`,
    })
    .optional()
    .meta({ description: "Tags with 500 characters in total." }),
  category_id: z
    .string()
    .regex(/^\d{1,4}$/)
    .optional()
    .meta({ description: "Category id. Default 22, People & Blogs.", "x-lookup": true }),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/)
    .optional()
    .meta({
      description: "BCP 47 tag of the language of the video, its title and its description, as `en` or `pt-BR`.",
    }),
  recorded_at: z
    .union([z.iso.date(), z.iso.datetime({ offset: true })])
    .optional()
    .meta({ description: "When the video was recorded: a date, or an instant with its offset." }),
  notify_subscribers: z.boolean().optional().meta({ description: "Default true." }),
  contains_synthetic_media: z.boolean().optional(),
  paid_promotion: z.boolean().optional(),
  license: z.enum(["youtube", "creativeCommon"]).optional(),
  embeddable: z.boolean().optional().meta({ description: "Default true." }),
  thumbnail_media: thumbnailMedia,
  captions: captions(CAPTIONS_MAX),
  playlist: z
    .string()
    .regex(/^[A-Za-z0-9_-]{2,64}$/)
    .optional()
    .meta({
      description: "Id of a playlist of the channel. The video is added to it at most once, after it is live.",
      "x-lookup": true,
    }),
  // No page of the API names the longest comment: 10,000 characters from memory.
  first_comment: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: `${FIRST_COMMENT} Not available for videos that are private or made for kids.` }),
});
export type Options = z.output<typeof Options>;

export const Credential = z.object({
  access_token: z.string(),
  /** null if only an access token was supplied; the channel then expires with it. */
  refresh_token: z.string().nullable(),
  /** Epoch milliseconds at which the access token expires. */
  expires_at: z.number(),
  channel_id: z.string(),
});
export type Credential = z.output<typeof Credential>;

export const PublishKey = z.discriminatedUnion("step", [
  /** Nothing that matters is uploaded yet. */
  z.object({ step: z.literal("start") }),
  /**
   * A resumable session: it makes one video at most, and none before its last byte. A holder of `session` can write to it, so
   * it is never shown. `received`: bytes that the network had at its last answer.
   */
  z.object({
    step: z.literal("upload"),
    session: z.string(),
    media_id: z.string(),
    bytes: z.number(),
    received: z.number(),
    short: z.boolean(),
    privacy: z.string(),
  }),
  /** The video exists and is being processed, since `since` (epoch milliseconds). */
  z.object({
    step: z.literal("video"),
    id: z.string(),
    media_id: z.string(),
    since: z.number(),
    short: z.boolean(),
    privacy: z.string(),
  }),
]);
export type PublishKey = z.output<typeof PublishKey>;
