// Facebook's rule for Pages: developers.facebook.com/documentation, pages and video APIs, read 2026-11-20.
import * as z from "zod";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { FIRST_COMMENT } from "../shared/first-comment.ts";
import { API } from "../shared/meta/versions.ts";
import { thumbnailMedia } from "../shared/thumbnail.ts";
import { ACCESS } from "./access.ts";

export const rule: PlatformRule = {
  platform: "facebook",
  api: API,
  // 63,206 is the limit that open-source publishers use. No page documents the limit or its unit. UTF-16 units are the safe
  // choice, because they never give a lower count than characters.
  text_limit: 63_206,
  caption_limit: 63_206,
  text_unit: "utf16",
  // No page names the most photos of a post: 10 are known to work.
  media: { images: 10, videos: 1, mixed: false },
  min_media: 0,
  // 10 MB: video-api, page stories guide. No page names the length of `alt_text_custom`; that limit is our own. No page says
  // that an animated GIF becomes a still.
  image: { types: ["image/jpeg", "image/png", "image/gif"], max_bytes: 10_000_000, max_alt: 2_000 },
  // 10 GB, 4 hours: ayrshare.com media guidelines, read 2026-11-20; the network documents no limit.
  video: { types: ["video/mp4", "video/quicktime"], max_bytes: 10_000_000_000, max_seconds: 14_400 },
  // 10 MB: docs/graph-api/reference/video/thumbnails, read 2026-11-22; the page names no types.
  thumbnail: { types: ["image/jpeg", "image/png"], max_bytes: 10_000_000 },
  post_types: ["feed", "reel", "story", "carousel"],
  per_type: {
    carousel: { min_media: 2, media: { images: 10, videos: 0, mixed: false } },
    // 9:16 of 540 × 960 or more, 3 to 90 s: video-api, reels publishing. One per cent is allowed for rounding.
    reel: {
      min_media: 1,
      media: { images: 0, videos: 1, mixed: false },
      video: {
        min_width: 540,
        min_height: 960,
        min_aspect: 0.557,
        max_aspect: 0.568,
        min_seconds: 3,
        max_seconds: 90,
        max_bytes: 2_000_000_000,
      },
    },
    // One file without text, a video of 60 s at most: video-api, page stories guide.
    story: {
      min_media: 1,
      text_limit: 0,
      media: { images: 1, videos: 1, mixed: false },
      video: { max_seconds: 60 },
    },
  },
  options_max_media: { link: 0, link_card: 0 },
  // video-api, reels guide and publishing: a story has no text.
  options_go_with: {
    title: { media: "video", post_types: ["feed", "reel"] },
    video_as: { media: "video", post_types: ["feed"] },
    thumbnail_media: { media: "video", post_types: ["feed", "reel"] },
    backdated_at: { post_types: ["feed", "carousel"] },
    place: { post_types: ["feed", "carousel"] },
    targeting: { post_types: ["feed", "carousel"] },
  },
  delivery_guarantee: "reconciled",
  auth: "oauth",
  // Permissions for posts: pages-api/posts and video-api, read 2026-11-20. The operator adds any further permissions of the
  // app.
  permissions: {
    asked: ["pages_show_list", "pages_read_engagement", "pages_manage_posts"],
    sufficient: [["pages_show_list", "pages_read_engagement", "pages_manage_posts"]],
    optional: {
      read_insights: "Posts have no figures.",
      pages_manage_engagement: "First comments are not posted.",
      business_management: "Pages that belong to a business portfolio may be missing from the list of accounts.",
    },
  },
  access: ACCESS,
  measures: true,
  takedown: true,
  // pages-api/posts, update a post, read 2026-11-27: an app may change what it posted itself. A story has no text.
  edit: { offered: true, only: { post_types: ["feed", "reel", "carousel"] } },
  // 506, "Duplicate posts cannot be published consecutively. Change the content of the post and try again.":
  // developers.facebook.com/docs/graph-api/guides/error-handling, read 2026-11-27.
  refuses_repeats: true,
  source: "https://developers.facebook.com/documentation/pages-api/posts",
  verified_at: "2026-11-20",
};

/** `age_min` of `targeting`: docs/graph-api/reference/page/feed and page/videos, read 2026-11-27. */
const AGES = [13, 15, 18, 21, 25];

/**
 * The card of a link. `picture`, `name` and `description` of page/feed are for Pages whose business has verified the link's
 * domain; others are refused ("Only owners of the URL ..."): read 2026-11-27. No page names lengths: these are our own.
 */
