// editMessageText, and editMessageCaption for a message with files: core.telegram.org/bots/api, as teloxide-core 0.13.0 quotes it, read
// 2026-11-27. The limit of 48 hours is for messages of business accounts that the bot did not send. An edit without a keyboard
// removes the keyboard, so both calls repeat it. A poll has neither a text nor a caption.
import * as z from "zod";
import type { Edited } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext, Published, TextEdit } from "../network.ts";
import { unknown } from "../shared/http-call.ts";
import { call, parseResult, readFailure } from "./api.ts";
import { readRejection } from "./errors.ts";
import { alteredText, keyboard, linkPreview, PARSE_MODES, parseMessages } from "./publish.ts";
import type { Credential, Options, PublishKey } from "./rule.ts";

const Message = z.object({ message_id: z.int() });

/** The caption of an album is that of its first message. */
export async function editText(
  { id, publishKey }: Published<PublishKey>,
  edit: TextEdit<Options>,
  { credential, io }: ConnectorContext<Credential>,
): Promise<Edited> {
  if (publishKey === null)
    return { is: "rejected", error: "content_refused", detail: "the buttons of the message are not known" };
  const { chat_id, messages } = parseMessages(id);
  const { text, files, options } = edit;
  const isCaption = files > 0;
  const fields = {
    chat_id,
    message_id: messages[0],
    [isCaption ? "caption" : "text"]: text,
    parse_mode: PARSE_MODES[options.parse_mode],
    ...(isCaption
      ? { show_caption_above_media: options.caption_position === "above" || undefined }
      : { link_preview_options: linkPreview(options) }),
    reply_markup: keyboard(publishKey.buttons),
  };
  const method = isCaption ? "editMessageCaption" : "editMessageText";
  const answer = await call(io, credential.bot_token, method, fields);
  const { altered: _, ...key } = publishKey;
  if (parseResult(answer, Message) !== undefined) {
    const altered = alteredText(answer, { text, options, files: Math.min(files, 1) });
    return { is: "edited", publishKey: altered === undefined ? key : { ...key, altered } };
  }
  const description = readFailure(answer)?.description.toLowerCase() ?? "";
  // The message has this text already, so nothing of it differs.
  if (description.includes("message is not modified")) return { is: "edited", publishKey: { ...key, altered: [] } };
  if (description.includes("message to edit not found") || description.includes("message_id_invalid"))
    return { is: "missing", detail: "Telegram does not know this message." };
  return readRejection(answer, io.now()) ?? unknown(answer, io.now());
}
