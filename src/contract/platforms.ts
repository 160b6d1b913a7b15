import * as z from "zod";
import { RECHECKS } from "../domain/delivery/recheck.ts";
import { CHUNKED_VIDEO_BYTES_MAX, IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from "../domain/limits.ts";
import {
  FILE_SCOPES,
  GUARANTEES,
  POST_TYPES,
  TEXT_PARTS,
  TEXT_UNITS,
  TEXT_WEIGHTINGS,
} from "../domain/posts/platform-rule.ts";
import { CaptionsRule, FileLimits, FileRule, int, MediaCounts } from "./file-rules.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about } from "./shapes.ts";

const PostTypeRule = z
  .object({
    text_limit: int("Maximum text length. 0: this type has no text."),
    min_media: int(),
    media: MediaCounts.optional(),
    image: FileLimits.optional(),
    video: FileLimits.optional(),
    document: FileLimits.optional(),
    required_options: z.array(z.string()).optional(),
  })
  .meta({ id: "PostTypeRule" });

const AccessRule = z
  .object({
    app: z
      .object({
        kind: z.string().meta(about("The app's type and products.")),
        page: z.string().meta(about("The page where the app is registered.")),
        callback: z
          .string()
          .meta(about("The last part of the redirect address: `BASE_URL/v1/channels/callback/<callback>`.")),
        redirect: z.string().meta(about("The network's requirements for the redirect address.")),
        permissions: z
          .record(z.string(), z.string())
          .meta(about("Permissions that publishing needs, each with its purpose.")),
      })
      .nullable()
      .meta(about("The app to register. Null if the account's own credentials are enough.")),
    account: z.string().meta(about("Requirements for the account.")),
    review: z.string().meta(about("The network's review or audit, and the features that work before it.")),
    limits: z.string().meta(about("Limits of the app and the account.")),
    problems: z
      .record(
        z.string(),
        z.object({
          missing: z.string(),
          sign: z.string().meta(about("How to recognize the problem.")),
          fix: z.string(),
        }),
      )
      .meta(about("Requirements that may be missing, keyed by a short name.")),
  })
  .meta({ id: "AccessRule" });

const PlatformRule = z
  .object({
    platform: z.string(),
    publishes: z
      .enum(["live", "sandbox", "not_configured"])
      .meta(
        about(
          "`sandbox`: posts go to a simulator of the network. `not_configured`: this deployment has no app on the network.",
        ),
      ),
    api: z
      .object({
        version: z.string().nullable().meta(about("The version sent with calls. Null if calls send none.")),
        supported_until: z.iso
          .date()
          .nullable()
          .meta(about("First day on which the network may reject the version. Null if it has not announced one.")),
        setting: z
          .string()
          .nullable()
          .meta(about("The setting with which the operator chooses another version. Null if there is none.")),
      })
      .meta(about("The version of the network's API.")),
    text_limit: z.int().meta(about("Maximum text length, in `text_unit`.")),
    caption_limit: z.int().meta(about("Maximum text length once a file is attached, in `text_unit`.")),
    text_unit: z.enum(TEXT_UNITS).meta(about("The unit in which the network counts text.")),
    text_weighting: z
      .enum(TEXT_WEIGHTINGS)
      .optional()
      .meta(
        about(
          "How a text is counted. `twitter_text_v3`: as in the public twitter-text library, each link 23, other " +
            "scripts and each emoji 2. `emoji_utf8`: each emoji its UTF-8 bytes, every other character 1. `mention_names`: in " +
            "`text_unit`, a mention `@[Name](urn:li:organization:1)` as its name.",
        ),
      ),
    tiers: z
      .record(
        z.string(),
        z.object({
          text_limit: z.int(),
          caption_limit: z.int(),
          takedown: z.boolean().optional().meta(about("Whether a live post can be taken down, if it differs.")),
          only_options: z.array(z.string()).optional().meta(about("Options that accounts of other tiers do not have.")),
        }),
      )
      .optional()
      .meta(about("What differs for each tier of accounts, by a channel's `tier`. Absent if all accounts are alike.")),
    connect_ways: z
      .array(
        z.object({
          via: z.string().nullable().meta(about("The `via` of `POST /v1/channels/connect`; null for the usual way.")),
          name: z.string(),
          site: z.string().meta(about("Where the owner of the account consents.")),
          purpose: z.string().meta(about("Whom the way is for.")),
          tier: z.string().meta(about("The `tier` of channels that are connected like this.")),
          available: z.boolean().meta(about("Whether this deployment has an app for it.")),
        }),
      )
      .optional()
      .meta(about("The ways to connect an account by a link. Absent if there is only one.")),
    long_text: z
      .object({ option: z.string(), limit: z.int().meta(about("Maximum length, in `text_unit`.")) })
      .optional()
      .meta(about("The option whose text replaces the post's text and may be longer. Absent if there is none.")),
    text_max_bytes: int("A second limit on the text, in UTF-8 bytes."),
    text_parts: z
      .partialRecord(z.enum(TEXT_PARTS), z.int())
      .optional()
      .meta(about("Maximum number of each in a text. A repeated link counts once.")),
    text_lookup: z
      .literal("mention")
      .optional()
      .meta(about("A list of values to insert into a text: `GET /v1/channels/:id/options/mention?q=`.")),
    text_without: z.array(z.string()).optional().meta(about("Characters that a text may not contain.")),
    media: MediaCounts,
    min_media: z.int().meta(about("Minimum number of files in a post.")),
    image: FileRule.nullable().meta(about("Null if the network accepts no images.")),
    video: FileRule.nullable().meta(about("Null if the network accepts no videos.")),
    document: FileRule.optional().meta(about("Absent if the network accepts no documents.")),
    captions: CaptionsRule.optional().meta(
      about("Rule for the files in the option `captions`. Absent if the network accepts none."),
    ),
    thumbnail: FileRule.optional().meta(
      about("Rule for the image of a video, in the option `thumbnail_option`. Absent if the network accepts none."),
    ),
    thumbnail_option: z
      .literal("cover_media")
      .optional()
      .meta(about("The option that names the image of a video. Absent: `thumbnail_media`.")),
    post_types: z.array(z.enum(POST_TYPES)).meta(about("Allowed values of `post_type` on this network.")),
    per_type: z.partialRecord(z.enum(POST_TYPES), PostTypeRule).meta(about("Limits that differ for one post type.")),
    options: z.unknown().meta(about("JSON Schema of the network's own override fields.")),
    options_max_media: z
      .record(z.string(), z.int())
      .optional()
      .meta(about("Options with the maximum number of files each allows.")),
    options_go_with: z
      .record(
        z.string(),
        z.object({
          post_types: z.array(z.enum(POST_TYPES)).optional().meta(about("Post types that allow the option.")),
          media: z.enum(FILE_SCOPES).optional().meta(about("The option needs files, all of this kind.")),
          poll: z.boolean().optional().meta(about("Whether the option needs a poll, or allows none.")),
        }),
      )
      .optional()
      .meta(about("Options that only some posts allow. Other posts are rejected with `invalid_option`.")),
    delivery_guarantee: z
      .enum(GUARANTEES)
      .meta(
        about("Handling of a lost response from the network: never published twice, looked up, or sent once and left."),
      ),
    auth: z
      .enum(["credentials", "oauth"])
      .meta(
        about(
          "`credentials`: sent with the call. `oauth`: the account's owner consents, see `POST /v1/channels/connect`.",
        ),
      ),
    consent: z
      .object({ handle: z.boolean().meta(about("Whether the consent needs the account's handle first.")) })
      .optional()
      .meta(
        about(
          "Whether the account's owner can connect it by `POST /v1/channels/connect`. Absent: not on this deployment.",
        ),
      ),
    permissions: z
      .object({
        asked: z.array(z.string()).meta(about("Permissions requested by default. The operator can change them.")),
        sufficient: z
          .array(z.array(z.string()))
          .meta(about("Sets of permissions, each of which is enough to publish.")),
        optional: z
          .record(z.string(), z.string())
          .meta(about("Permissions that publishing does not need, each with the feature lost without it.")),
      })
      .optional()
      .meta(about("Permissions that the account's owner grants, under the network's own names (OAuth scopes).")),
    access: AccessRule.meta(about("Requirements for the app and the account before the first post can be live.")),
    credentials: z.unknown().meta(about("JSON Schema of `credentials` when connecting.")),
    measures: z.boolean().meta(about("Whether the network reports figures of a post.")),
    first_comment: z
      .boolean()
      .meta(about("Whether the network has the option `first_comment`: a comment under the live post.")),
    takedown: z
      .boolean()
      .meta(about("Whether a live post can be taken down: `DELETE /v1/posts/:id/deliveries/:channel`.")),
    edit: z
      .object({
        offered: z.boolean(),
        only: z
          .object({
            post_types: z.array(z.enum(POST_TYPES)).optional(),
            poll: z.boolean().optional().meta(about("Whether the post needs a poll, or may have none.")),
          })
          .optional()
          .meta(about("The posts whose text can be edited, if not all.")),
        reason: z.string().optional().meta(about("Why it is not offered.")),
      })
      .meta(about("Whether a live text can be edited: `PATCH /v1/posts/:id/deliveries/:channel`.")),
    thread: z
      .object({ max_parts: z.int().meta(about("Maximum number of further parts in a post.")) })
      .optional()
      .meta(about("Absent if the network has no threads.")),
    poll: z
      .object({
        max_question: z
          .int()
          .meta(about("Characters. 0: its polls have no question, which becomes the last paragraph of the text.")),
        min_options: z.int(),
        max_options: z.int(),
        max_option: z.int().meta(about("Characters of an option.")),
        min_minutes: z.int(),
        max_minutes: z.int(),
        minutes: z.array(z.int()).optional().meta(about("The only durations, if not all are possible.")),
        text_limit: int("Maximum length of the text beside a poll, if it differs."),
      })
      .optional()
      .meta(about("Absent if the network has no polls.")),
    app_posts_per_day: z
      .object({ limit: z.int(), timezone: z.string().meta(about("Time zone whose midnight starts the day.")) })
      .optional()
      .meta(
        about("Maximum posts a day from this deployment's app, over all channels, unless the network grants more."),
      ),
    refuses_repeats: z
      .boolean()
      .optional()
      .meta(about("Whether the network rejects a text that the account has just posted, in threads too.")),
    price_usd: z
      .object({
        post: z.number(),
        post_with_link: z.number(),
        alt_text: z.number().meta(about("For each file with alt text, or with one of `file_options`.")),
        read: z.number(),
        file_options: z.array(z.string()).optional().meta(about("Options that describe every file.")),
        entries: z.record(z.string(), z.number()).optional().meta(about("For each entry of an option.")),
      })
      .optional()
      .meta(
        about("The network's charges to the owner of the app. `read`: for each recheck of a post, once per UTC day."),
      ),
    rechecks: z
      .enum(RECHECKS)
      .optional()
      .meta(
        about(
          "`light`: live posts are rechecked after 10 minutes, 1 and 7 days, because each recheck costs. Absent: eight times in 30 days.",
        ),
      ),
    source: z.string().meta(about("The network's page that states the rules.")),
    verified_at: z.string().meta(about("Date of the last comparison with the source.")),
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
        edit: { offered: false, reason: "The API has no call for it." },
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
  summary: "List the networks' rules",
  description: "Posts are validated against exactly these numbers.",
  result: z.object({
    platforms: z.array(PlatformRule),
    request_only: z
      .array(z.string())
      .meta({ description: "Platforms that are not supported yet and can only be requested.", examples: [["reddit"]] }),
    upload: z
      .object({
        available: z.boolean(),
        max_image_bytes: z.int(),
        max_video_bytes: z.int(),
        max_chunked_video_bytes: z.int().meta(about("The largest video that can be uploaded in chunks.")),
      })
      .meta({
        examples: [
          {
            available: true,
            max_image_bytes: IMAGE_BYTES_MAX,
            max_video_bytes: VIDEO_BYTES_MAX,
            max_chunked_video_bytes: CHUNKED_VIDEO_BYTES_MAX,
          },
        ],
      }),
  }),
  success: { 200: "The rules of every network." },
  refusals: [],
});
