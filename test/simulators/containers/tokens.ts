// Accounts, their tokens, and the sign-in by which a person grants one.
//
// A token that a machine hands over looks like `<prefix>-<username>`, and has every scope; `<prefix>-<username>+a+b` has
// only the scopes a and b. Its first use makes the account. It is a long-lived token and was issued two days ago.
import { randomBytes } from "node:crypto";
import { type Account, newAccount } from "./accounts.ts";
import { type Call, fieldsOf, GraphError } from "./graph.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;
/** 60 days less a few seconds, as the networks print it: threads/get-started/long-lived-tokens, read 2026-11-20. */
const LONG_LIFE_S = 5_183_944;
const USERNAME = /^[a-z0-9._]{1,30}$/;
const nowS = () => Date.now() / 1000;

interface Token {
  username: string;
  scopes: string[];
  /** null: handed over; nobody knows of which app. */
  clientId: string | null;
  issuedAt: number;
  endsAt: number;
  long: boolean;
}
interface Code {
  username: string;
  scopes: string[];
  clientId: string;
  redirectUri: string;
  endsAt: number;
}

export interface Sign {
  platform: string;
  /** What handed-over tokens begin with. */
  prefix: string;
  /** What the grants of long-lived tokens begin with. */
  grant: string;
  scopes: string[];
  /** The scope without which a token cannot be renewed. */
  basic: string;
  /** The answer to a code, as text: some ids in it are numbers too large for JSON in JavaScript. */
  shortLived(token: string, account: Account, scopes: string[]): string;
}

export class Tokens {
  readonly #sign: Sign;
  /** By username. */
  readonly accounts = new Map<string, Account>();
  readonly #tokens = new Map<string, Token>();
  readonly #codes = new Map<string, Code>();
  readonly #secrets = new Map<string, string>();

  constructor(sign: Sign) {
    this.#sign = sign;
    this.#secrets.set(`sandbox-${sign.platform}`, "sandbox");
  }

  /** The account of a token, if the token is good and has the scope. */
  accountOf(token: string | undefined, scope: string): Account {
    const { username, scopes } = this.#check(token);
    if (!scopes.includes(scope))
      throw new GraphError(10, undefined, `(#10) Application does not have permission for this action`, {
        status: 403,
      });
    return this.#account(username);
  }

