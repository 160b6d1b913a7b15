// Pins a sent message: pinChatMessage and getChat, core.telegram.org/bots/api. A bot needs the right to pin messages in a group, and
// the right to edit them in a channel (from memory). Pinning the same message again changes nothing.
import * as z from "zod";
import type { AdditionsOf } from "../network.ts";
import { unknown } from "../shared/http-call.ts";
import { call, parseResult } from "./api.ts";
import { readRejection } from "./errors.ts";
import { parseMessages } from "./publish.ts";
import type { Credential, PublishKey } from "./rule.ts";

/** The message that was pinned last. */
const Pinned = z.object({ pinned_message: z.object({ message_id: z.int() }).optional() });

export const additions: AdditionsOf<Credential, PublishKey> = {
  pin: {
    async add({ id }, _wish, { credential, io }) {
      const {
        chat_id,
        messages: [message_id],
      } = parseMessages(id);
      // The members were already notified of the message itself.
      const fields = { chat_id, message_id, disable_notification: true };
      const answer = await call(io, credential.bot_token, "pinChatMessage", fields);
      if (parseResult(answer, z.literal(true)) === true) return { is: "added" };
      return readRejection(answer, io.now()) ?? unknown(answer, io.now());
    },
    async isThere({ id }, _wish, { credential, io }) {
      const {
        chat_id,
        messages: [message_id],
      } = parseMessages(id);
      const answer = await call(io, credential.bot_token, "getChat", { chat_id });
      const chat = parseResult(answer, Pinned);
      if (chat === undefined) return readRejection(answer, io.now()) ?? unknown(answer, io.now());
      return chat.pinned_message?.message_id === message_id
        ? { is: "added" }
        : { is: "not_found", detail: "the chat shows another pinned message, or none" };
    },
  },
};
