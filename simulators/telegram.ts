// Telegram's Bot API for a client program: one call publishes, and nothing can be read later.
import { type Context, Hono } from "hono";
import { misbehave } from "./faults.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";
import { type Fields, type Input, isFields, readCall } from "./telegram/call.ts";
import { type Chat, Chats, getAccountName, noChat } from "./telegram/chats.ts";
import { editMessage } from "./telegram/edits.ts";
import { BotError } from "./telegram/errors.ts";
import { Files, type Kind, type SentFile } from "./telegram/files.ts";
import { ABILITIES, CHANNEL_FACTS, RIGHTS } from "./telegram/full-answers.ts";
import { type Parsed, withAutomaticLinks } from "./telegram/markup.ts";
import { buildMessageUrl, describeFile, isLink, readKeyboard, readText } from "./telegram/messages.ts";
import { readPoll, toShownPoll } from "./telegram/polls.ts";

const PLATFORM = "telegram";
// Limits of core.telegram.org/bots/api, read 2026-11-20. "Characters" are counted as UTF-16 units, as entities are.
const TEXT_MAX = 4_096;
const CAPTION_MAX = 1_024;
const ALBUM_MIN = 2;
const ALBUM_MAX = 10;
const TOKEN = /^\d{6,12}:[A-Za-z0-9_-]{35}$/;

interface Call extends Input {
  token: string;
}
interface Message {
  message_id: number;
  sender_chat: Chat;
  chat: Chat;
  date: number;
  reply_markup?: Fields | undefined;
  media_group_id?: string;
  [member: string]: unknown;
}
interface Kept {
  message: Message;
  /** The ledger's id of the post that this message belongs to. */
  post: string;
  /** The id of the bot that sent it. */
  bot: number;
}

