// Accounts and their tokens. A consent yields a token that is valid for an hour and can be exchanged for one that is valid for
// 60 days. Tokens of the form `<anything>-for-<username>` stand for tokens that a program got elsewhere: they are valid for 60
// days, two of which have passed, and have every scope. `<anything>-for-<username>+a+b` has only the scopes a and b.
import { randomBytes } from "node:crypto";
import { OAuthServer } from "../oauth.ts";
import { hasPersona } from "../personas.ts";
import type { State } from "../state.ts";
import { type Account, newAccount } from "./accounts.ts";
import { type Call, forbidden, GraphError, readFields } from "./graph.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;
/** 60 days less a few seconds, as the networks report it: threads/get-started/long-lived-tokens, read 2026-11-20. */
const LONG_LIFE_S = 5_183_944;
const HANDED_OVER = /^[\w.]+-for-(?<username>[a-z0-9._]{1,30})(?<scopes>(\+\w+)*)$/;
const nowS = () => Date.now() / 1000;

interface Token {
  username: string;
  scopes: string[];
  /** null: the token was handed over, so its app is unknown. */
  clientId: string | null;
  issuedAt: number;
  endsAt: number;
  isLong: boolean;
}

export interface Sign {
  platform: string;
  /** The prefix of the grant types of long-lived tokens. */
  grant: string;
  scopes: string[];
  /** The scopes of an app with the persona `smallest`; absent if there is no such persona. */
  smallest?: string[];
  /** The page that refuses scopes which an app lacks; absent: a page that says `invalid_scope`. */
  showRefusedScopes?(scopes: string[]): Response;
  /** The page on which the consent of an app with the Meta app's id ends (persona `meta_app`). */
  showRefusedApp(): Response;
  /** The page on which the consent of an account without a role ends (persona `no_role`); absent: there is no such persona. */
  showMissingRole?(): Response;
  /** The scope without which a token cannot be renewed. */
  basic: string;
  /** The answer to a code, as text, because some ids in it are too large for JSON in JavaScript. */
  shortLived(token: string, account: Account, scopes: string[]): string;
}

export class Tokens {
  readonly #sign: Sign;
  /** By username. */
  readonly accounts: Map<string, Account>;
  readonly #tokens: Map<string, Token>;
  readonly #secrets: Map<string, string>;
  readonly #consents: OAuthServer;

