// Channels that come into existence when a call names them. The prefix of a name determines how the channel treats the bot.
import { createHash } from "node:crypto";
import type { State } from "../state.ts";
import { BotError } from "./errors.ts";

export interface Chat {
  id: number;
  type: "channel";
  title: string;
  username?: string;
}

export class Chats {
  readonly #seen: Map<number, Chat>;
  /** Names other than the chat's own: a private channel can be found by one, but does not show it. */
  readonly #names: Map<number, string>;

  constructor(state: State) {
    this.#seen = state.map("telegram.chats");
    this.#names = state.map("telegram.names");
  }

  /** The chat of an `@username` or a numeric id; undefined if it does not exist. */
  find(chatId: unknown): Chat | undefined {
    const name = String(chatId);
    if (name.startsWith("@")) return this.#byName(name.slice(1));
    const id = Number(name);
    // At most 12 digits keep the id exact.
    if (!/^-100\d{1,12}$/.test(name)) return undefined;
    return this.#remember(this.#seen.get(id) ?? { id, type: "channel", title: `Channel ${id}` });
  }

  /** `kicked_…` removes the bot after it was admitted, so that only sends fail; in `noadmin_…` it is a plain member. */
  treats(chat: Chat): "admin" | "member" | "kicked" {
    const name = this.#names.get(chat.id) ?? "";
    return name.startsWith("kicked_") ? "kicked" : name.startsWith("noadmin_") ? "member" : "admin";
  }

  forget(account?: string): void {
    if (account === undefined) {
      this.#seen.clear();
      this.#names.clear();
      return;
    }
    for (const [id, chat] of this.#seen)
      if (getAccountName(chat) === account || String(id) === account) this.#seen.delete(id);
  }

  #byName(username: string): Chat | undefined {
    // 5 to 32 characters, a letter first: the apps' rule for public names; no page of the Bot API states one.
    if (!/^[A-Za-z][A-Za-z0-9_]{4,31}$/.test(username) || username.startsWith("missing_")) return undefined;
    const digest = createHash("sha256").update(username.toLowerCase()).digest();
    const id = Number(`-100${1_000_000_000 + (digest.readUInt32BE(0) % 1_000_000_000)}`);
    const open = !username.startsWith("private_");
    this.#names.set(id, username);
    return this.#remember({ id, type: "channel", title: username, ...(open ? { username } : {}) });
  }

  #remember(chat: Chat): Chat {
    this.#seen.set(chat.id, chat);
    return chat;
  }
}

/** The ledger's name of a chat. */
export function getAccountName(chat: Chat): string {
  return chat.username === undefined ? String(chat.id) : `@${chat.username}`;
}

/** The refusal of an unknown chat id. */
export function noChat(chatId: unknown): BotError {
  const name = String(chatId ?? "");
  if (name === "") return new BotError(400, "chat_id is empty");
  return new BotError(
    400,
    name.startsWith("@") || /^-?\d+$/.test(name) ? "chat not found" : "chat identifier must be a valid Integer",
  );
}
