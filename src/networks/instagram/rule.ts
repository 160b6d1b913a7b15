// Instagram's rule: developers.facebook.com/documentation/instagram-platform, content publishing and the reference of
// ig-user/media, read 2026-11-20.
import * as z from "zod";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { FIRST_COMMENT } from "../shared/first-comment.ts";
import { API } from "../shared/meta/versions.ts";
import { thumbnailMedia } from "../shared/thumbnail.ts";
import { ACCESS } from "./access.ts";

/**
 * 4:5 to 1.91:1: ig-user/media. The app accepts 3:4, the ratio of upright phone photos (help.instagram.com/1631821640426723),
 * and 0.75 with 0.02 to spare is posted through the API every day: mvdicarlo/postybirb pull request 762, read 2026-11-24. A
 * container that fails publishes nothing.
 */
const ASPECTS = { min_aspect: 0.73, min_sure_aspect: 0.8, max_aspect: 1.91 };

export const rule: PlatformRule = {
  platform: "instagram",
  api: API,
  // 2,200 characters, 30 hashtags, 20 mentions: ig-user/media. The unit is not documented; UTF-16 never counts too few.
  text_limit: 2_200,
  caption_limit: 2_200,
  text_unit: "utf16",
  text_parts: { hashtags: 30, mentions: 20 },
  // 2 to 10 files make a carousel: content publishing.
  media: { images: 10, videos: 10, mixed: true, total: 10 },
  min_media: 1,
  // JPEG of 8 MB; alt text of 1,000 characters: ig-user/media. Whether a MB is 10^6 or 2^20 bytes is not documented.
  image: { types: ["image/jpeg"], max_bytes: 8_000_000, max_alt: 1_000 },
  // 300 MB, 3 s to 15 min, 1,920 pixels wide, ratio 0.01 to 10: ig-user/media, reels. A single video is always a reel.
  video: {
    types: ["video/mp4", "video/quicktime"],
    max_bytes: 300_000_000,
    min_seconds: 3,
    max_seconds: 900,
    max_width: 1_920,
    min_aspect: 0.01,
    max_aspect: 10,
  },
  // A reel's cover is an image like any other: ig-user/media, `cover_url`, read 2026-11-27.
  thumbnail: { types: ["image/jpeg"], max_bytes: 8_000_000 },
  thumbnail_option: "cover_media",
  post_types: ["feed", "reel", "story", "carousel"],
  per_type: {
    feed: { image: ASPECTS },
    carousel: { min_media: 2, image: ASPECTS },
    // Reels and stories have no alt text.
    reel: { media: { images: 0, videos: 1, mixed: false } },
    // One file, no caption; a video of 3 to 60 s and 100 MB: ig-user/media, stories.
    story: {
      text_limit: 0,
      media: { images: 1, videos: 1, mixed: false },
      image: { max_alt: 0 },
      video: { max_bytes: 100_000_000, max_seconds: 60 },
    },
  },
  options_max_media: { trial_reel: 1, thumb_offset_ms: 1, cover_media: 1, audio_name: 1 },
  // ig-user/media: the reels' options; a story accepts neither collaborators nor a location.
  options_go_with: {
    trial_reel: { media: "video", post_types: ["feed", "reel"] },
    thumb_offset_ms: { media: "video", post_types: ["feed", "reel"] },
    cover_media: { media: "video", post_types: ["feed", "reel"] },
    audio_name: { media: "video", post_types: ["feed", "reel"] },
    comments: { post_types: ["feed", "reel", "carousel"] },
    collaborators: { post_types: ["feed", "reel", "carousel"] },
    location_id: { post_types: ["feed", "reel", "carousel"] },
  },
  delivery_guarantee: "exactly_once",
  auth: "oauth",
  // instagram-api-with-instagram-login/business-login, read 2026-11-20.
  permissions: {
    asked: [
      "instagram_business_basic",
      "instagram_business_content_publish",
      "instagram_business_manage_insights",
      "instagram_business_manage_comments",
    ],
    sufficient: [["instagram_business_basic", "instagram_business_content_publish"]],
    optional: {
      instagram_business_manage_insights: "Posts have no figures.",
      instagram_business_manage_comments: "First comments are not posted, and comments are not turned off.",
    },
  },
  connect_ways: [
    {
      via: null,
      name: "Instagram Login",
      site: "Instagram",
      purpose: "For every professional account. Posts can't be taken down here, only in the Instagram app.",
      tier: "instagram_login",
    },
    {
      via: "facebook",
      name: "Facebook Login",
      site: "Facebook",
      purpose:
        "For professional accounts linked to a Facebook Page that you manage. Posts can be taken down, and labelled as paid partnerships.",
      tier: "facebook_login",
    },
  ],
  access: ACCESS,
  measures: true,
  // Only Facebook Login has `DELETE /{media}`: reference of ig-media, read 2026-11-20. The label of paid partnerships and its
  // sponsors, too: content publishing, read 2026-11-27.
  takedown: false,
  // POST /{ig-media-id} turns comments on or off, and nothing else: docs/instagram-api/guides/comment-moderation, read 2026-11-27.
  edit: { offered: false, reason: "Instagram's API cannot change a caption." },
  tiers: {
    instagram_login: { text_limit: 2_200, caption_limit: 2_200 },
    facebook_login: {
      text_limit: 2_200,
      caption_limit: 2_200,
      takedown: true,
      only_options: ["paid_partnership", "sponsors"],
    },
  },
  source: "https://developers.facebook.com/documentation/instagram-platform",
  verified_at: "2026-11-20",
};

