// What a connect link asks for, because Telegram has no consent that covers a chat.
import * as z from "zod";
import type { LinkForm } from "../network.ts";
import { call, parseResult } from "./api.ts";

const Bot = z.object({ username: z.string() });

export const linkForm: LinkForm = {
  fields: [
    {
      name: "bot_token",
      label: "Bot token",
      hint: "@BotFather sends it when you create a bot with /newbot.",
      isSecret: true,
    },
    {
      name: "chat_id",
      label: "Channel or group",
      hint: "Its @name, or its numeric id if it is private.",
      isSecret: false,
    },
  ],
  steps: (publisher) => [
    publisher === null
      ? "Create a bot with @BotFather."
      : `Open your channel or group in Telegram. Posts will come from the bot ${publisher}.`,
    `Add ${publisher ?? "the bot"} to it. In a channel, make it an administrator that may post messages.`,
    "Enter the channel or group below.",
  ],
  /** The name of the bot whose token was given with the link. */
  async findPublisher({ bot_token: token }, io) {
    if (token === undefined) return null;
    const bot = parseResult(await call(io, token.trim(), "getMe", {}), Bot);
    return bot === undefined ? null : `@${bot.username}`;
  },
};
