// What Facebook Pages take: developers.facebook.com/documentation, pages and video APIs, read 2026-11-20.
import * as z from "zod";
import type { PlatformRule } from "../../domain/platform-rule.ts";

export const rule: PlatformRule = {
  platform: "facebook",
  // 63,206: what open-source publishers send; no page says it, nor the unit. UTF-16 never counts too few.
  text_limit: 63_206,
  caption_limit: 63_206,
  text_unit: "utf16",
  // No page names the most photos of a post: 10 are known to work.
  media: { images: 10, videos: 1, mixed: false },
  min_media: 0,
  // 10 MB: video-api, page stories guide. No page names the length of `alt_text_custom`: our own.
  image: { types: ["image/jpeg", "image/png", "image/gif"], max_bytes: 10_000_000, max_alt: 2_000 },
  // 10 GB, 4 hours: ayrshare.com media guidelines, read 2026-11-20; no page of the network says.
  video: { types: ["video/mp4", "video/quicktime"], max_bytes: 10_000_000_000, max_seconds: 14_400 },
  post_types: ["feed", "reel", "story", "carousel"],
  per_type: {
    carousel: { min_media: 2, media: { images: 10, videos: 0, mixed: false } },
    // 9:16 of 540 × 960 or more, 3 to 90 s: video-api, reels publishing. One in a hundred is allowed for rounding.
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
  options_max_media: { link: 0 },
  delivery_guarantee: "reconciled",
  auth: "oauth",
  measures: true,
  source: "https://developers.facebook.com/documentation/pages-api/posts",
  verified_at: "2026-11-20",
};

export const Options = z.strictObject({
  link: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional()
    .meta({ description: "The card under a post without files." }),
  title: z.string().min(1).max(255).optional().meta({ description: "Of a video." }),
  video_as: z
    .enum(["auto", "feed", "reel"])
    .optional()
    .meta({ description: "How a feed post's video goes out: `auto` (default) makes it a reel when it fits one." }),
});
export type Options = z.output<typeof Options>;