const LinkCard = z.strictObject({
  title: z.string().min(1).max(255).optional(),
  description: z.string().min(1).max(1_000).optional(),
  picture: z
    .url({ protocol: /^https$/ })
    .max(2_000)
    .optional()
    .meta({ description: "Address of the card's image." }),
});

const Targeting = z.strictObject({
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/))
    .min(1)
    .max(50)
    .optional()
    .meta({ description: "Country codes, such as `DE`." }),
  age_min: z
    .int()
    .min(13)
    .max(25)
    .refine((age) => AGES.includes(age), { error: `One of ${AGES.join(", ")}.` })
    .optional()
    .meta({ description: "Lowest age: 13, 15, 18, 21 or 25." }),
});

const Fields = z.strictObject({
  link: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional()
    .meta({ description: "Link card of a post without files." }),
  title: z.string().min(1).max(255).optional().meta({ description: "Title of the video." }),
  // No page of the API names the longest comment: 8,000 characters from memory.
  first_comment: z.string().min(1).max(8_000).optional().meta({ description: FIRST_COMMENT }),
  thumbnail_media: thumbnailMedia,
  video_as: z.enum(["auto", "feed", "reel"]).optional().meta({
    description: "Publishes a feed post's video as this type. `auto` (default) makes it a reel if it qualifies.",
  }),
  link_card: LinkCard.optional().meta({
    description: "Own words and image for the card of `link`, on a domain that the Page's business has verified.",
  }),
  // `backdated_time` of page/feed, read 2026-11-27.
  backdated_at: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: "Past instant at which the post is shown in the timeline. Not for videos." }),
  // `place` of page/feed, read 2026-11-27.
  place: z
    .string()
    .regex(/^\d{1,30}$/)
    .optional()
    .meta({ description: "Id of the Page of a place. Not for videos." }),
  targeting: Targeting.optional().meta({ description: "Who may see the post, by country and age. Not for videos." }),
});

export const Options = Fields.check(({ value, issues }) => {
  const { link, link_card: card, targeting } = value;
  const refuse = (path: string, input: unknown, message: string) =>
    issues.push({ code: "custom", path: [path], input, message });
  if (card !== undefined && link === undefined) refuse("link_card", card, "needs `link`");
  if (card !== undefined && Object.keys(card).length === 0) refuse("link_card", card, "is empty");
  if (targeting !== undefined && Object.keys(targeting).length === 0) refuse("targeting", targeting, "is empty");
});
export type Options = z.output<typeof Fields>;

export const Credential = z.object({
  /** The id of the Page. It has only digits, but too many for a JavaScript number. */
  page_id: z.string(),
  page_token: z.string(),
  /**
   * The token of the user who gave the grant; a new page token is read with it. null if only the page's own token was
   * supplied.
   */
  user_token: z.string().nullable(),
});
export type Credential = z.output<typeof Credential>;

const VIDEO_KINDS = ["reel", "story", "video"] as const;
/** How a video is published: as a reel, as a story, or as a plain video in the feed. */
export type VideoKind = (typeof VIDEO_KINDS)[number];

/** Uploaded, unpublished photos, each with the file it was made from. */
const Photos = z.array(z.object({ file: z.string(), id: z.string() }));
const Video = z.object({
  kind: z.enum(VIDEO_KINDS),
  video_id: z.string(),
  /** The upload session of a plain video; null for other videos, whose bytes are sent to the video's id. */
  session_id: z.string().nullable(),
});

export const PublishKey = z.discriminatedUnion("step", [
  /** Nothing that matters is uploaded yet. */
  z.object({ step: z.literal("start") }),
  z.object({ step: z.literal("photos"), photos: Photos }),
  /** The first `sent` bytes of a video are uploaded. `end`: where the next chunk ends, if the network says so. */
  Video.extend({ step: z.literal("upload"), sent: z.number(), end: z.number().nullable() }),
  /**
   * A post in the feed. `at`: epoch milliseconds at which it was ready. The other members find a post without photos again:
   * the digest of its text, and the posts that had the same text before (null if they could not be read).
   */
  z.object({
    step: z.literal("feed"),
    photos: Photos,
    at: z.number(),
    text_sha256: z.string(),
    duplicates: z.array(z.string()).nullable(),
    /** Epoch milliseconds under which the Page lists the post, if it is backdated. */
    backdated_at: z.number().optional(),
  }),
  z.object({ step: z.literal("photo_story"), photos: Photos }),
  /**
   * A whole video. `finished`: epoch milliseconds at which the network accepted its publishing; null if that is not known.
   */
  Video.extend({ step: z.literal("video"), finished: z.number().nullable() }),
]);
export type PublishKey = z.output<typeof PublishKey>;
export type Step<Name extends PublishKey["step"]> = Extract<PublishKey, { step: Name }>;
