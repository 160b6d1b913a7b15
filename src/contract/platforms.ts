import * as z from "zod";
import { IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from "../domain/limits.ts";
import { GUARANTEES, POST_TYPES, TEXT_UNITS } from "../domain/platform-rule.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";

const MediaCounts = z.object({ images: z.int(), videos: z.int(), mixed: z.boolean(), total: z.int().optional() });
const FileRule = z.object({
  types: z.array(z.string()),
  max_bytes: z.int(),
  max_side: z.int().optional(),
  max_side_sum: z.int().optional(),
  max_ratio: z.number().optional(),
});

export const PlatformRule = z
  .object({
    platform: z.string(),
    publishes: z.enum(["live", "sandbox", "not_configured"]),
    text_limit: z.int(),
    caption_limit: z.int().meta({ description: "Applies once a file is attached." }),
    text_unit: z.enum(TEXT_UNITS),
    text_max_bytes: z.int().optional(),
    media: MediaCounts,
    min_media: z.int(),
    image: FileRule.nullable(),
    video: FileRule.extend({ max_seconds: z.number().optional() }).nullable(),
    post_types: z.array(z.enum(POST_TYPES)),
    per_type: z.partialRecord(
      z.enum(POST_TYPES),
      z.object({ min_media: z.int().optional(), media: MediaCounts.optional() }),
    ),
    options: z.unknown().meta({ description: "JSON Schema of the network's own fields in an override." }),
    delivery_guarantee: z.enum(GUARANTEES),
    auth: z.enum(["credentials", "oauth"]),
    credentials: z.unknown().meta({ description: "JSON Schema of `credentials` when connecting." }),
    measures: z.boolean(),
    alt_text: z.boolean(),
    source: z.string(),
    verified_at: z.string(),
  })
  .meta({
    id: "PlatformRule",
    examples: [
      {
        platform: SAMPLE.platform,
        publishes: "live",
        text_limit: 300,
        caption_limit: 300,
        text_unit: "graphemes",
        media: { images: 4, videos: 1, mixed: false },
        min_media: 0,
        image: { types: ["image/jpeg", "image/png"], max_bytes: 2_000_000 },
        video: { types: ["video/mp4"], max_bytes: 100_000_000, max_seconds: 180 },
        post_types: ["feed"],
        per_type: {},
        options: { type: "object", properties: { link: { type: "string", format: "uri" } } },
        delivery_guarantee: "exactly_once",
        auth: "credentials",
        credentials: { type: "object", required: ["access_token"], properties: { access_token: { type: "string" } } },
        measures: false,
        alt_text: true,
        source: "https://docs.example.net/limits",
        verified_at: "2026-11-20",
      },
    ],
  });

export const listPlatforms = operation({
  ...plain,
  method: "GET",
  path: "/v1/platforms",
  auth: "none",
  tag: "Platforms",
  summary: "The networks' rules",
  description: "Every number is the one that refusals are checked against.",
  result: z.object({
    platforms: z.array(PlatformRule),
    request_only: z.array(z.string()).meta({ examples: [["reddit"]] }),
    upload: z
      .object({ available: z.boolean(), max_image_bytes: z.int(), max_video_bytes: z.int() })
      .meta({ examples: [{ available: true, max_image_bytes: IMAGE_BYTES_MAX, max_video_bytes: VIDEO_BYTES_MAX }] }),
  }),
  success: { 200: "The rules." },
  refusals: [],
});
