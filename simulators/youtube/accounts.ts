// Google accounts with one channel each. An account comes into existence when a token names it: access tokens are
// `ya29.<account>` (handed over) or `ya29.<account>~<n>` (issued), and refresh tokens `1//<account>` likewise. The prefix of
// a name determines the account's fault: `nochannel_…` has no channel; handed-over tokens of `readonly_…` may not upload,
// and those of `uploads_…` may not delete; `suspended_…` may do nothing.
import { createHash } from "node:crypto";
import { hasPersona } from "../personas.ts";
import type { State } from "../state.ts";
import { apiOff, notScoped, unauthorized } from "./errors.ts";

const SCOPE = "https://www.googleapis.com/auth/";
const UPLOAD_AND_READ = [`${SCOPE}youtube.upload`, `${SCOPE}youtube.readonly`];
const SCOPES = [...UPLOAD_AND_READ, `${SCOPE}youtube.force-ssl`];
export const KNOWN_SCOPES = [...SCOPES, `${SCOPE}youtube`, `${SCOPE}yt-analytics.readonly`, "openid"];
const READ = [`${SCOPE}youtube`, `${SCOPE}youtube.force-ssl`, `${SCOPE}youtube.readonly`];
const WRITE = [`${SCOPE}youtube`, `${SCOPE}youtube.force-ssl`, `${SCOPE}youtube.upload`];
const MANAGE = [`${SCOPE}youtube`, `${SCOPE}youtube.force-ssl`];
/** The scopes of which each kind of call needs one. */
export const NEEDS = { read: READ, write: WRITE, manage: MANAGE };
/** Lifetime of an access token in seconds. */
export const ACCESS_LIFE_S = 3_599;
/** Lifetime of a refresh token of an app in testing. src/networks/youtube/access.ts names the source, read 2026-11-26. */
const TESTING_LIFE_S = 7 * 86_400;

export interface Account {
  name: string;
  channelId: string;
  handle: string;
}
interface Owner {
  /** Access tokens and grants before these numbers are invalid. */
  accessFrom: number;
  grantFrom: number;
  /** The number of the last issued token. */
  last: number;
}
/** What Google issues tokens for. */
export interface Issue {
  account: Account;
  scopes: string[];
  clientId: string;
}
interface Access {
  scopes: string[];
  expiresAt: number;
  /** The app that it was issued to; absent: it was handed over. */
  clientId?: string;
}

const TOKEN = /^(ya29\.|1\/\/)([A-Za-z0-9_.-]{1,80})(?:~(\d{1,9}))?$/;

export class Accounts {
  readonly #owners: Map<string, Owner>;
  /** Access tokens that were used or issued. */
  readonly #access: Map<string, Access>;
  /** Scopes of the issued refresh tokens. */
  readonly #grants: Map<string, string[]>;
  /** When refresh tokens of the persona `testing` end, in epoch milliseconds. */
  readonly #ends: Map<string, number>;

  constructor(state: State) {
    this.#owners = state.map("youtube.accounts");
    this.#access = state.map("youtube.access");
    this.#grants = state.map("youtube.grants");
    this.#ends = state.map("youtube.ends");
  }

  account(name: string): Account {
    this.#ownerOf(name);
    const channelId = `UC${createHash("sha256").update(name).digest("base64url").slice(0, 22)}`;
    return { name, channelId, handle: `@${name}` };
  }

  /** The account that a token names, whether the token is valid or not. */
  named(token: string): Account | undefined {
    const name = TOKEN.exec(token)?.[2];
    return name === undefined ? undefined : this.account(name);
  }

  namesOf(token: string): string[] {
    const account = this.named(token);
    return account === undefined ? [] : [account.handle, account.channelId, account.name];
  }

