// Pinterest's rule: its OpenAPI description 5.23.0, read 2026-11-20. File limits that it does not name come from third-party
// pages.
import * as z from "zod";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { thumbnailMedia } from "../shared/thumbnail.ts";
import { ACCESS } from "./access.ts";

export const rule: PlatformRule = {
  platform: "pinterest",
  // API v5: developers.pinterest.com/docs/api/v5. No end of support is documented.
  api: { version: "v5", supported_until: null },
  // 500 with one image or one video: fixed by Crier's own specification; the description allows 800.
  text_limit: 500,
  caption_limit: 500,
  text_unit: "characters",
  media: { images: 1, videos: 1, mixed: false },
  min_media: 1,
  image: {
    types: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    // 20 MB, 100 × 100: ayrshare.com and docs.getlate.dev media guidelines, read 2026-11-20; the network documents no limit.
    max_bytes: 20_000_000,
    min_side: 100,
    // 500: pins/create in the description, read 2026-11-20.
    max_alt: 500,
  },
  // 2 GB, 4 s to 15 min, 1:2 to 1.91:1: the same third-party pages, read 2026-11-20.
  video: {
    types: ["video/mp4", "video/quicktime"],
    max_bytes: 2_000_000_000,
    min_seconds: 4,
    max_seconds: 900,
    min_aspect: 0.5,
    max_aspect: 1.91,
    // The text belongs to the pin, whatever it shows.
    max_alt: 500,
  },
  // The image of a video, `cover_image_url`; JPEG and PNG are the types of `cover_image_content_type`: pins/create, read
  // 2026-11-27. No page names its size: that of images.
  thumbnail: { types: ["image/jpeg", "image/png"], max_bytes: 20_000_000 },
  thumbnail_option: "cover_media",
  post_types: ["feed", "carousel"],
  // 2 to 5 images: PinMediaSourceImagesURL of the description as of 2025-12-11, read 2026-11-27. A pin has one alt text, and the
  // images of a carousel have none.
  per_type: {
    carousel: { min_media: 2, media: { images: 5, videos: 0, mixed: false }, image: { max_alt: 0 } },
  },
  options_go_with: { cover_media: { media: "video" } },
  delivery_guarantee: "reconciled",
  auth: "oauth",
  // Creating a pin needs the four scopes of boards and pins, reading the account the last one: pinterest/api-description
  // 5.23.0, read 2026-11-24.
  permissions: {
    asked: ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"],
    sufficient: [["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"]],
    optional: {},
  },
  access: ACCESS,
  measures: true,
  takedown: true,
  // PATCH /pins/{pin_id}, "currently in beta and not available to all apps": pinterest/api-description 5.23.0, read 2026-11-27.
  edit: { offered: false, reason: "Pinterest only lets apps of its beta edit pins." },
  source: "https://github.com/pinterest/api-description",
  verified_at: "2026-11-20",
};

const Fields = z.strictObject({
  board: z
    .string()
    .regex(/^\d{1,30}$/)
    .meta({ description: "Id of the board.", "x-lookup": true }),
  link: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .nullable()
    .meta({ description: "Destination link of the pin. Send `null` for a pin without a link." }),
  board_section: z
    .string()
    .regex(/^\d{1,30}$/)
    .optional()
    .meta({ description: "Id of a section of the board.", "x-lookup": true }),
  title: z.string().min(1).max(100).optional(),
  cover_frame_seconds: z.int().min(0).default(0).meta({ description: "Position of the cover frame of a video." }),
  cover_media: thumbnailMedia.meta({ description: "Id of an image in the library to use as a video's cover." }),
});
export const Options = Fields.check(({ value, issues }) => {
  const { cover_media: cover, cover_frame_seconds: input } = value;
  if (cover === undefined || input === 0) return;
  // A pin has one of them: PinMediaSourceVideoID, read 2026-11-27.
  issues.push({
    code: "custom",
    path: ["cover_frame_seconds"],
    input,
    message: "cannot be combined with `cover_media`",
  });
});
export type Options = z.output<typeof Fields>;

export const Credential = z.object({
  access_token: z.string(),
  /** null if it was supplied without one; the channel then expires with its access token. */
  refresh_token: z.string().nullable(),
  /** Epoch milliseconds. */
  expires_at: z.number().nullable(),
  username: z.string(),
});
export type Credential = z.output<typeof Credential>;

/** The members that identify a created pin. */
const Pin = z.object({
  board: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  link: z.string().nullable(),
});
export const PublishKey = z.discriminatedUnion("step", [
  /** Nothing that matters is uploaded yet. */
  z.object({ step: z.literal("start") }),
  /** The network has the video and is processing it. */
  z.object({ step: z.literal("video"), media_id: z.string() }),
  /** Everything is uploaded; `since` (epoch milliseconds) is before the pin. */
  z.object({ step: z.literal("ready"), media_id: z.string().nullable(), since: z.number(), pin: Pin }),
]);
export type PublishKey = z.output<typeof PublishKey>;
