// Telegram's Bot API as a program sees it: one call publishes, and nothing can be asked for later.
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { imageSize } from "image-size";
import { misbehave } from "./faults.ts";
import type { LedgerMedia } from "./ledger.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";

const PLATFORM = "telegram";
// Limits of core.telegram.org/bots/api, read 2026-11-20; MB are taken as 2^20, the larger reading.
const TEXT_MAX = 4_096;
const CAPTION_MAX = 1_024;
const PHOTO_BYTES_MAX = 10 * 1024 * 1024;
const FILE_BYTES_MAX = 50 * 1024 * 1024;
const TOKEN = /^\d{6,12}:[A-Za-z0-9_-]{35}$/;

type Fields = Record<string, unknown>;
interface Upload {
  bytes: Uint8Array;
  type: string;
}
interface Chat {
  id: number;
  type: "channel";
  title: string;
  username?: string;
}
interface Message {
  message_id: number;
  chat: Chat;
  date: number;
  text?: string;
  caption?: string;
  media_group_id?: string;
}

/** A refusal in the network's own words. */
class BotError extends Error {
  readonly status: number;
  constructor(status: number, description: string) {
    super(description);
    this.status = status;
  }
}

export function createSimulator(world: World): Simulator {
  const chats = new Map<number, Chat>();
  const messages = new Map<string, Message>();
  let nextMessage = 1;
  const app = new Hono<SimulatorEnv>();

  app.all("/:bot{bot[^/]+}/:method", async (c) => {
    const token = decodeURIComponent(c.req.param("bot").slice("bot".length));
    const name = c.req.param("method").toLowerCase();
    const { fields, files } = await readCall(c);
    const chat = fields.chat_id === undefined ? undefined : findChat(fields.chat_id);
    const accounts = chat === undefined ? [] : [accountOf(chat), String(chat.id)];
    return misbehave(world.faults.take(PLATFORM, name, accounts), c.env, async () => {
      try {
        const result = await METHODS[name]?.({ token, fields, files, chat });
        if (result === undefined) throw new BotError(404, "Not Found");
        return Response.json({ ok: true, result });
      } catch (error) {
        if (!(error instanceof BotError)) throw error;
        const { status, message } = error;
        return Response.json({ ok: false, error_code: status, description: message }, { status });
      }
    });
  });

  interface Call {
    token: string;
    fields: Fields;
    files: Map<string, Upload>;
    chat: Chat | undefined;
  }

  const bot = (token: string) => {
    if (!TOKEN.test(token)) throw new BotError(401, "Unauthorized");
    const id = Number(token.split(":")[0]);
    return { id, is_bot: true, first_name: "Crier", username: `crier_demo_${id}_bot` };
  };
  const chatOf = ({ token, chat }: Call): Chat => {
    bot(token);
    if (chat === undefined) throw new BotError(400, "Bad Request: chat not found");
    return chat;
  };
  const writable = (call: Call): Chat => {
    const chat = chatOf(call);
    if (chat.username?.startsWith("noadmin_"))
      throw new BotError(400, "Bad Request: need administrator rights in the channel chat");
    if (chat.username?.startsWith("kicked_"))
      throw new BotError(403, "Forbidden: bot was kicked from the channel chat");
    return chat;
  };

  function findChat(chatId: unknown): Chat | undefined {
    const name = String(chatId);
    if (name.startsWith("@")) {
      const username = name.slice(1);
      if (!/^[A-Za-z][A-Za-z0-9_]{4,31}$/.test(username) || username.startsWith("missing_")) return undefined;
      const id = idOf(username);
      const open = !username.startsWith("private_");
      const chat: Chat = { id, type: "channel", title: username, ...(open ? { username } : {}) };
      chats.set(id, chat);
      return chat;
    }
    const id = Number(name);
    if (!/^-100\d+$/.test(name)) return undefined;
    const chat = chats.get(id) ?? { id, type: "channel", title: `Channel ${id}` };
    chats.set(id, chat);
    return chat;
  }

  /** Files of one call become one entry, an album too. */
  function accept(chat: Chat, text: string, media: LedgerMedia[], detail: Fields): Message[] {
    const group = media.length > 1 ? { media_group_id: String(Date.now()) } : {};
    const sent = Array.from({ length: Math.max(1, media.length) }, (_, i): Message => {
      const own = media.length === 0 ? { text } : i === 0 && text !== "" ? { caption: text } : {};
      return { message_id: nextMessage++, chat, date: Math.floor(Date.now() / 1000), ...own, ...group };
    });
    for (const message of sent) messages.set(`${chat.id}/${message.message_id}`, message);
    const first = sent[0]?.message_id ?? 0;
    const url =
      chat.username === undefined
        ? `https://t.me/c/${String(chat.id).slice(4)}/${first}`
        : `https://t.me/${chat.username}/${first}`;
    world.ledger.accept({
      platform: PLATFORM,
      account: accountOf(chat),
      id: `${chat.id}/${first}`,
      text,
      media,
      token: null,
      url,
      detail,
    });
    return sent;
  }

  async function file(
    source: unknown,
    files: Map<string, Upload>,
    field: string,
    bytesByUrlMax: number,
  ): Promise<Upload> {
    const name = String(source ?? "").startsWith("attach://") ? String(source).slice("attach://".length) : field;
    const upload = files.get(name);
    if (upload !== undefined) return upload;
    if (!/^https?:\/\//.test(String(source ?? "")))
      throw new BotError(400, "Bad Request: wrong file identifier/HTTP URL specified");
    const response = await fetch(String(source)).catch(() => null);
    if (!response?.ok) throw new BotError(400, "Bad Request: failed to get HTTP URL content");
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.byteLength > bytesByUrlMax) throw new BotError(400, "Bad Request: wrong type of the web page content");
    return { bytes, type: response.headers.get("content-type") ?? "application/octet-stream" };
  }

  async function photo(source: unknown, call: Call, field: string): Promise<LedgerMedia> {
    const { bytes, type } = await file(source, call.files, field, 5 * 1024 * 1024);
    if (bytes.byteLength > PHOTO_BYTES_MAX) throw new BotError(400, "Bad Request: file is too big");
    let size: { width: number; height: number };
    try {
      size = imageSize(bytes);
    } catch {
      throw new BotError(400, "Bad Request: IMAGE_PROCESS_FAILED");
    }
    const { width, height } = size;
    if (width + height > 10_000 || Math.max(width, height) / Math.min(width, height) > 20) {
      throw new BotError(400, "Bad Request: PHOTO_INVALID_DIMENSIONS");
    }
    return world.ledger.file(bytes, type, null);
  }

  async function other(source: unknown, call: Call, field: string): Promise<LedgerMedia> {
    const { bytes, type } = await file(source, call.files, field, 20 * 1024 * 1024);
    if (bytes.byteLength > FILE_BYTES_MAX) throw new BotError(413, "Request Entity Too Large");
    return world.ledger.file(bytes, type, null);
  }

  function textOf(fields: Fields, name: "text" | "caption", max: number): string {
    const text = String(fields[name] ?? "");
    checkMarkup(text, fields.parse_mode);
    if (text.length > max)
      throw new BotError(
        400,
        name === "text" ? "Bad Request: message is too long" : "Bad Request: message caption is too long",
      );
    return text;
  }

  const single = (field: "photo" | "video" | "animation") => async (call: Call) => {
    const chat = writable(call);
    const caption = textOf(call.fields, "caption", CAPTION_MAX);
    const media = await (field === "photo" ? photo : other)(call.fields[field], call, field);
    return accept(chat, caption, [media], { method: field })[0];
  };

  const METHODS: Record<string, (call: Call) => Promise<unknown> | unknown> = {
    getme: ({ token }) => bot(token),
    getchat: (call) => chatOf(call),
    getchatmember: (call) => {
      const chat = chatOf(call);
      const user = bot(call.token);
      return chat.username?.startsWith("noadmin_")
        ? { status: "member", user }
        : {
            status: "administrator",
            user,
            can_post_messages: true,
            can_edit_messages: true,
            can_delete_messages: true,
          };
    },
    sendmessage: (call) => {
      const chat = writable(call);
      const text = textOf(call.fields, "text", TEXT_MAX);
      if (text.trim() === "") throw new BotError(400, "Bad Request: message text is empty");
      return accept(chat, text, [], {
        preview: call.fields.link_preview_options ?? null,
        buttons: call.fields.reply_markup ?? null,
      })[0];
    },
    sendphoto: single("photo"),
    sendvideo: single("video"),
    sendanimation: single("animation"),
    sendmediagroup: async (call) => {
      const chat = writable(call);
      const items = call.fields.media;
      if (!Array.isArray(items) || items.length < 2 || items.length > 10)
        throw new BotError(400, "Bad Request: wrong number of items in the album");
      const media: LedgerMedia[] = [];
      let text = "";
      for (const item of items as Fields[]) {
        if (item.type !== "photo" && item.type !== "video")
          throw new BotError(400, "Bad Request: can't use the media of the specified type in the album");
        text ||= textOf(item, "caption", CAPTION_MAX);
        media.push(await (item.type === "photo" ? photo : other)(item.media, call, ""));
      }
      return accept(chat, text, media, { album: items.length });
    },
    editmessagereplymarkup: (call) => {
      const chat = chatOf(call);
      const known = messages.has(`${chat.id}/${String(call.fields.message_id)}`);
      throw new BotError(
        400,
        known ? "Bad Request: message is not modified" : "Bad Request: message to edit not found",
      );
    },
    deletemessage: (call) => {
      const id = `${chatOf(call).id}/${String(call.fields.message_id)}`;
      if (!messages.delete(id)) throw new BotError(400, "Bad Request: message to delete not found");
      const entry = world.ledger.find(PLATFORM, id);
      if (entry !== undefined) entry.deleted = true;
      return true;
    },
  };

  return {
    platform: PLATFORM,
    app,
    // A bot token never expires.
    expireToken: () => {},
    remove: (id) => void messages.delete(id),
    reset() {
      chats.clear();
      messages.clear();
    },
    demo: {
      handle: "@crier_demo",
      credentials: {
        bot_token: `700700700:${"CrierDemoBotTokenForTheSimulator".padEnd(35, "0")}`,
        chat_id: "@crier_demo",
      },
    },
  };
}

