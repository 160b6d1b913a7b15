// An OAuth 2 server like those of the networks: a consent page, single-use codes, and tokens that expire and are renewed.
import { createHash, randomBytes } from "node:crypto";
import type { Context } from "hono";
import { html } from "hono/html";
import { consentPage } from "./consent-page.ts";
import type { SimulatorEnv } from "./simulator.ts";
import type { State } from "./state.ts";

export interface OAuthRules {
  /** Lifetime of an access token in seconds. */
  accessSeconds: number;
  /** Lifetime of a code in seconds. */
  codeSeconds: number;
  /**
   * `rotates`: each renewal ends the refresh token and returns a new one. `stays`: the refresh token stays valid. `none`: no
   * renewal.
   */
  refresh: "rotates" | "stays" | "none";
  pkce: boolean;
  scopes: string[];
  scopeSeparator: string;
  /** The only scopes that an app can request; absent: each app has all. */
  scopesOfApp?(clientId: string): readonly string[];
  /** The scopes of an account's handed-over token; absent: it has all. */
  scopesOfAccount?(account: string): readonly string[];
  /** The redirect that refuses a scope which an app lacks. */
  refuseScope?(scope: string): { error: string; error_description: string };
  /** The page that refuses it if there is no `refuseScope`; absent: a page says `invalid_scope`. */
  showRefusedScopes?(scopes: string[]): Response;
  /** The page on which a consent ends, because of the app or of the account that allows it; null: the consent continues. */
  refuseConsent?(clientId: string, account: string | null): Response | null;
}
export interface Token {
  account: string;
  scopes: string[];
  /** Epoch milliseconds; 0: handed over, so the time of issue is unknown. */
  issuedAt: number;
  expiresAt: number;
}
export interface Pair {
  access: string;
  refresh: string | null;
  scopes: string[];
}
interface Code {
  account: string;
  redirectUri: string;
  challenge: string | null;
  scopes: string[];
  expiresAt: number;
  clientId: string;
}

/**
 * A token `<anything>-for-<account>` that was never issued is a token of that account with all scopes, as if a machine had
 * obtained it by its own OAuth. Tests and the demo create accounts this way.
 */
const HANDED_OVER = /^[\w.]+-for-(?<account>[\w.@-]+)$/;

export class OAuthServer {
  readonly #rules: OAuthRules;
  readonly #access: Map<string, Token>;
  /** Maps a refresh token to its account and scopes. */
  readonly #refresh: Map<string, Pick<Token, "account" | "scopes">>;
  readonly #codes: Map<string, Code>;
  /** Handed-over tokens that have expired or were revoked. */
  readonly #ended: Set<string>;
  readonly #seen: Map<string, Set<string>>;
  readonly #secrets: Map<string, string>;

  /** `name`: the network's name, under which the state stores its tokens. */
  constructor(rules: OAuthRules, state: State, name: string) {
    this.#rules = rules;
    this.#access = state.map(`${name}.access`);
    this.#refresh = state.map(`${name}.refresh`);
    this.#codes = state.map(`${name}.codes`);
    this.#ended = state.set(`${name}.ended`);
    this.#seen = state.map(`${name}.seen`);
    this.#secrets = state.map(`${name}.apps`);
    this.#secrets.set(`sandbox-${name}`, "sandbox");
  }

  /** Whether the secret is the app's. The first secret that an unknown app sends becomes its secret. */
  knowsApp(clientId: string, secret: string): boolean {
    if (clientId === "" || secret === "") return false;
    const expected = this.#secrets.get(clientId) ?? secret;
    this.#secrets.set(clientId, expected);
    return secret === expected;
  }

