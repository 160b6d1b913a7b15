// Accounts and their tokens. An account is created by the first use of a token that names it:
//   act.<username>            an access token with every scope
//   act.<username>~a,b        an access token with only these scopes
//   rft.<username>            a refresh token
// `private_...` is a private account, `short_...` may post videos of 60 s, `slow_...` waits for moderation.
import { createHash, randomBytes } from "node:crypto";
import { hasPersona } from "../personas.ts";
import type { State } from "../state.ts";
import { Refusal } from "./answers.ts";

const SCOPES = [
  "user.info.basic",
  "user.info.profile",
  "user.info.stats",
  "video.publish",
  "video.upload",
  "video.list",
];
const SCOPES_OF_PERSONAS: [persona: string, scopes: string[]][] = [
  ["no_video_list", ["user.info.basic", "video.publish"]],
  ["drafts", ["user.info.basic", "video.upload"]],
];
/** The scopes of an app, or of the handed-over tokens of an account. */
export const getScopes = (name: string): string[] =>
  SCOPES_OF_PERSONAS.find(([persona]) => hasPersona(name, persona))?.[1] ?? SCOPES;
// 2 hours and 180 days: docs/en/oauth-refresh-a-user-access-token of 2026-11-02; older pages say 24 hours and 365 days.
const ACCESS_LIFE_S = 2 * 3_600;
const REFRESH_LIFE_S = 180 * 86_400;
const MINUTE_MS = 60_000;

export interface Account {
  openId: string;
  username: string;
  /** When posts were accepted, in epoch milliseconds. The creator's daily cap counts them. */
  postedAt: number[];
  /** When drafts were accepted, in epoch milliseconds. The cap on pending drafts counts them. */
  draftedAt: number[];
}
interface Access {
  account: Account;
  scopes: string[];
  endsAt: number;
  /** Calls of the last minute, by name. */
  calls: Map<string, number[]>;
}
interface Refresh {
  account: Account;
  scopes: string[];
  dead: boolean;
}

const USERNAME = "[a-z0-9_.]{2,24}";
const nowS = () => Math.floor(Date.now() / 1000);

export class Accounts {
  readonly #accounts: Map<string, Account>;
  readonly #access: Map<string, Access>;
  readonly #refresh: Map<string, Refresh>;

  constructor(state: State) {
    this.#accounts = state.map("tiktok.accounts");
    this.#access = state.map("tiktok.access");
    this.#refresh = state.map("tiktok.refresh");
  }

  find(name: string): Account | undefined {
    const username = name.replace(/^@/, "");
    return this.#accounts.get(username) ?? [...this.#accounts.values()].find(({ openId }) => openId === name);
  }

  of(username: string): Account {
    const knownAccount = this.#accounts.get(username);
    if (knownAccount !== undefined) return knownAccount;
    const openId = `-000${createHash("sha256").update(username).digest("base64url").slice(0, 32)}`;
    const account = { openId, username, postedAt: [], draftedAt: [] };
    this.#accounts.set(username, account);
    return account;
  }

  /** The account of a token of any kind and state. */
  ownerOf(token: string | undefined): Account | undefined {
    if (token === undefined) return undefined;
    return this.#accessOf(token)?.account ?? this.#refreshOf(token)?.account;
  }

  /** The account of a valid access token with one of these scopes. */
  check(token: string | undefined, ...scopes: string[]): Account {
    const access = token === undefined ? undefined : this.#accessOf(token);
    if (access === undefined || access.endsAt <= nowS())
      throw new Refusal(
        401,
        "access_token_invalid",
        "The access token is invalid or not found in the request. Please refer to the OAuth guides.",
      );
    if (!scopes.some((scope) => access.scopes.includes(scope)))
      throw new Refusal(
        401,
        "scope_not_authorized",
        `The user did not authorize the scope required: ${scopes.join(" or ")}`,
      );
    return access.account;
  }

  /** Counts a call against the sliding minute of its token. */
  limit(token: string | undefined, call: string, perMinute: number): void {
    const access = token === undefined ? undefined : this.#accessOf(token);
    if (access === undefined) return;
    const now = Date.now();
    const recent = (access.calls.get(call) ?? []).filter((calledAt) => calledAt > now - MINUTE_MS);
    if (recent.length >= perMinute)
      throw new Refusal(429, "rate_limit_exceeded", "The API rate limit was exceeded. Please try again later.");
    access.calls.set(call, [...recent, now]);
  }

  /** New tokens in the format of the token endpoint. */
  issue(account: Account, scopes: string[]): object {
    const [access_token, refresh_token] = [
      `act.${account.username}!${random()}`,
      `rft.${account.username}!${random()}`,
    ];
    this.#access.set(access_token, { account, scopes, endsAt: nowS() + ACCESS_LIFE_S, calls: new Map() });
    this.#refresh.set(refresh_token, { account, scopes, dead: false });
    return {
      access_token,
      expires_in: ACCESS_LIFE_S,
      open_id: account.openId,
      refresh_expires_in: REFRESH_LIFE_S,
      refresh_token,
      scope: scopes.join(","),
      token_type: "Bearer",
    };
  }

  /** New tokens for a refresh token, which is then used up; undefined if it is invalid. */
  renew(token: string): object | undefined {
    const refresh = this.#refreshOf(token);
    if (refresh === undefined || refresh.dead) return undefined;
    refresh.dead = true;
    return this.issue(refresh.account, refresh.scopes);
  }

  /** Ends every token of an account. */
  revoke(account: Account): void {
    this.expire(account);
    for (const refresh of this.#refresh.values()) if (refresh.account === account) refresh.dead = true;
  }

  /** Expires every access token of an account, including tokens that were never used. */
  expire(account: Account): void {
    this.#accessOf(`act.${account.username}`);
    for (const access of this.#access.values()) if (access.account === account) access.endsAt = 0;
  }

  forget(account?: Account): void {
    if (account === undefined) this.#accounts.clear();
    else this.#accounts.delete(account.username);
    for (const tokens of [this.#access, this.#refresh])
      for (const [token, owned] of tokens) if (owned.account === (account ?? owned.account)) tokens.delete(token);
  }

  #accessOf(token: string): Access | undefined {
    const knownAccess = this.#access.get(token);
    if (knownAccess !== undefined) return knownAccess;
    const [, username, scopes] = new RegExp(`^act\\.(${USERNAME})(?:~([a-z.,]*))?$`).exec(token) ?? [];
    if (username === undefined) return undefined;
    const access = {
      account: this.of(username),
      scopes: scopes === undefined ? getScopes(username) : scopes.split(","),
      endsAt: nowS() + ACCESS_LIFE_S,
      calls: new Map(),
    };
    this.#access.set(token, access);
    return access;
  }

  #refreshOf(token: string): Refresh | undefined {
    const knownRefresh = this.#refresh.get(token);
    if (knownRefresh !== undefined) return knownRefresh;
    const [, username] = new RegExp(`^rft\\.(${USERNAME})$`).exec(token) ?? [];
    if (username === undefined) return undefined;
    const refresh = { account: this.of(username), scopes: getScopes(username), dead: false };
    this.#refresh.set(token, refresh);
    return refresh;
  }
}

const random = () => randomBytes(24).toString("base64url");