/** A person tagged on a file: ig-user/media, `user_tags`, read 2026-11-27. */
const UserTag = z.strictObject({
  username: z
    .string()
    .regex(/^[A-Za-z0-9._]{1,30}$/)
    .meta({ description: "Of a public account, without `@`." }),
  x: z.number().min(0).max(1).optional().meta({ description: "From the left edge. Images need it, reels have none." }),
  y: z.number().min(0).max(1).optional().meta({ description: "From the top edge." }),
  file: z.int().min(0).max(9).default(0).meta({ description: "Position of the file in the post, starting at 0." }),
});

const Fields = z.strictObject({
  share_to_feed: z.boolean().default(true).meta({ description: "Shows a reel in the feed, too." }),
  thumb_offset_ms: z.int().min(0).max(900_000).optional().meta({ description: "Offset of a reel's cover frame." }),
  collaborators: z.array(z.string().min(1).max(30)).min(1).max(3).optional(),
  location_id: z
    .string()
    .regex(/^\d{1,30}$/)
    .optional(),
  ai_generated: z.boolean().default(false),
  first_comment: z.string().min(1).max(2_200).optional().meta({ description: FIRST_COMMENT }),
  trial_reel: z
    .enum(["manual", "performance"])
    .optional()
    .meta({ description: "Trial reel, shown to non-followers first." }),
  cover_media: thumbnailMedia.meta({ description: "Id of an image in the library to use as a reel's cover." }),
  // "Cannot use more than 20 tags": error 100/2207040, reference of error codes, read 2026-11-20.
  user_tags: z.array(UserTag).min(1).max(20).optional().meta({ description: "People tagged on the files." }),
  comments: z.boolean().default(true).meta({ description: "`false` turns comments off once the post is live." }),
  paid_partnership: z
    .boolean()
    .default(false)
    .meta({ description: "Marks a paid partnership. Needs an account that is connected by Facebook Login." }),
  // At most 2: content publishing, "Partnership ads label", read 2026-11-27.
  sponsors: z
    .array(z.string().regex(/^\d{1,30}$/))
    .min(1)
    .max(2)
    .optional()
    .meta({ description: "Ids of the brands' Instagram accounts. Needs Facebook Login." }),
  // No page names a limit: this one is our own.
  audio_name: z.string().min(1).max(100).optional().meta({ description: "Name of a reel's own audio." }),
});

export const Options = Fields.check(({ value, issues }) => {
  if (value.cover_media === undefined || value.thumb_offset_ms === undefined) return;
  // Instagram would ignore it: ig-user/media, `thumb_offset`, read 2026-11-27.
  const message = "cannot be combined with `cover_media`";
  issues.push({ code: "custom", path: ["thumb_offset_ms"], input: value.thumb_offset_ms, message });
});
export type Options = z.output<typeof Fields>;