  constructor(sign: Sign, state: State) {
    const { platform, scopes, showRefusedScopes } = sign;
    this.#sign = sign;
    this.accounts = state.map(`${platform}.accounts`);
    this.#tokens = state.map(`${platform}.tokens`);
    this.#secrets = state.map(`${platform}.secrets`);
    this.#secrets.set(`sandbox-${platform}`, "sandbox");
    const rules = { accessSeconds: HOUR_S, codeSeconds: HOUR_S, refresh: "none", pkce: false } as const;
    const scopesOfApp = (clientId: string) => (hasPersona(clientId, "smallest") && sign.smallest) || scopes;
    const refuseConsent = (clientId: string, account: string | null) => {
      if (hasPersona(clientId, "meta_app")) return sign.showRefusedApp();
      return account !== null && hasPersona(account, "no_role") ? (sign.showMissingRole?.() ?? null) : null;
    };
    this.#consents = new OAuthServer(
      {
        ...rules,
        refuseConsent,
        scopes,
        scopesOfApp,
        scopeSeparator: ",",
        ...(showRefusedScopes && { showRefusedScopes }),
      },
      state,
      platform,
    );
  }

  /** The account of a token, if the token is valid and has the scope. */
  accountOf(token: string | undefined, scope: string): Account {
    const { username, scopes } = this.#check(token);
    if (!scopes.includes(scope)) throw forbidden();
    return this.#account(username);
  }

  /** All names of a token's account, whether the token is valid or not. */
  namesOf(token: string | undefined): string[] {
    const account = this.accounts.get(this.#find(token)?.username ?? "");
    return account === undefined ? [] : [account.username, account.id];
  }

  byName(name: string): Account | undefined {
    return this.accounts.get(name) ?? [...this.accounts.values()].find(({ id }) => id === name);
  }

  /** Expires every token of the account permanently. */
  expire(name: string): boolean {
    const account = this.byName(name);
    if (account === undefined) return false;
    for (const token of this.#tokens.values()) if (token.username === account.username) token.endsAt = 0;
    return true;
  }

  forget(name?: string): void {
    const account = name === undefined ? undefined : this.byName(name);
    if (name !== undefined && account === undefined) return;
    for (const [text, { username }] of this.#tokens)
      if (username === (account?.username ?? username)) this.#tokens.delete(text);
    if (account === undefined) this.accounts.clear();
    else this.accounts.delete(account.username);
  }

  /** The consent page, and the result of the user's decision. */
  async authorize(c: Call): Promise<Response> {
    const answer = await this.#consents.authorize(c);
    const back = answer.headers.get("location");
    // Both networks append this after the code.
    return back?.includes("code=") === true ? c.redirect(`${back}#_`) : answer;
  }

  /** Exchanges a code for a token of an hour. */
  async exchangeCode(c: Call): Promise<Response> {
    const fields = await readFields(c);
    const { client_id: clientId = "", client_secret: secret = "" } = fields;
    // The shape of this refusal is not documented; open-source publishers have observed it.
    const refuse = (message: string) =>
      Response.json({ error_type: "OAuthException", code: 400, error_message: message }, { status: 400 });
    if (fields.grant_type !== "authorization_code") return refuse("Invalid grant_type");
    // No public source shows this refusal: the number is that of the consent page of Threads, in the form of the Graph API.
    if (hasPersona(clientId, "meta_app"))
      return new GraphError(100, 4476002, "No app ID was sent with the request.").response();
    if (!this.#isSecretOf(clientId, secret)) return refuse("Error validating client secret.");
    const pair = this.#consents.exchange(fields);
    const username = this.#consents.tokenOf(`Bearer ${pair?.access}`)?.account;
    if (pair === null || username === undefined) return refuse("Invalid authorization code");
    const { scopes } = pair;
    const token = this.#issue({ username, scopes, clientId, isLong: false }, HOUR_S);
    return new Response(this.#sign.shortLived(token, this.#account(username), scopes), {
      headers: { "content-type": "application/json" },
    });
  }

  /** The app's own token: threads/get-started/app-access-tokens, read 2026-11-22. */
  async ofApp(c: Call): Promise<Response> {
    const { client_id: clientId = "", client_secret: secret = "", grant_type } = await readFields(c);
    if (grant_type !== "client_credentials")
      throw new GraphError(100, undefined, `(#100) Invalid grant_type: ${grant_type ?? ""}`);
    if (!this.#isSecretOf(clientId, secret)) throw new GraphError(1, undefined, "Error validating client secret.");
    return Response.json({ access_token: `TH|${clientId}|${randomBytes(16).toString("hex")}`, token_type: "bearer" });
  }

  /** Exchanges a token of an hour for one of 60 days. */
  async exchangeToken(c: Call): Promise<Response> {
    const { grant_type, client_secret = "", access_token } = await readFields(c);
    this.#expectGrant(grant_type, "exchange");
    const token = this.#check(access_token);
    if (token.clientId === null || !this.#isSecretOf(token.clientId, client_secret))
      throw new GraphError(1, undefined, "Error validating client secret.");
    if (token.isLong) throw new GraphError(452, undefined, "Session key invalid");
    return this.#longLived(token);
  }

  /** Renews a token of 60 days for 60 more. */
  async refresh(c: Call): Promise<Response> {
    const { grant_type, access_token } = await readFields(c);
    this.#expectGrant(grant_type, "refresh");
    const token = this.#check(access_token);
    // The networks' error code for this case is undocumented.
    if (!token.isLong || nowS() - token.issuedAt < DAY_S)
      throw new GraphError(100, undefined, "(#100) Only tokens of 60 days that are a day old can be refreshed");
    if (!token.scopes.includes(this.#sign.basic)) throw forbidden();
    return this.#longLived(token);
  }

  #expectGrant(grantType: string | undefined, kind: "exchange" | "refresh"): void {
    if (grantType !== `${this.#sign.grant}_${kind}_token`)
      throw new GraphError(100, undefined, `(#100) Invalid grant_type: ${grantType ?? ""}`);
  }

  #longLived(token: Token): Response {
    const access_token = this.#issue({ ...token, isLong: true }, LONG_LIFE_S);
    return Response.json({ access_token, token_type: "bearer", expires_in: LONG_LIFE_S });
  }

  #issue(tokenFields: Omit<Token, "issuedAt" | "endsAt">, lifeS: number): string {
    const { username, scopes, clientId, isLong } = tokenFields;
    const text = `AA${randomBytes(40).toString("hex")}`;
    this.#tokens.set(text, { username, scopes, clientId, isLong, issuedAt: nowS(), endsAt: nowS() + lifeS });
    return text;
  }

  /** The first use of a client's name sets its secret. */
  #isSecretOf(clientId: string, secret: string): boolean {
    const knownSecret = this.#secrets.get(clientId);
    if (knownSecret === undefined && clientId !== "" && secret !== "") this.#secrets.set(clientId, secret);
    return secret !== "" && (knownSecret ?? secret) === secret;
  }

  #check(text: string | undefined): Token {
    if (text === undefined || text === "")
      throw new GraphError(104, undefined, "An access token is required to request this resource.");
    const token = this.#find(text);
    // The real network repeats the token that it cannot parse.
    if (token === undefined) throw new GraphError(190, undefined, `Malformed access token ${text}`, { status: 401 });
    if (token.endsAt <= nowS())
      throw new GraphError(190, 463, "Error validating access token: Session has expired.", { status: 401 });
    return token;
  }

  #find(text = ""): Token | undefined {
    const knownToken = this.#tokens.get(text);
    if (knownToken !== undefined) return knownToken;
    const { username, scopes = "" } = HANDED_OVER.exec(text)?.groups ?? {};
    if (username === undefined) return undefined;
    const token = {
      username,
      scopes: scopes === "" ? this.#sign.scopes : scopes.slice(1).split("+"),
      clientId: null,
      issuedAt: nowS() - 2 * DAY_S,
      endsAt: nowS() + LONG_LIFE_S - 2 * DAY_S,
      isLong: true,
    };
    this.#tokens.set(text, token);
    this.#account(username);
    return token;
  }

  #account(username: string): Account {
    const account = this.accounts.get(username) ?? newAccount(username);
    this.accounts.set(username, account);
    return account;
  }
}