  /** All names of the account of a token, good or not. */
  namesOf(token: string | undefined): string[] {
    const account = this.accounts.get(this.#find(token)?.username ?? "");
    return account === undefined ? [] : [account.username, account.id];
  }

  byName(name: string): Account | undefined {
    return this.accounts.get(name) ?? [...this.accounts.values()].find(({ id }) => id === name);
  }

  /** Every token of the account has expired, for good. */
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

  /** The page on which a person decides, and what comes of it. */
  async authorize(c: Call): Promise<Response> {
    const fields = await fieldsOf(c);
    const { client_id: clientId = "", redirect_uri: redirectUri = "", state, decision } = fields;
    const scopes = (fields.scope ?? "").split(",").filter((scope) => scope !== "");
    const unknown = scopes.filter((scope) => !this.#sign.scopes.includes(scope));
    if (clientId === "" || !URL.canParse(redirectUri) || fields.response_type !== "code" || unknown.length > 0)
      return c.html(
        page("Invalid request", `<p>Invalid platform app, or scopes unknown: ${quote(unknown.join(", "))}`),
        400,
      );
    if (!scopes.includes(this.#sign.basic)) return c.html(page("Invalid scope", "<p>Invalid scope."), 400);
    if (decision === undefined) return c.html(this.#consentPage(fields, scopes));
    const back = new URL(redirectUri);
    if (state !== undefined) back.searchParams.set("state", state);
    if (decision !== "allow") {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_reason", "user_denied");
      back.searchParams.set("error_description", "The user denied your request");
      return c.redirect(back.href);
    }
    const username = fields.account ?? "crier_demo";
    if (!USERNAME.test(username)) return c.html(page("Sorry", "<p>There is no such account."), 400);
    const granted = (fields.granted ?? fields.scope ?? "").split(",").filter((scope) => scopes.includes(scope));
    const code = randomBytes(24).toString("base64url");
    this.#codes.set(code, { username, scopes: granted, clientId, redirectUri, endsAt: nowS() + HOUR_S });
    back.searchParams.set("code", code);
    // Both networks put this behind the code.
    return c.redirect(`${back.href}#_`);
  }

  /** A code becomes a token of an hour. */
  async exchangeCode(c: Call): Promise<Response> {
    const {
      client_id: clientId = "",
      client_secret: secret = "",
      redirect_uri,
      code = "",
      grant_type,
    } = await fieldsOf(c);
    // Not documented; what open-source publishers met. [memory]
    const refuse = (message: string) =>
      Response.json({ error_type: "OAuthException", code: 400, error_message: message }, { status: 400 });
    if (grant_type !== "authorization_code") return refuse("Invalid grant_type");
    if (!this.#isSecretOf(clientId, secret)) return refuse("Error validating client secret.");
    const known = this.#codes.get(code);
    if (known === undefined || known.clientId !== clientId || known.endsAt <= nowS())
      return refuse("Invalid authorization code");
    if (known.redirectUri !== redirect_uri) return refuse("Error validating verification code: redirect_uri differs");
    this.#codes.delete(code);
    const token = this.#issue({ ...known, long: false }, HOUR_S);
    const account = this.#account(known.username);
    return new Response(this.#sign.shortLived(token, account, known.scopes), {
      headers: { "content-type": "application/json" },
    });
  }

  /** A token of an hour becomes one of 60 days. */
  async exchangeToken(c: Call): Promise<Response> {
    const { grant_type, client_secret = "", access_token } = await fieldsOf(c);
    this.#expectGrant(grant_type, "exchange");
    const token = this.#check(access_token);
    if (token.clientId === null || !this.#isSecretOf(token.clientId, client_secret))
      throw new GraphError(1, undefined, "Error validating client secret.");
    if (token.long)
      throw new GraphError(
        452,
        undefined,
        "Session key invalid. This could be because the session key has an incorrect format",
      );
    return this.#longLived(token);
  }

  /** A token of 60 days gets 60 more. */
  async refresh(c: Call): Promise<Response> {
    const { grant_type, access_token } = await fieldsOf(c);
    this.#expectGrant(grant_type, "refresh");
    const token = this.#check(access_token);
    // With which code the networks say this, nobody has written down.
    if (!token.long || nowS() - token.issuedAt < DAY_S)
      throw new GraphError(
        100,
        undefined,
        "(#100) Only long-lived tokens that are at least 24 hours old can be refreshed",
      );
    if (!token.scopes.includes(this.#sign.basic))
      throw new GraphError(10, undefined, "(#10) Application does not have permission for this action", {
        status: 403,
      });
    return this.#longLived(token);
  }

  #expectGrant(grantType: string | undefined, kind: "exchange" | "refresh"): void {
    if (grantType !== `${this.#sign.grant}_${kind}_token`)
      throw new GraphError(100, undefined, `(#100) Invalid grant_type: ${grantType ?? ""}`);
  }

  #longLived(token: Token): Response {
    const access_token = this.#issue({ ...token, long: true }, LONG_LIFE_S);
    return Response.json({ access_token, token_type: "bearer", expires_in: LONG_LIFE_S });
  }

  #issue(of: Pick<Token, "username" | "scopes" | "clientId" | "long">, lifeS: number): string {
    const { username, scopes, clientId, long } = of;
    const text = `${this.#sign.prefix}${randomBytes(40).toString("hex")}`;
    this.#tokens.set(text, { username, scopes, clientId, long, issuedAt: nowS(), endsAt: nowS() + lifeS });
    return text;
  }

  /** The first use of a client's name fixes its secret. */
  #isSecretOf(clientId: string, secret: string): boolean {
    const known = this.#secrets.get(clientId);
    if (known === undefined && clientId !== "" && secret !== "") this.#secrets.set(clientId, secret);
    return secret !== "" && (known ?? secret) === secret;
  }

  #check(text: string | undefined): Token {
    if (text === undefined || text === "")
      throw new GraphError(104, undefined, "An access token is required to request this resource.");
    const token = this.#find(text);
    // The real one repeats the token that it cannot parse.
    if (token === undefined) throw new GraphError(190, undefined, `Malformed access token ${text}`, { status: 401 });
    if (token.endsAt <= nowS())
      throw new GraphError(190, 463, "Error validating access token: Session has expired.", { status: 401 });
    return token;
  }

  #find(text: string | undefined): Token | undefined {
    if (text === undefined) return undefined;
    const known = this.#tokens.get(text);
    if (known !== undefined) return known;
    const [name = "", ...scopes] = text.split("+");
    const username = name.slice(this.#sign.prefix.length + 1);
    if (!name.startsWith(`${this.#sign.prefix}-`) || !USERNAME.test(username)) return undefined;
    const token = {
      username,
      scopes: scopes.length === 0 ? this.#sign.scopes : scopes,
      clientId: null,
      issuedAt: nowS() - 2 * DAY_S,
      endsAt: nowS() + LONG_LIFE_S - 2 * DAY_S,
      long: true,
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

  #consentPage(fields: Record<string, string>, scopes: string[]): string {
    const hidden = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${quote(name)}" value="${quote(value)}">`,
    );
    const names = [...new Set(["crier_demo", ...this.accounts.keys()])].slice(0, 20);
    const options = names.map((name) => `<option>${quote(name)}</option>`);
    return page(
      `Continue to ${this.#sign.platform}`,
      `<form method="post">${hidden.join("")}
      <p>${quote(fields.client_id ?? "")} asks for: ${scopes.map(quote).join(", ")}
      <p><label>Account <input name="account" list="accounts" value="crier_demo"></label><datalist id="accounts">${options.join("")}</datalist>
      <p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Not now</button></form>`,
    );
  }
}

const quote = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const page = (title: string, body: string) =>
  `<!doctype html><meta charset="utf-8"><title>${quote(title)}</title><h1>${quote(title)}</h1>${body}`;
