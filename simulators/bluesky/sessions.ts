// Tokens: access for two hours, refresh for 90 days, and short-lived service tokens for other services.
import { randomBytes } from "node:crypto";
import type { State } from "../state.ts";
import { invalid, XrpcError } from "./xrpc.ts";

// 120 minutes, 90 days, 2 hours of grace: atproto packages/pds/src/account-manager/helpers/auth.ts, read 2026-11-20.
const ACCESS_LIFE_S = 120 * 60;
const REFRESH_LIFE_S = 90 * 86_400;
const GRACE_S = 2 * 3_600;
/** A service token lives an hour at most: getServiceAuth.ts there, read 2026-11-20. */
const PERMISSION_LIFE_MAX_S = 3_600;

export interface Pair {
  accessJwt: string;
  refreshJwt: string;
}
interface Access {
  did: string;
  endsAt: number;
}
interface Refresh {
  did: string;
  endsAt: number;
  revoked: boolean;
  /** The pair that replaced this one. A repeat within the grace period gets the same pair. */
  next: Pair | null;
}
interface Permission {
  did: string;
  endsAt: number;
  audience: string;
  method: string;
}

const nowS = () => Math.floor(Date.now() / 1000);

export class Sessions {
  readonly #access: Map<string, Access>;
  readonly #refresh: Map<string, Refresh>;
  readonly #permissions: Map<string, Permission>;

  constructor(state: State) {
    this.#access = state.map("bluesky.access");
    this.#refresh = state.map("bluesky.refresh");
    this.#permissions = state.map("bluesky.permissions");
  }

  open(did: string): Pair {
    const refreshJwt = jwt({ scope: "com.atproto.refresh", sub: did, aud: "did:web:bsky.social" }, REFRESH_LIFE_S);
    this.#refresh.set(refreshJwt, { did, endsAt: nowS() + REFRESH_LIFE_S, revoked: false, next: null });
    return { accessJwt: this.#newAccess(did), refreshJwt };
  }

  renew(token: string | undefined): { did: string; pair: Pair } {
    const refresh = this.#refreshOf(token);
    if (refresh.next === null) {
      refresh.next = this.open(refresh.did);
      refresh.endsAt = Math.min(refresh.endsAt, nowS() + GRACE_S);
    } else if ((this.#access.get(refresh.next.accessJwt)?.endsAt ?? 0) <= nowS()) {
      refresh.next = { ...refresh.next, accessJwt: this.#newAccess(refresh.did) };
    }
    return { did: refresh.did, pair: refresh.next };
  }

  /** Ends a session: its refresh token and the one that replaced it. */
  close(token: string | undefined): void {
    const refresh = this.#refreshOf(token);
    refresh.revoked = true;
    const next = refresh.next === null ? undefined : this.#refresh.get(refresh.next.refreshJwt);
    if (next !== undefined) next.revoked = true;
  }

  check(token: string | undefined): string {
    if (token === undefined) throw new XrpcError(401, "AuthMissing", "Authentication Required");
    if (this.#refresh.has(token)) throw new XrpcError(400, "InvalidToken", "Bad token scope");
    const access = this.#access.get(token);
    if (access === undefined) throw new XrpcError(400, "InvalidToken", "Token could not be verified");
    if (access.endsAt <= nowS()) throw new XrpcError(400, "ExpiredToken", "Token has expired");
    return access.did;
  }

  /** A service token for one method at another service; `endsAt` in Unix seconds, by default a minute ahead. */
  grant(did: string, audience: string, method: string, endsAt = nowS() + 60): string {
    if (!/^did:(web|plc):/.test(audience)) throw invalid("Invalid audience");
    if (!(endsAt > nowS())) throw new XrpcError(400, "BadExpiration", "expiration is in past");
    if (endsAt > nowS() + PERMISSION_LIFE_MAX_S)
      throw new XrpcError(400, "BadExpiration", "cannot request a token with an expiration more than an hour ahead");
    const token = jwt({ iss: did, aud: audience, lxm: method }, endsAt - nowS());
    this.#permissions.set(token, { did, endsAt, audience, method });
    return token;
  }

  /** The account that issued this service token, if it covers the method at one of these audiences. */
  checkPermission(token: string | undefined, method: string, audiences: string[]): string {
    if (token === undefined) throw new XrpcError(401, "AuthMissing", "Authentication Required");
    const permission = this.#permissions.get(token);
    if (permission === undefined) throw new XrpcError(401, "BadJwt", "jwt could not be verified");
    if (permission.endsAt <= nowS()) throw new XrpcError(401, "JwtExpired", "jwt expired");
    if (permission.method !== method) throw new XrpcError(401, "BadJwtLexiconMethod", "bad jwt lexicon method");
    if (!audiences.includes(permission.audience)) throw new XrpcError(401, "BadJwtAudience", "bad jwt audience");
    return permission.did;
  }

  /** The account of a token of any kind and state. */
  ownerOf(token: string | undefined): string | undefined {
    if (token === undefined) return undefined;
    return (this.#access.get(token) ?? this.#refresh.get(token) ?? this.#permissions.get(token))?.did;
  }

  /** Expires every access token of the account. */
  expire(did: string): void {
    for (const access of this.#access.values()) if (access.did === did) access.endsAt = 0;
  }

  forget(did?: string): void {
    for (const tokens of [this.#access, this.#refresh, this.#permissions])
      for (const [token, owned] of tokens) if (owned.did === (did ?? owned.did)) tokens.delete(token);
  }

  #newAccess(did: string): string {
    const token = jwt({ scope: "com.atproto.appPass", sub: did, aud: "did:web:bsky.social" }, ACCESS_LIFE_S);
    this.#access.set(token, { did, endsAt: nowS() + ACCESS_LIFE_S });
    return token;
  }

  #refreshOf(token: string | undefined): Refresh {
    if (token === undefined) throw new XrpcError(401, "AuthMissing", "Authentication Required");
    if (this.#access.has(token)) throw new XrpcError(400, "InvalidToken", "Bad token scope");
    const refresh = this.#refresh.get(token);
    if (refresh === undefined && !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
      throw new XrpcError(400, "InvalidToken", "Token could not be verified");
    // A token of a forgotten session gets the answer for a revoked token.
    if (refresh === undefined || refresh.revoked) throw new XrpcError(400, "ExpiredToken", "Token has been revoked");
    if (refresh.endsAt <= nowS()) throw new XrpcError(400, "ExpiredToken", "Token has expired");
    return refresh;
  }
}

/** A JWT with a random signature, because only its issuer could verify it. */
function jwt(claims: Record<string, string>, lifeS: number): string {
  const encodeSegment = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const iat = nowS();
  const payload = { ...claims, iat, exp: iat + lifeS, jti: randomBytes(16).toString("hex") };
  return `${encodeSegment({ typ: "at+jwt", alg: "ES256K" })}.${encodeSegment(payload)}.${randomBytes(64).toString("base64url")}`;
}
