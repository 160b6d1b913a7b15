// Edits of a message's text or caption: editMessageText and editMessageCaption of core.telegram.org/bots/api, as teloxide-core 0.13.0
// quotes them; the refusals as open-source bots read them, 2026-11-27. Chats called `noedit_…` do not let the bot edit.
import type { Ledger } from "../ledger.ts";
import type { Fields } from "./call.ts";
import { BotError } from "./errors.ts";
import { withAutomaticLinks } from "./markup.ts";
import { isLink, readKeyboard, readText } from "./messages.ts";

const LIMITS = { text: 4_096, caption: 1_024 };

/** The parts of a stored message that an edit reads and changes. */
export interface EditedMessage<Message extends Fields> {
  message: Message;
  post: string;
  /** The id of the bot that sent it. */
  bot: number;
}

/** Replaces the text or the caption of a message and its keyboard. A message that stays as it is is refused. */
export function editMessage<Message extends Fields>(
  storedMessage: EditedMessage<Message> | undefined,
  fields: Fields,
  { part, bot, ledger }: { part: "text" | "caption"; bot: number; ledger: Ledger },
): Message {
  if (storedMessage === undefined) throw new BotError(400, "message to edit not found");
  const { message, post } = storedMessage;
  if (storedMessage.bot !== bot) throw new BotError(400, "message can't be edited");
  const hasFile = ["photo", "video", "animation", "document", "audio"].some((kind) => message[kind] !== undefined);
  if (message.poll !== undefined || hasFile !== (part === "caption"))
    throw new BotError(400, `there is no ${part} in the message to edit`);
  const parsed = readText(fields, part, LIMITS[part]);
  if (part === "text" && parsed.text.trim() === "") throw new BotError(400, "message text is empty");
  const entities = withAutomaticLinks(parsed);
  const names = part === "text" ? (["text", "entities"] as const) : (["caption", "caption_entities"] as const);
  const changed = {
    [names[0]]: parsed.text === "" ? undefined : parsed.text,
    [names[1]]: entities.length === 0 ? undefined : entities,
    reply_markup: readKeyboard(fields),
  };
  if (Object.entries(changed).every(([name, value]) => JSON.stringify(message[name]) === JSON.stringify(value)))
    throw new BotError(
      400,
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  Object.assign(message, changed, { edit_date: Math.floor(Date.now() / 1000) });
  const marks = entities.filter(isLink).map(({ offset, length }) => ({ start: offset, end: offset + length }));
  ledger.edit("telegram", post, parsed.text, marks, { entities, buttons: changed.reply_markup ?? null });
  return message;
}