  /** A valid access token, with its scopes and its remaining seconds; undefined if it is invalid. */
  access(token: string): (Issue & { seconds: number }) | undefined {
    const [, kind, name, number = "0"] = TOKEN.exec(token) ?? [];
    if (kind !== "ya29." || name === undefined) return undefined;
    const account = this.account(name);
    if (Number(number) < this.#ownerOf(name).accessFrom) return undefined;
    let access = this.#access.get(token);
    if (access === undefined) {
      if (number !== "0") return undefined;
      access = { scopes: handedOverScopes(name), expiresAt: Date.now() + ACCESS_LIFE_S * 1000 };
      this.#access.set(token, access);
    }
    const seconds = Math.floor((access.expiresAt - Date.now()) / 1000);
    const { scopes, clientId = "" } = access;
    return seconds > 0 ? { account, scopes, clientId, seconds } : undefined;
  }

  /** The account of an `Authorization` header whose token has one of `scopes`. */
  authorize(header: string | undefined, scopes: string[]): Account {
    const access = this.access(/^Bearer (.+)$/i.exec(header ?? "")?.[1] ?? "");
    if (access === undefined) throw unauthorized();
    if ([access.account.name, access.clientId].some((name) => hasPersona(name, "api_off"))) throw apiOff();
    if (!access.scopes.some((scope) => scopes.includes(scope))) throw notScoped();
    return access.account;
  }

  /** The scopes of a valid refresh token; undefined if it is invalid. */
  grant(token: string): { account: Account; scopes: string[] } | undefined {
    const [, kind, name, number = "0"] = TOKEN.exec(token) ?? [];
    if (kind !== "1//" || name === undefined) return undefined;
    if (Number(number) < this.#ownerOf(name).grantFrom) return undefined;
    const scopes = number === "0" ? handedOverScopes(name) : this.#grants.get(token);
    // A token that was handed over is as old as its first use.
    if (number === "0" && !this.#ends.has(token)) this.#limit(token, [name]);
    const hasEnded = (this.#ends.get(token) ?? Number.POSITIVE_INFINITY) <= Date.now();
    return scopes && !hasEnded ? { account: this.account(name), scopes } : undefined;
  }

  giveAccess({ account: { name }, scopes, clientId }: Issue): string {
    const token = `ya29.${name}~${++this.#ownerOf(name).last}`;
    this.#access.set(token, { scopes, expiresAt: Date.now() + ACCESS_LIFE_S * 1000, clientId });
    return token;
  }

  /** A refresh token, and for how many seconds it is valid; null: until it is revoked. */
  giveGrant({ account: { name }, scopes, clientId }: Issue): { token: string; seconds: number | null } {
    const token = `1//${name}~${++this.#ownerOf(name).last}`;
    this.#grants.set(token, scopes);
    return { token, seconds: this.#limit(token, [name, clientId]) };
  }

  /** Ends a refresh token in a week if its account or app has the persona `testing`; returns the seconds until then, or null. */
  #limit(token: string, names: string[]): number | null {
    if (!names.some((name) => hasPersona(name, "testing"))) return null;
    this.#ends.set(token, Date.now() + TESTING_LIFE_S * 1000);
    return TESTING_LIFE_S;
  }

  /** Ends all access tokens and keeps the grants. False if the account is unknown. */
  expire(identifier: string): boolean {
    const [name, state] = [...this.#owners].find(([name]) => this.#isNamed(name, identifier)) ?? [];
    if (name === undefined || state === undefined) return false;
    state.accessFrom = ++state.last;
    return true;
  }

  /** Ends the grant and all tokens from it. */
  revoke({ name }: Account): void {
    const state = this.#ownerOf(name);
    state.accessFrom = state.grantFrom = ++state.last;
  }

  forget(identifier?: string): void {
    for (const name of [...this.#owners.keys()])
      if (identifier === undefined || this.#isNamed(name, identifier)) this.#owners.delete(name);
  }

  #isNamed(name: string, identifier: string): boolean {
    const { handle, channelId } = this.account(name);
    return [name, handle, channelId].includes(identifier);
  }

  #ownerOf(name: string): Owner {
    const state = this.#owners.get(name) ?? { accessFrom: 0, grantFrom: 0, last: 0 };
    this.#owners.set(name, state);
    return state;
  }
}

function handedOverScopes(name: string): string[] {
  if (name.startsWith("readonly_")) return [`${SCOPE}youtube.readonly`];
  return name.startsWith("uploads_") ? UPLOAD_AND_READ : SCOPES;
}
