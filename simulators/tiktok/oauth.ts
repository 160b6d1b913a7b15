// Login Kit: the consent page, and the endpoint that issues, renews and revokes tokens.
import { randomBytes } from "node:crypto";
import { html } from "hono/html";
import { consentPage } from "../consent-page.ts";
import type { State } from "../state.ts";
import { type Accounts, getScopes } from "./accounts.ts";
import { type Call, oauthError } from "./answers.ts";

interface Grant {
  username: string;
  scopes: string[];
  clientKey: string;
  redirectUri: string;
  endsAt: number;
}

/** How long a code is valid: undocumented. */
const CODE_LIFE_MS = 10 * 60_000;

export class OAuth {
  readonly #accounts: Accounts;
  readonly #grants: Map<string, Grant>;
  /** The secret of each app, from its first call. */
  readonly #secrets: Map<string, string>;

  constructor(accounts: Accounts, state: State) {
    this.#accounts = accounts;
    this.#grants = state.map("tiktok.grants");
    this.#secrets = state.map("tiktok.secrets");
  }

  /** GET shows the page; a decision in the query or in the form redirects the person back. */
  async authorize(c: Call): Promise<Response> {
    const query = new URL(c.req.url).searchParams;
    const form = c.req.method === "POST" ? new URLSearchParams(await c.req.text()) : new URLSearchParams();
    const read = (name: string) => form.get(name) ?? query.get(name) ?? "";
    const redirectUri = read("redirect_uri");
    const requestedScopes = read("scope").split(",").filter(Boolean);
    const ofApp = getScopes(read("client_key"));
    const unknown = requestedScopes.filter((scope) => !ofApp.includes(scope));
    if (read("client_key") === "" || read("response_type") !== "code" || !URL.canParse(redirectUri))
      return c.html(html`<h1>Something went wrong</h1><p>client_key, response_type or redirect_uri</p>`, 400);
    if (requestedScopes.length === 0 || unknown.length > 0)
      return c.html(html`<h1>Something went wrong</h1><p>scope: ${unknown.join(", ")}</p>`, 400);
    const decision = read("decision");
    const username = read("account").replace(/^@/, "") || "crier";
    if (decision === "") return c.html(this.#page(query, username, requestedScopes));
    const target = new URL(redirectUri);
    target.searchParams.set("state", read("state"));
    if (decision === "deny") {
      target.searchParams.set("error", "access_denied");
      target.searchParams.set("error_description", "User cancelled the authorization");
      return c.redirect(target.href);
    }
    const ticked = [...form.getAll("granted"), ...query.getAll("granted")].flatMap((list) => list.split(","));
    const scopes = ticked.length === 0 ? requestedScopes : requestedScopes.filter((scope) => ticked.includes(scope));
    // Codes contain characters that must be escaped in an address.
    const code = `${randomBytes(24).toString("hex")}*1!4810.s1`;
    const endsAt = Date.now() + CODE_LIFE_MS;
    this.#grants.set(code, { username, scopes, clientKey: read("client_key"), redirectUri, endsAt });
    target.searchParams.set("code", code);
    target.searchParams.set("scopes", scopes.join(","));
    return c.redirect(target.href);
  }

  #page(query: URLSearchParams, username: string, requestedScopes: string[]) {
    return consentPage(
      "Log in with TikTok",
      html`<p>${query.get("client_key")} would like to:</p>
<form method="post">
<p><label>Account <input name="account" value="${username}"></label></p>
${requestedScopes.map((scope) => html`<label class="choice"><input type="checkbox" name="granted" value="${scope}" checked> ${scope}</label>`)}
<p><button name="decision" value="allow">Continue</button> <button name="decision" value="deny">Cancel</button></p>
</form>`,
    );
  }

  async token(c: Call): Promise<Response> {
    const form = new URLSearchParams(await c.req.text());
    const refused = this.#checkApp(c, form);
    if (refused !== null) return refused;
    if (form.get("grant_type") === "refresh_token") {
      const tokens = this.#accounts.renew(form.get("refresh_token") ?? "");
      return tokens === undefined
        ? oauthError("invalid_grant", "Refresh token is invalid or expired.")
        : Response.json(tokens);
    }
    // The app's own token, which no account call accepts.
    if (form.get("grant_type") === "client_credentials")
      return Response.json({
        access_token: `clt.${randomBytes(16).toString("hex")}`,
        expires_in: 7_200,
        token_type: "Bearer",
      });
    if (form.get("grant_type") !== "authorization_code")
      return oauthError("unsupported_grant_type", "The grant type is not supported.", 400);
    const code = form.get("code") ?? "";
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    if (grant === undefined || grant.endsAt <= Date.now())
      return oauthError("invalid_grant", "Authorization code is expired.");
    if (grant.clientKey !== form.get("client_key") || grant.redirectUri !== form.get("redirect_uri"))
      return oauthError("invalid_grant", "Redirect_uri is not matched with the uri when requesting code.");
    return Response.json(this.#accounts.issue(this.#accounts.of(grant.username), grant.scopes));
  }

  async revoke(c: Call): Promise<Response> {
    const form = new URLSearchParams(await c.req.text());
    const refused = this.#checkApp(c, form);
    if (refused !== null) return refused;
    const account = this.#accounts.ownerOf(form.get("token") ?? undefined);
    if (account === undefined) return oauthError("invalid_request", "The token is missing or unknown.", 400);
    this.#accounts.revoke(account);
    return Response.json({});
  }

  /** Id and secret are sent in the form, never in a header. */
  #checkApp(c: Call, form: URLSearchParams): Response | null {
    if (!(c.req.header("content-type") ?? "").startsWith("application/x-www-form-urlencoded"))
      return oauthError("invalid_request", "The request must be a form.", 400);
    const [key, secret] = [form.get("client_key") ?? "", form.get("client_secret") ?? ""];
    if (key === "" || secret === "") return oauthError("invalid_request", "Client key or secret is missing.", 400);
    const expected = this.#secrets.get(key) ?? (key.startsWith("sandbox-") ? "sandbox" : secret);
    this.#secrets.set(key, expected);
    return secret === expected ? null : oauthError("invalid_client", "Client secret is incorrect.", 400);
  }
}