const accountOf = (chat: Chat) => (chat.username === undefined ? String(chat.id) : `@${chat.username}`);

function idOf(username: string): number {
  const digest = createHash("sha256").update(username.toLowerCase()).digest();
  return Number(`-100${1_000_000_000 + (digest.readUInt32BE(0) % 1_000_000_000)}`);
}

/** Fields of a query, a JSON body or a form; files of a form. JSON inside form fields is read as JSON. */
async function readCall(c: Context<SimulatorEnv>): Promise<{ fields: Fields; files: Map<string, Upload> }> {
  const fields: Fields = { ...c.req.query() };
  const files = new Map<string, Upload>();
  const type = c.req.header("content-type") ?? "";
  if (type.startsWith("application/json")) Object.assign(fields, await c.req.json().catch(() => ({})));
  else if (type.startsWith("multipart/") || type.startsWith("application/x-www-form-urlencoded")) {
    for (const [name, value] of await c.req.formData()) {
      if (typeof value !== "string")
        files.set(name, { bytes: new Uint8Array(await value.arrayBuffer()), type: value.type });
      else fields[name] = /^[[{]/.test(value) && name !== "text" && name !== "caption" ? JSON.parse(value) : value;
    }
  }
  return { fields, files };
}

const HTML_TAGS = /^(b|strong|i|em|u|ins|s|strike|del|tg-spoiler|a|code|pre|blockquote|span)$/;

/** Unbalanced or unknown HTML is refused; other modes are taken as they are. */
function checkMarkup(text: string, mode: unknown): void {
  if (mode !== "HTML") return;
  const open: string[] = [];
  for (const [, slash, name = ""] of text.matchAll(/<(\/?)([a-z0-9-]+)[^>]*>/gi)) {
    if (!HTML_TAGS.test(name))
      throw new BotError(400, `Bad Request: can't parse entities: Unsupported start tag "${name}"`);
    if (slash === "") open.push(name);
    else if (open.pop() !== name) throw new BotError(400, "Bad Request: can't parse entities: Unexpected end tag");
  }
  if (open.length > 0)
    throw new BotError(
      400,
      `Bad Request: can't parse entities: Can't find end tag corresponding to start tag "${open[0]}"`,
    );
}