  /** The token in a request; null if it is missing or has ended. */
  tokenOf(header: string | undefined): Token | null {
    const access = /^Bearer (.+)$/i.exec(header ?? "")?.[1] ?? "";
    const issued = this.#access.get(access);
    if (issued !== undefined) return issued.expiresAt > Date.now() ? issued : null;
    const account = this.#ended.has(access) ? undefined : HANDED_OVER.exec(access)?.groups?.account;
    if (account === undefined) return null;
    this.#seen.set(account, (this.#seen.get(account) ?? new Set()).add(access));
    return { account, scopes: this.#scopesOf(account), issuedAt: 0, expiresAt: Number.POSITIVE_INFINITY };
  }

  /** The consent page. `?account=` and `?scope_granted=` fill it in; `?decision=allow` or `deny` answers without a page. */
  authorize(c: Context<SimulatorEnv>): Response | Promise<Response> {
    const query = c.req.query();
    const { redirect_uri: redirectUri = "", state = "", scope = "", code_challenge: challenge } = query;
    const clientId = query.client_id ?? query.client_key ?? "";
    if (!URL.canParse(redirectUri) || clientId === "" || query.response_type !== "code")
      return c.text("invalid_request: client_id, redirect_uri and response_type=code are required", 400);
    if (this.#rules.pkce && (challenge === undefined || query.code_challenge_method !== "S256"))
      return c.text("invalid_request: code_challenge with S256 is required", 400);
    const allowingAccount = query.decision === "allow" ? (query.account ?? "demo") : null;
    const refusedConsent = this.#rules.refuseConsent?.(clientId, allowingAccount) ?? null;
    if (refusedConsent !== null) return refusedConsent;
    const requestedScopes = scope.split(/[\s,]+/).filter((name) => name !== "");
    const { scopes, scopesOfApp, refuseScope, showRefusedScopes } = this.#rules;
    const ofApp = scopesOfApp?.(clientId) ?? scopes;
    const [lacking, ...otherMissingScopes] = requestedScopes.filter((name) => !ofApp.includes(name));
    if (lacking !== undefined && refuseScope === undefined)
      return (
        showRefusedScopes?.([lacking, ...otherMissingScopes]) ??
        c.text(`invalid_scope: ${[lacking, ...otherMissingScopes].join(" ")}`, 400)
      );
    const back = new URL(redirectUri);
    back.searchParams.set("state", state);
    if (lacking !== undefined) {
      for (const [name, value] of Object.entries(refuseScope?.(lacking) ?? {})) back.searchParams.set(name, value);
      return c.redirect(back.href, 302);
    }
    if (query.decision === "deny") {
      back.searchParams.set("error", "access_denied");
      return c.redirect(back.href, 302);
    }
    if (allowingAccount !== null) {
      const code = randomBytes(12).toString("hex");
      this.#codes.set(code, {
        account: allowingAccount,
        redirectUri,
        challenge: challenge ?? null,
        scopes: query.scope_granted?.split(/[\s,]+/) ?? requestedScopes,
        expiresAt: Date.now() + this.#rules.codeSeconds * 1000,
        clientId,
      });
      back.searchParams.set("code", code);
      return c.redirect(back.href, 302);
    }
    const hidden = Object.entries(query).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    );
    return c.html(
      consentPage(
        "Simulated consent",
        html`<p>${clientId} asks for: ${requestedScopes.join(", ")}</p>
<form>${hidden}<p><label>Account <input name="account" value="demo"></label></p>
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form>`,
      ),
    );
  }

  /** Exchanges a code, once. null: the code is wrong, expired or used, or belongs to another app. */
  exchange(fields: { code?: string; redirect_uri?: string; code_verifier?: string; client_id?: string }): Pair | null {
    const code = this.#codes.get(fields.code ?? "");
    this.#codes.delete(fields.code ?? "");
    if (code === undefined || code.expiresAt <= Date.now() || code.redirectUri !== fields.redirect_uri) return null;
    if (fields.client_id !== undefined && fields.client_id !== code.clientId) return null;
    if (code.challenge !== null && s256(fields.code_verifier ?? "") !== code.challenge) return null;
    return this.issue(code.account, code.scopes);
  }

  /** All names of the account whose code or refresh token is in a token request, even if that is no longer valid. */
  async namesIn(c: Context<SimulatorEnv>): Promise<string[]> {
    const { code, refresh_token: refresh } = await c.req.parseBody();
    const owner = this.#codes.get(String(code)) ?? this.#refresh.get(String(refresh));
    const account = owner?.account ?? HANDED_OVER.exec(String(refresh))?.groups?.account;
    return account === undefined ? [] : [account, `@${account}`];
  }

  /**
   * Renews a token; null: the refresh token is unknown, used or revoked. `<anything>-for-<account>` is a handed-over refresh
   * token.
   */
  renew(refreshToken: string): Pair | null {
    const knownGrant = this.#refresh.get(refreshToken);
    const account = this.#ended.has(refreshToken) ? undefined : HANDED_OVER.exec(refreshToken)?.groups?.account;
    const owner = knownGrant ?? (account === undefined ? undefined : { account, scopes: this.#scopesOf(account) });
    if (owner === undefined || this.#rules.refresh === "none") return null;
    if (this.#rules.refresh === "rotates") {
      this.#refresh.delete(refreshToken);
      this.#ended.add(refreshToken);
    }
    const pair = this.issue(owner.account, owner.scopes);
    if (this.#rules.refresh === "rotates") return pair;
    if (pair.refresh !== null) this.#refresh.delete(pair.refresh);
    return { ...pair, refresh: null };
  }

  issue(account: string, scopes: string[]): Pair {
    const access = `access_${randomBytes(16).toString("hex")}`;
    const issuedAt = Date.now();
    const expiresAt = issuedAt + this.#rules.accessSeconds * 1000;
    this.#access.set(access, { account, scopes, issuedAt, expiresAt });
    if (this.#rules.refresh === "none") return { access, refresh: null, scopes };
    const refresh = `refresh_${randomBytes(16).toString("hex")}`;
    this.#refresh.set(refresh, { account, scopes });
    return { access, refresh, scopes };
  }

  #scopesOf(account: string): string[] {
    return [...(this.#rules.scopesOfAccount?.(account) ?? this.#rules.scopes)];
  }

  scopeText(scopes: string[]): string {
    return scopes.join(this.#rules.scopeSeparator);
  }

  /** Expires the account's access tokens. False: it has none. */
  expire(account: string): boolean {
    const issued = [...this.#access.values()].filter((token) => token.account === account);
    for (const token of issued) token.expiresAt = 0;
    const seenTokens = this.#seen.get(account) ?? new Set();
    for (const access of seenTokens) this.#ended.add(access);
    this.#seen.delete(account);
    return issued.length + seenTokens.size > 0;
  }

  /** The user removes the app, so all of the account's tokens stop working. */
  revoke(account: string): void {
    this.expire(account);
    for (const [token, owner] of this.#refresh) if (owner.account === account) this.#refresh.delete(token);
    this.#ended.add(`refresh-for-${account}`);
  }

  forget(account?: string): void {
    for (const tokens of [this.#access, this.#refresh, this.#codes])
      for (const [key, owner] of tokens) if (account === undefined || owner.account === account) tokens.delete(key);
    if (account === undefined) this.#ended.clear();
  }
}

const s256 = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");
