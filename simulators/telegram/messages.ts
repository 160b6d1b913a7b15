// Parts of messages: texts, keyboards, files and addresses.
import { type Fields, isFields } from "./call.ts";
import type { Chat } from "./chats.ts";
import { BotError } from "./errors.ts";
import type { SentFile } from "./files.ts";
import { type Entity, type Parsed, parseText } from "./markup.ts";

/** The text of a call as people will read it; its length is counted without the markup. */
export function readText(fields: Fields, name: "text" | "caption" | "description", max: number): Parsed {
  const markup = fields[name] ?? "";
  if (typeof markup !== "string") throw new BotError(400, `can't parse ${name}`);
  const parsed = parseText(markup, name === "description" ? fields.description_parse_mode : fields.parse_mode);
  if (parsed.text.length > max)
    throw new BotError(400, name === "text" ? "message is too long" : `message ${name} is too long`);
  return parsed;
}

/** The keyboard that a call names; a keyboard without rows counts as absent. */
export function readKeyboard({ reply_markup: keyboard }: Fields): Fields | undefined {
  if (!isFields(keyboard) || !Array.isArray(keyboard.inline_keyboard)) return undefined;
  return keyboard.inline_keyboard.length === 0 ? undefined : { inline_keyboard: keyboard.inline_keyboard };
}

/** The member of a message that describes its file. */
export function describeFile(sentFile: SentFile | undefined): Fields {
  if (sentFile === undefined) return {};
  const { kind, file, width, height, fileId } = sentFile;
  const common = { file_id: fileId, file_unique_id: file.sha256.slice(0, 16), width, height, file_size: file.bytes };
  if (kind === "photo") return { photo: [common] };
  const shape = { ...common, duration: 0, mime_type: file.type };
  // An animation is always a document as well: core.telegram.org/bots/api#message, read 2026-11-20.
  const { width: _width, height: _height, duration: _duration, ...document } = shape;
  if (kind === "document") return { document };
  return { [kind]: shape, ...(kind === "animation" ? { document } : {}) };
}

export function buildMessageUrl({ id, username }: Chat, messageId: number): string {
  return username === undefined
    ? `https://t.me/c/${String(id).slice("-100".length)}/${messageId}`
    : `https://t.me/${username}/${messageId}`;
}

export const isLink = ({ type }: Entity) => ["url", "text_link", "mention", "hashtag"].includes(type);