export function createSimulator(world: World): Simulator {
  const chats = new Chats(world.state);
  const files = new Files(world);
  /** The stored messages, by chat and message id. */
  const messages = world.state.map<string, Kept>("telegram.messages");
  /** The last message id of each chat. It is never forgotten, so that an id always means one message. */
  const lastIds = world.state.map<number, number>("telegram.lastIds");
  const app = new Hono<SimulatorEnv>();

  app.all("/:bot{bot[^/]+}/:method", async (c) => {
    const name = c.req.param("method").toLowerCase();
    const input = await readCall(c).catch((error: unknown) => {
      if (error instanceof BotError) return error;
      throw error;
    });
    const chat = input instanceof BotError ? undefined : chats.find(input.fields.chat_id);
    const accounts = chat === undefined ? [] : [getAccountName(chat), String(chat.id)];
    return misbehave(world.faults.take(PLATFORM, name, accounts), c.env, () => answer(c, name, input));
  });
  app.all("*", () => refusal(new BotError(404, "Not Found")));

  async function answer(c: Context<SimulatorEnv>, name: string, input: Input | BotError): Promise<Response> {
    try {
      const token = c.req.param("bot")?.slice("bot".length) ?? "";
      // Without a token the path is wrong; a token of no bot is unauthorized.
      if (!token.includes(":")) throw new BotError(404, "Not Found");
      if (!TOKEN.test(token)) throw new BotError(401, "Unauthorized");
      if (input instanceof BotError) throw input;
      const method = methods.get(name);
      if (method === undefined) throw new BotError(404, "Not Found: method not found");
      return Response.json({ ok: true, result: await method({ ...input, token }) });
    } catch (error) {
      if (error instanceof BotError) return refusal(error);
      throw error;
    }
  }

  function bot({ token }: Call) {
    const id = Number(token.split(":")[0]);
    return { id, is_bot: true, first_name: "Crier", username: `crier_demo_${id}_bot` };
  }

  function requireChat({ fields }: Call): Chat {
    const chat = chats.find(fields.chat_id);
    if (chat === undefined) throw noChat(fields.chat_id);
    return chat;
  }

  function writable(call: Call): Chat {
    const chat = requireChat(call);
    if (chats.treats(chat) === "kicked") throw new BotError(403, "bot was kicked from the channel chat");
    if (chats.treats(chat) === "member") throw new BotError(400, "need administrator rights in the channel chat");
    return chat;
  }

  /** The messages of one call become one entry, even for an album. */
  function accept(
    chat: Chat,
    parsedText: Parsed,
    media: SentFile[],
    { fields, token }: Pick<Call, "fields" | "token">,
    { poll, ...detail }: Fields & { poll?: Fields },
  ): Message[] {
    const entities = withAutomaticLinks(parsedText);
    const first = (lastIds.get(chat.id) ?? 0) + 1;
    const count = Math.max(1, media.length);
    lastIds.set(chat.id, first + count - 1);
    const post = `${chat.id}/${Array.from({ length: count }, (_, i) => first + i).join()}`;
    const [text, textEntities] = media.length === 0 ? ["text", "entities"] : ["caption", "caption_entities"];
    const sentMessages = Array.from({ length: count }, (_, i): Message => {
      const hasText = i === 0 && parsedText.text !== "";
      return {
        message_id: first + i,
        sender_chat: chat,
        chat,
        date: Math.floor(Date.now() / 1000),
        ...(hasText && poll === undefined ? { [text]: parsedText.text } : {}),
        ...(hasText && poll === undefined && entities.length > 0 ? { [textEntities]: entities } : {}),
        ...(poll === undefined ? {} : { poll }),
        ...describeFile(media[i]),
        reply_markup: readKeyboard(fields),
        // grammY's types 5.0.0 describe no group id for documents.
        ...(count > 1 && media[0]?.kind !== "document" ? { media_group_id: String(Date.now()) } : {}),
      };
    });
    const groupId = sentMessages[0]?.media_group_id;
    for (const message of sentMessages) {
      if (groupId !== undefined) message.media_group_id = groupId;
      messages.set(`${chat.id}/${message.message_id}`, { message, post, bot: Number(token.split(":")[0]) });
    }
    world.ledger.accept({
      platform: PLATFORM,
      account: getAccountName(chat),
      id: post,
      text: parsedText.text,
      media: media.map(({ file }) => ({ ...file, alt: null })),
      token: null,
      url: buildMessageUrl(chat, first),
      detail: {
        ...detail,
        ...(poll && { poll: toShownPoll(poll) }),
        entities,
        silent: fields.disable_notification ?? false,
      },
      shown: {
        marks: entities.filter(isLink).map(({ offset, length }) => ({ start: offset, end: offset + length })),
        card: null,
      },
    });
    return sentMessages;
  }

  const single = (kind: Kind) => async (call: Call) => {
    const chat = writable(call);
    const caption = readText(call.fields, "caption", CAPTION_MAX);
    const file = await files.take(kind, call.fields[kind], call.files, kind);
    return accept(chat, caption, [file], call, { method: kind, buttons: call.fields.reply_markup ?? null })[0];
  };

  async function sendAlbum(call: Call): Promise<Message[]> {
    const chat = writable(call);
    const { media } = call.fields;
    if (!Array.isArray(media) || media.length < ALBUM_MIN || media.length > ALBUM_MAX)
      throw new BotError(400, `media group must include ${ALBUM_MIN}-${ALBUM_MAX} items`);
    const sentFiles: SentFile[] = [];
    const captions: Parsed[] = [];
    for (const item of media.map((value: unknown) => (isFields(value) ? value : {}))) {
      const [first] = media.map((value: unknown) => (isFields(value) ? value.type : null));
      const isMixed = (item.type === "document") !== (first === "document");
      if ((item.type !== "photo" && item.type !== "video" && item.type !== "document") || isMixed)
        throw new BotError(400, "can't use the media of the specified type in the album");
      captions.push(readText(item, "caption", CAPTION_MAX));
      sentFiles.push(await files.take(item.type, item.media, call.files, ""));
    }
    // Apps show a caption below the album only if it belongs to the first message.
    const [caption = { text: "", entities: [] }, ...otherCaptions] = captions;
    const hidden = otherCaptions.map(({ text }) => text).filter((text) => text !== "");
    return accept(
      chat,
      caption,
      sentFiles,
      { ...call, fields: { ...call.fields, reply_markup: undefined } },
      { album: sentFiles.length, hidden },
    );
  }

  /**
   * Sets the keyboard of a message, or removes it if the call names none. An identical keyboard is refused, which shows that
   * the message exists.
   */
  function editKeyboard(call: Call): Message {
    const storedMessage = messages.get(`${requireChat(call).id}/${String(call.fields.message_id)}`);
    if (storedMessage === undefined) throw new BotError(400, "message to edit not found");
    const keyboard = readKeyboard(call.fields);
    if (JSON.stringify(keyboard) === JSON.stringify(storedMessage.message.reply_markup)) {
      throw new BotError(
        400,
        "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
      );
    }
    storedMessage.message.reply_markup = keyboard;
    const entry = world.ledger.find(PLATFORM, storedMessage.post);
    if (entry !== undefined) entry.detail.buttons = keyboard ?? null;
    return storedMessage.message;
  }

  const edit = (part: "text" | "caption") => (call: Call) => {
    const chat = writable(call);
    if (chat.title.startsWith("noedit_")) throw new BotError(400, "message can't be edited");
    const storedMessage = messages.get(`${chat.id}/${String(call.fields.message_id)}`);
    return editMessage(storedMessage, call.fields, { part, bot: bot(call).id, ledger: world.ledger });
  };

  /** The message that was pinned last in each chat. Chats called `nopin_…` do not let the bot pin. */
  const pinned = world.state.map<number, number>("telegram.pinned");
  function pinMessage(call: Call): true {
    const chat = writable(call);
    const storedMessage = messages.get(`${chat.id}/${String(call.fields.message_id)}`);
    if (chat.title.startsWith("nopin_"))
      throw new BotError(400, "not enough rights to manage pinned messages in the chat");
    if (storedMessage === undefined) throw new BotError(400, "message to pin not found");
    pinned.set(chat.id, storedMessage.message.message_id);
    const entry = world.ledger.find(PLATFORM, storedMessage.post);
    const isNew = entry?.detail.pinned !== true;
    if (entry !== undefined) entry.detail.pinned = true;
    if (isNew) world.ledger.append(PLATFORM, storedMessage.post, "notes", "Pinned");
    return true;
  }
  function showPinned(chat: Chat): { pinned_message?: Message } {
    const storedMessage = messages.get(`${chat.id}/${pinned.get(chat.id)}`);
    return storedMessage === undefined ? {} : { pinned_message: storedMessage.message };
  }

  function deleteMessage(call: Call): true {
    const key = `${requireChat(call).id}/${String(call.fields.message_id)}`;
    const storedMessage = messages.get(key);
    if (storedMessage === undefined) throw new BotError(400, "message to delete not found");
    messages.delete(key);
    const entry = world.ledger.find(PLATFORM, storedMessage.post);
    // An album exists as long as one of its messages does.
    if (entry !== undefined && ![...messages.values()].some(({ post }) => post === storedMessage.post))
      entry.deleted = true;
    return true;
  }

  const METHODS: [string, (call: Call) => unknown][] = [
    ["getMe", (call) => ({ ...bot(call), ...ABILITIES })],
    ["getChat", (call) => ({ ...requireChat(call), ...CHANNEL_FACTS, ...showPinned(requireChat(call)) })],
    [
      "getChatMember",
      (call) => {
        const status = chats.treats(requireChat(call)) === "member" ? "member" : "administrator";
        return { status, user: bot(call), ...(status === "administrator" ? RIGHTS : {}) };
      },
    ],
    [
      "sendMessage",
      (call) => {
        const chat = writable(call);
        const text = readText(call.fields, "text", TEXT_MAX);
        if (text.text.trim() === "") throw new BotError(400, "message text is empty");
        const { link_preview_options: preview = null, reply_markup: buttons = null } = call.fields;
        return accept(chat, text, [], call, { preview, buttons })[0];
      },
    ],
    [
      "sendPoll",
      (call) => {
        const chat = writable(call);
        const description = readText(call.fields, "description", CAPTION_MAX);
        const detail = { buttons: call.fields.reply_markup ?? null, poll: readPoll(call.fields, description) };
        return accept(chat, description, [], call, detail)[0];
      },
    ],
    ["sendPhoto", single("photo")],
    ["sendVideo", single("video")],
    ["sendAnimation", single("animation")],
    ["sendDocument", single("document")],
    ["pinChatMessage", pinMessage],
    ["sendMediaGroup", sendAlbum],
    ["editMessageReplyMarkup", editKeyboard],
    ["editMessageText", edit("text")],
    ["editMessageCaption", edit("caption")],
    ["deleteMessage", deleteMessage],
  ];
  /** The network ignores the case of method names. */
  const methods = new Map(METHODS.map(([name, act]) => [name.toLowerCase(), act]));

  return {
    platform: PLATFORM,
    app,
    // A bot token never expires.
    expireToken: () => false,
    remove(id) {
      for (const [key, { post }] of messages) if (post === id) messages.delete(key);
    },
    reset(account) {
      chats.forget(account);
      if (account === undefined) files.forget();
      for (const [key, { message }] of messages)
        if ([undefined, getAccountName(message.chat), String(message.chat.id)].includes(account)) messages.delete(key);
    },
    calls: METHODS.map(([name]) => name),
    publishCalls: { default: "sendMessage", photo: "sendPhoto", video: "sendVideo", carousel: "sendMediaGroup" },
    demo: {
      handle: "@crier_demo",
      credentials: {
        bot_token: `700700700:${"CrierDemoBotTokenForTheSimulator".padEnd(35, "0")}`,
        chat_id: "@crier_demo",
      },
    },
  };
}

function refusal({ status, message }: BotError): Response {
  return Response.json({ ok: false, error_code: status, description: message }, { status });
}
