// The state of the authorization server: requests that were announced, codes, and sessions with their tokens. Lifetimes from
// bluesky-social/atproto packages/oauth/oauth-provider, oauth-constants.ts, read 2026-11-27.
import { randomBytes } from "node:crypto";
import type { State } from "../state.ts";
import { OAuthProblem } from "./proofs.ts";

export const REQUEST_LIFE_S = 5 * 60;
const CODE_LIFE_S = 5 * 60;
const ACCESS_LIFE_S = 60 * 60;
const REFRESH_LIFE_S = 90 * 86_400;

/** Who sends a request: the client, the key that it identified itself with, and the key of the session. */
export interface Sender {
  clientId: string;
  clientKey: string;
  proofKey: string;
}
export interface PushedRequest extends Sender {
  redirectUri: string;
  state: string;
  scope: string;
  challenge: string;
  hint: string;
  endsAt: number;
}
interface Code extends Omit<PushedRequest, "hint"> {
  did: string;
  /** The session that the code has opened; null: none yet. */
  session: string | null;
}
export interface OAuthSession extends Sender {
  did: string;
  scope: string;
  access: string;
  accessEndsAt: number;
  refresh: string;
  refreshEndsAt: number;
  usedRefreshes: string[];
}
export interface Tokens {
  access_token: string;
  token_type: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
  sub: string;
}

const random = (prefix: string) => `${prefix}-${randomBytes(32).toString("hex")}`;
const refuseGrant = (message: string) => new OAuthProblem("invalid_grant", message);

export class OAuthSessions {
  readonly #requests: Map<string, PushedRequest>;
  readonly #codes: Map<string, Code>;
  readonly #sessions: Map<string, OAuthSession>;
  readonly #challenges: Set<string>;

  constructor(state: State) {
    this.#requests = state.map("bluesky.oauth.requests");
    this.#codes = state.map("bluesky.oauth.codes");
    this.#sessions = state.map("bluesky.oauth.sessions");
    this.#challenges = state.set("bluesky.oauth.challenges");
  }

  push(request: Omit<PushedRequest, "endsAt">): string {
    const uri = `urn:ietf:params:oauth:request_uri:${random("req")}`;
    this.#requests.set(uri, { ...request, endsAt: Date.now() + REQUEST_LIFE_S * 1000 });
    return uri;
  }

  /** A request that was announced and waits for its decision; undefined: unknown, expired or decided. */
  findRequest(uri: string, clientId: string): PushedRequest | undefined {
    const request = this.#requests.get(uri);
    return request?.clientId === clientId && request.endsAt > Date.now() ? request : undefined;
  }

  /** Decides on a request. Returns the code; null: it was denied. */
  decide(uri: string, { hint: _hint, ...request }: PushedRequest, did: string | null): string | null {
    this.#requests.delete(uri);
    if (did === null) return null;
    const code = random("cod");
    this.#codes.set(code, { ...request, did, session: null, endsAt: Date.now() + CODE_LIFE_S * 1000 });
    return code;
  }

  /** Exchanges a code, once. A second exchange ends the session that the first one opened. */
  exchange(code: string, sender: Sender, redirectUri: string, challenge: string): Tokens {
    const found = this.#codes.get(code);
    if (found === undefined || found.endsAt <= Date.now()) throw refuseGrant("Invalid code");
    if (found.session !== null) {
      this.#sessions.delete(found.session);
      throw refuseGrant("Code replayed");
    }
    checkSender(found, sender);
    if (found.redirectUri !== redirectUri) throw refuseGrant("The redirect_uri parameter must match");
    if (found.challenge !== challenge) throw refuseGrant("Invalid code_verifier");
    if (this.#challenges.has(challenge)) throw refuseGrant("Code challenge already used");
    this.#challenges.add(challenge);
    const id = random("tok");
    found.session = id;
    const session = { ...sender, did: found.did, scope: found.scope, ...makeTokens(), usedRefreshes: [] };
    this.#sessions.set(id, session);
    return show(session);
  }

  /** Renews a session. A refresh token that was used before ends the session. */
  renew(refresh: string, sender: Sender): Tokens {
    const [id, session] =
      [...this.#sessions].find(([, { refresh: current, usedRefreshes }]) =>
        [current, ...usedRefreshes].includes(refresh),
      ) ?? [];
    if (id === undefined || session === undefined) throw refuseGrant("Invalid refresh token");
    if (session.refresh !== refresh) {
      this.#sessions.delete(id);
      throw refuseGrant("Refresh token replayed");
    }
    checkSender(session, sender);
    if (session.refreshEndsAt <= Date.now()) throw refuseGrant("Refresh token expired");
    session.usedRefreshes.push(refresh);
    Object.assign(session, makeTokens());
    return show(session);
  }

  /** The session of an access token; null: unknown or expired. */
  findByToken(token: string): OAuthSession | null {
    const session = [...this.#sessions.values()].find(({ access }) => access === token);
    return session !== undefined && session.accessEndsAt > Date.now() ? session : null;
  }

  /** The account of a code or a token of any kind and state. */
  ownerOf(value: string): string | undefined {
    const session = [...this.#sessions.values()].find(({ access, refresh, usedRefreshes }) =>
      [access, refresh, ...usedRefreshes].includes(value),
    );
    return session?.did ?? this.#codes.get(value)?.did;
  }

  /** Expires the access tokens of an account. */
  expire(did: string): void {
    for (const session of this.#sessions.values()) if (session.did === did) session.accessEndsAt = 0;
  }

  forget(did?: string): void {
    for (const [id, session] of this.#sessions) if (session.did === (did ?? session.did)) this.#sessions.delete(id);
    for (const [id, code] of this.#codes) if (code.did === (did ?? code.did)) this.#codes.delete(id);
    if (did !== undefined) return;
    this.#requests.clear();
    this.#challenges.clear();
  }
}

function checkSender(expected: Sender, sender: Sender): void {
  if (expected.clientId !== sender.clientId) throw refuseGrant("Token was not issued to this client");
  if (expected.clientKey !== sender.clientKey) throw refuseGrant("Client authentication method mismatch");
  if (expected.proofKey !== sender.proofKey) throw refuseGrant("DPoP proof does not match the expected JKT");
}

function makeTokens() {
  const now = Date.now();
  return {
    access: random("acc"),
    accessEndsAt: now + ACCESS_LIFE_S * 1000,
    refresh: random("ref"),
    refreshEndsAt: now + REFRESH_LIFE_S * 1000,
  };
}

const show = ({ access, refresh, scope, did }: OAuthSession): Tokens => ({
  access_token: access,
  token_type: "DPoP",
  refresh_token: refresh,
  scope,
  expires_in: ACCESS_LIFE_S,
  sub: did,
});
