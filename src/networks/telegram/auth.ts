// Connects a chat: asks for the bot, the chat, and whether the bot may post there.
import * as z from "zod";
import type { Connected, CredentialsRefused, NetworkIO } from "../network.ts";
import { type Answer, unavailable } from "../shared/http-call.ts";
import { call, parseResult, readFailure } from "./api.ts";
import { readRejection } from "./errors.ts";
import { type Credential, connectInput } from "./rule.ts";

const Bot = z.object({ id: z.int(), username: z.string().optional() });
const Chat = z.object({
  id: z.int(),
  type: z.enum(["channel", "supergroup", "group", "private"]),
  title: z.string().optional(),
  username: z.string().optional(),
});
const Member = z.object({
  status: z.string(),
  can_post_messages: z.boolean().optional(),
  can_send_messages: z.boolean().optional(),
});

export async function connect(input: unknown, io: NetworkIO): Promise<Connected<Credential>> {
  const { bot_token, chat_id } = connectInput.parse(input);
  const token = bot_token.trim();
  const wrongToken: CredentialsRefused = {
    is: "credentials_refused",
    field: "/bot_token",
    message: "Telegram does not know this bot token.",
    hint: "Copy the token from @BotFather. A new token invalidates the old one.",
  };
  if (!/^\d{1,20}:[A-Za-z0-9_-]{10,100}$/.test(token)) return wrongToken;

  const botAnswer = await call(io, token, "getMe", {});
  const bot = parseResult(botAnswer, Bot);
  if (bot === undefined)
    return readRejection(botAnswer, io.now())?.is === "rejected" ? wrongToken : retryable(botAnswer, io);

  const where = await call(io, token, "getChat", { chat_id });
  const chat = parseResult(where, Chat);
  if (chat === undefined) {
    if (readRejection(where, io.now())?.is !== "rejected") return retryable(where, io);
    return {
      is: "credentials_refused",
      field: "/chat_id",
      message: "The bot cannot see this chat.",
      networkMessage: readFailure(where)?.description ?? "not found",
      hint: "Add the bot to the chat, and enter the chat as `@channelname` or its numeric id.",
    };
  }

  const memberAnswer = await call(io, token, "getChatMember", { chat_id: chat.id, user_id: bot.id });
  const member = parseResult(memberAnswer, Member);
  if (member === undefined && readRejection(memberAnswer, io.now())?.is !== "rejected")
    return retryable(memberAnswer, io);
  if (member === undefined || !mayPost(chat.type, member)) {
    return {
      is: "credentials_refused",
      field: "/chat_id",
      message: "The bot may not post in this chat.",
      hint:
        chat.type === "channel"
          ? "Make the bot an administrator with the right to post messages."
          : "Allow the bot to send messages.",
    };
  }
  const handle = chat.username === undefined ? (chat.title ?? String(chat.id)) : `@${chat.username}`;
  return {
    is: "connected",
    accountId: String(chat.id),
    handle,
    name: chat.title ?? null,
    avatarUrl: null,
    profileUrl: chat.username === undefined ? null : `https://t.me/${chat.username}`,
    credential: { bot_token: token, chat_id: String(chat.id), username: chat.username ?? null, type: chat.type },
    tokenExpiresAt: null,
  };
}

function mayPost(chat: z.output<typeof Chat>["type"], member: z.output<typeof Member>): boolean {
  if (chat === "channel")
    return member.status === "creator" || (member.status === "administrator" && member.can_post_messages === true);
  if (member.status === "restricted") return member.can_send_messages === true;
  return !["left", "kicked"].includes(member.status);
}

function retryable(answer: Answer, io: NetworkIO) {
  const rejection = readRejection(answer, io.now());
  return rejection?.is === "retryable" ? rejection : unavailable(answer, io.now());
}
