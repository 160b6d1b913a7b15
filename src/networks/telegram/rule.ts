// The rule of Telegram's Bot API (10.3), read 2026-11-20.
import * as z from "zod";
import { ALTERATIONS } from "../../domain/delivery/readback.ts";
import { DOCUMENT_TYPES } from "../../domain/media/types.ts";
import type { OptionProblem, PostShape } from "../../domain/posts/option-problem.ts";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { ACCESS } from "./access.ts";

export const rule: PlatformRule = {
  platform: "telegram",
  // Methods of the Bot API have no versions in their addresses: core.telegram.org/bots/api.
  api: { version: null, supported_until: null },
  // 4,096 and 1,024 after entity parsing: core.telegram.org/bots/api, sendMessage and sendPhoto, read 2026-11-20. The page
  // says characters; entity offsets count UTF-16 units, which never counts too few.
  text_limit: 4_096,
  caption_limit: 1_024,
  text_unit: "utf16",
  // 2 to 10 files make an album: core.telegram.org/bots/api, sendMediaGroup, read 2026-11-20.
  media: { images: 10, videos: 10, documents: 10, mixed: true, total: 10 },
  min_media: 0,
  image: {
    types: ["image/jpeg", "image/png", "image/gif"],
    alone: ["image/gif"],
    // 10 MB, width + height 10,000, ratio 20: core.telegram.org/bots/api, sendPhoto, read 2026-11-20. Whether a MB is 10^6 or
    // 2^20 bytes is not documented, so the smaller one is used.
    max_bytes: 10_000_000,
    max_side_sum: 10_000,
    max_ratio: 20,
  },
  // 50 MB of MPEG4: core.telegram.org/bots/api, sendVideo, read 2026-11-20.
  video: { types: ["video/mp4"], max_bytes: 50_000_000 },
  // 50 MB of any type, and 2 to 10 documents in an album without other kinds: core.telegram.org/bots/api, sendDocument and
  // sendMediaGroup, as teloxide and aiogram quote them, read 2026-11-27. These are the types that the library takes.
  document: { types: Object.keys(DOCUMENT_TYPES), max_bytes: 50_000_000 },
  post_types: ["feed", "carousel"],
  per_type: { carousel: { min_media: 2 } },
  options_max_media: { buttons: 1 },
  // core.telegram.org/bots/api, sendPhoto and sendVideo: a text message has neither.
  options_go_with: { spoiler: { media: "any" }, quiz: { poll: true } },
  // A question of 300 characters, 1 to 12 options of 100, 5 to 2,628,000 seconds, and a description of 1,024 beside it: sendPoll, as
  // in grammY's types 5.0.0 of 2026-08-26, read 2026-11-27. A poll with one option is a quiz's mistake more often than a wish, but
  // the network accepts it.
  poll: {
    max_question: 300,
    min_options: 1,
    max_options: 12,
    max_option: 100,
    min_minutes: 1,
    max_minutes: 43_800,
    text_limit: 1_024,
  },
  delivery_guarantee: "at_most_once",
  auth: "credentials",
  access: ACCESS,
  measures: false,
  takedown: true,
  // core.telegram.org/bots/api, editMessageText and editMessageCaption, as teloxide-core 0.13.0 quotes them, read 2026-11-27: no
  // method edits a poll.
  edit: { offered: true, only: { poll: false } },
  source: "https://core.telegram.org/bots/api",
  verified_at: "2026-11-20",
};

export const connectInput = z.strictObject({
  bot_token: z.string().min(1).max(200).meta({ description: "Bot token from @BotFather." }),
  chat_id: z
    .union([z.string().min(1).max(100), z.int()])
    .meta({ description: "`@channelname` or the numeric id of the chat." }),
});

export const Options = z.strictObject({
  parse_mode: z
    .enum(["none", "html", "markdown_v2"])
    .default("none")
    .meta({ description: "Markup of the text. `none`: plain text." }),
  silent: z.boolean().default(false).meta({ description: "Silent message." }),
  protect_content: z.boolean().default(false).meta({ description: "Blocks forwarding and saving." }),
  link_preview: z.enum(["auto", "off", "small", "large", "above"]).default("auto"),
  link_preview_url: z.url().max(2_000).optional(),
  caption_position: z.enum(["below", "above"]).default("below"),
  spoiler: z.boolean().default(false),
  buttons: z
    .array(z.strictObject({ text: z.string().min(1).max(64), url: z.url().max(2_000) }))
    .max(20)
    .optional()
    .meta({
      description: "Link buttons under the post. Not available for albums.",
    }),
  message_thread_id: z.int().optional(),
  pin: z.boolean().default(false).meta({
    description: "Pins the message, without a notification, once it is live. The bot needs the right to pin.",
  }),
  quiz: z
    .strictObject({
      correct: z.int().min(0).max(11).meta({ description: "Position of the correct option, from 0." }),
      explanation: z
        .string()
        .min(1)
        .max(200)
        .refine((text) => text.split("\n").length <= 3, { error: "At most two line breaks" })
        .optional()
        .meta({ description: "Shown after a wrong answer." }),
    })
    .optional()
    .meta({ description: "Makes the post's poll a quiz." }),
});
export type Options = z.output<typeof Options>;

export const Credential = z.object({
  bot_token: z.string(),
  /** Numeric, because user names change. */
  chat_id: z.string(),
  username: z.string().nullable(),
  type: z.string(),
});
export type Credential = z.output<typeof Credential>;

/**
 * The network accepts no key of ours; the buttons are kept because a recheck must repeat them. `altered`: differences between
 * the answer and the sent content, which cannot be read later.
 */
export const PublishKey = z.object({
  buttons: Options.shape.buttons,
  altered: z.array(z.enum(ALTERATIONS)).optional(),
});
export type PublishKey = z.output<typeof PublishKey>;

/** Options of pictures and videos, which Telegram ignores on a document: sendDocument has no such fields, read 2026-11-27. */
export function checkOptions({ spoiler, caption_position }: Options, { media }: PostShape): OptionProblem[] {
  if (!media.some(({ kind }) => kind === "document")) return [];
  const ignored = [...(spoiler ? ["spoiler"] : []), ...(caption_position === "above" ? ["caption_position"] : [])];
  return ignored.map((name) => ({
    path: [name],
    message: `\`${name}\` cannot be used with a document on ${rule.platform}.`,
  }));
}
