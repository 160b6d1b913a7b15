import * as z from "zod";
import { RECHECKS } from "../domain/delivery/verification.ts";
import { IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from "../domain/limits.ts";
import {
  FILE_SCOPES,
  GUARANTEES,
  POST_TYPES,
  TEXT_PARTS,
  TEXT_UNITS,
  TEXT_WEIGHTINGS,
} from "../domain/posts/platform-rule.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about } from "./shapes.ts";

const MediaCounts = z
  .object({
    images: z.int().meta(about("At most so many images.")),
    videos: z.int().meta(about("At most so many videos.")),
    mixed: z.boolean().meta(about("Whether images and videos may be in one post.")),
    total: z.int().optional().meta(about("At most so many files, where both may be mixed.")),
  })
  .meta({ id: "MediaCounts" });
const int = (description?: string) =>
  z
    .int()
    .optional()
    .meta(description === undefined ? {} : about(description));
const number = (description?: string) =>
  z
    .number()
    .optional()
    .meta(description === undefined ? {} : about(description));

const FileLimits = z
  .object({
    min_bytes: int(),
    max_bytes: int(),
    min_width: int(),
    min_height: int(),
    max_width: int(),
    min_side: int("Pixels of the shorter side."),
    max_side: int("Pixels of the longer side."),
    max_short_side: int("Pixels of the shorter side."),
    max_side_sum: int("Pixels of width plus height."),
    max_pixels: int("Width times height."),
    min_aspect: number("Width divided by height."),
    max_aspect: number("Width divided by height."),
    min_sure_aspect: number("Width divided by height; below it the network may refuse the file, which is a warning."),
    max_ratio: number("Longer side divided by shorter side."),
    max_alt: int("Characters of alt text; absent or 0 when the network takes none."),
    min_seconds: number(),
    max_seconds: number(),
  })
  .meta({ id: "FileLimits" });
const FileRule = FileLimits.extend({
  types: z.array(z.string()).meta(about("Content types that the network takes.")),
  alone: z.array(z.string()).optional().meta(about("Content types that go out only as the one file of a post.")),
  max_bytes: z.int(),
  per_format: z.record(z.string(), FileLimits).optional().meta(about("Limits that differ for one content type.")),
}).meta({ id: "FileRule" });
const PostTypeRule = z
  .object({
    text_limit: int("0: this type carries no text."),
    min_media: int(),
    media: MediaCounts.optional(),
    image: FileLimits.optional(),
    video: FileLimits.optional(),
    required_options: z.array(z.string()).optional(),
  })
  .meta({ id: "PostTypeRule" });

const AccessRule = z
  .object({
    app: z
      .object({
        kind: z.string().meta(about("Its type and products.")),
        page: z.string().meta(about("Where it is registered.")),
        callback: z
          .string()
          .meta(about("What the redirect address ends in: `BASE_URL/v1/channels/callback/<callback>`.")),
        redirect: z.string().meta(about("What the network asks of the redirect address.")),
        permissions: z
          .record(z.string(), z.string())
          .meta(about("Permissions that publishing needs, each with what it is for.")),
      })
      .nullable()
      .meta(about("`null`: the account's own credentials are enough.")),
    account: z.string().meta(about("What the account must be.")),
    review: z.string().meta(about("Which review or audit there is, and what works before it.")),
    limits: z.string().meta(about("Limits of the app and the account.")),
    problems: z
      .record(
        z.string(),
        z.object({
          missing: z.string(),
          sign: z.string().meta(about("By what it is recognised.")),
          fix: z.string(),
        }),
      )
      .meta(about("What may be missing, by a short name.")),
  })
  .meta({ id: "AccessRule" });

const PlatformRule = z
  .object({
    platform: z.string(),
    publishes: z
      .enum(["live", "sandbox", "not_configured"])
      .meta(about("`sandbox`: to a simulator of the network; `not_configured`: this deployment has no app there.")),
    api: z
      .object({
        version: z.string().nullable().meta(about("The version that calls name; null: they name none.")),
        supported_until: z.iso
          .date()
          .nullable()
          .meta(about("From this day on the network may refuse the version; null: it has named no day.")),
        setting: z
          .string()
          .nullable()
          .meta(about("With which setting the operator names another version; null: there is none.")),
      })
      .meta(about("The version of the network's API.")),
    text_limit: z.int().meta(about("In `text_unit`.")),
    caption_limit: z.int().meta(about("In `text_unit`; applies once a file is attached.")),
    text_unit: z.enum(TEXT_UNITS).meta(about("What the network counts.")),
    text_weighting: z
      .enum(TEXT_WEIGHTINGS)
      .optional()
      .meta(
        about(
          "How a `weighted` text counts. `twitter_text_v3`: as the public twitter-text library does, each link 23, other " +
            "scripts and each emoji 2. `emoji_utf8`: each emoji its UTF-8 bytes, every other character 1.",
        ),
      ),
    text_max_bytes: int("A second limit, in UTF-8 bytes."),
    text_parts: z
      .partialRecord(z.enum(TEXT_PARTS), z.int())
      .optional()
      .meta(about("How many of each a text may hold; the same link twice counts once.")),
    text_without: z.array(z.string()).optional().meta(about("Characters that a text may not hold.")),
    media: MediaCounts,
    min_media: z.int().meta(about("Files that a post needs at least.")),
    image: FileRule.nullable().meta(about("null: the network takes none.")),
    video: FileRule.nullable().meta(about("null: the network takes none.")),
    thumbnail: FileRule.optional().meta(
      about("The image that `thumbnail_media` names; absent: the network takes none."),
    ),
    post_types: z.array(z.enum(POST_TYPES)).meta(about("What `post_type` may be on this network.")),
    per_type: z.partialRecord(z.enum(POST_TYPES), PostTypeRule).meta(about("What differs for one post type.")),
    options: z.unknown().meta(about("JSON Schema of the network's own fields in an override.")),
    options_max_media: z
      .record(z.string(), z.int())
      .optional()
      .meta(about("Options that go with so many files at most.")),
    options_go_with: z
      .record(
        z.string(),
        z.object({
          post_types: z.array(z.enum(POST_TYPES)).optional().meta(about("Only with these types.")),
          media: z.enum(FILE_SCOPES).optional().meta(about("Only with files, all of this kind.")),
        }),
      )
      .optional()
      .meta(about("Options that go with some posts only; `invalid_option` with others.")),
    delivery_guarantee: z
      .enum(GUARANTEES)
      .meta(about("What happens when the network's answer is lost: never twice, looked for, or sent once and left.")),
    auth: z
      .enum(["credentials", "oauth"])
      .meta(
        about(
          "`credentials`: send them with the call; `oauth`: the account's owner consents, see `POST /v1/channels/connect`.",
        ),
      ),
    permissions: z
      .object({
        asked: z.array(z.string()).meta(about("What consent asks for, unless the operator's setting says otherwise.")),
        sufficient: z.array(z.array(z.string())).meta(about("Sets of permissions. Each of them is enough to publish.")),
        optional: z
          .record(z.string(), z.string())
          .meta(about("Permissions that publishing does not need, each with what is lost without it.")),
      })
      .optional()
      .meta(about("What the account's owner consents to, under the network's own names (OAuth scopes).")),
    access: AccessRule.meta(about("What an app and an account must have before the first post is live.")),
    credentials: z.unknown().meta(about("JSON Schema of `credentials` when connecting.")),
    measures: z.boolean().meta(about("Whether the network reports figures of a post.")),
    first_comment: z
      .boolean()
      .meta(about("Whether `first_comment` is among its options: a comment under the live post.")),
    takedown: z
      .boolean()
      .meta(about("Whether a live post can be taken down: `DELETE /v1/posts/:id/deliveries/:channel`.")),
    thread: z
      .object({ max_parts: z.int().meta(about("How many further parts a post may have.")) })
      .optional()
      .meta(about("Absent: the network takes no thread.")),
    app_posts_per_day: z
      .object({ limit: z.int(), timezone: z.string().meta(about("The day begins at its midnight.")) })
      .optional()
      .meta(
        about(
          "What the network takes from this deployment's app in a day, all channels together, unless it grants more.",
        ),
      ),
    refuses_repeats: z
      .boolean()
      .optional()
      .meta(about("Whether it refuses a text that the account has just posted, in a thread too.")),
    price_usd: z
      .object({ post: z.number(), post_with_link: z.number(), alt_text: z.number(), read: z.number() })
      .optional()
      .meta(
        about("What the network charges the owner of the app. `read`: for each look at a post, once in a UTC day."),
      ),
    rechecks: z
      .enum(RECHECKS)
      .optional()
      .meta(
        about(
          "`light`: what is live is looked at after 10 minutes, 1 and 7 days, because each look costs. Absent: eight times in 30 days.",
        ),
      ),
    source: z.string().meta(about("Where the network says so.")),
    verified_at: z.string().meta(about("Date on which the numbers were last compared with the source.")),
  })
  .meta({
    id: "PlatformRule",
    examples: [
      {
        platform: SAMPLE.platform,
        publishes: "live",
        api: { version: "v1", supported_until: null, setting: null },
        text_limit: 300,
        caption_limit: 300,
        text_unit: "graphemes",
        media: { images: 4, videos: 1, mixed: false },
        min_media: 0,
        image: { types: ["image/jpeg", "image/png"], max_bytes: 2_000_000, max_alt: 2_000 },
        video: { types: ["video/mp4"], max_bytes: 100_000_000, max_seconds: 180 },
        post_types: ["feed"],
        per_type: {},
        options: { type: "object", properties: { link: { type: "string", format: "uri" } } },
        delivery_guarantee: "exactly_once",
        auth: "credentials",
        access: {
          app: null,
          account: "Any account, with a token that may post.",
          review: "None. Posts are public at once.",
          limits: "60 posts an hour.",
          problems: {
            token: { missing: "The token", sign: "Connecting is refused.", fix: "Make a new token in the settings." },
          },
        },
        credentials: { type: "object", required: ["access_token"], properties: { access_token: { type: "string" } } },
        measures: false,
        first_comment: false,
        takedown: true,
        thread: { max_parts: 24 },
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
    request_only: z
      .array(z.string())
      .meta({ description: "Platforms that can only be asked for.", examples: [["reddit"]] }),
    upload: z
      .object({ available: z.boolean(), max_image_bytes: z.int(), max_video_bytes: z.int() })
      .meta({ examples: [{ available: true, max_image_bytes: IMAGE_BYTES_MAX, max_video_bytes: VIDEO_BYTES_MAX }] }),
  }),
  success: { 200: "The rules." },
  refusals: [],
});
