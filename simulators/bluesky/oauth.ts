// Sign-in in the browser at the account's own server, as Bluesky's server offers it: its description, announced requests,
// the consent page and the token endpoint (atproto.com/specs/oauth; bluesky-social/atproto packages/oauth/oauth-provider,
// metadata/build-metadata.ts, router/create-oauth-middleware.ts; read 2026-11-27).
import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { html } from "hono/html";
import { consentPage } from "../consent-page.ts";
import { misbehave } from "../faults.ts";
import type { SimulatorEnv, World } from "../simulator.ts";
import { checkDeclared, identifyClient, type KnownClient } from "./oauth-client.ts";
import { OAuthSessions, REQUEST_LIFE_S, type Sender } from "./oauth-sessions.ts";
import { nextNonce, OAuthProblem, Proofs } from "./proofs.ts";
import { type Call, XrpcError } from "./xrpc.ts";

/** The names of its calls, for fault matching. */
export const OAUTH_CALLS = ["oauth/par", "oauth/token"];

/** The server's accounts, as the sign-in needs them. */
interface People {
  /** The names of an account, for fault matching. */
  namesOf(did: string): string[];
  /** The account of a handle or DID. It is opened if it exists on this server and has not signed in yet. */
  find(name: string): string | undefined;
}

export class AuthorizationServer {
  readonly #world: World;
  readonly #people: People;
  readonly #sessions: OAuthSessions;
  readonly #proofs: Proofs;
  readonly #assertions: Set<string>;

  constructor(world: World, people: People) {
    this.#world = world;
    this.#people = people;
    this.#sessions = new OAuthSessions(world.state);
    this.#proofs = new Proofs(world.state);
    this.#assertions = world.state.set("bluesky.oauth.assertions");
  }

  #issuer(): string {
    return `${this.#world.origin()}/bluesky`;
  }

  /** The account whose access token and proof a call has, if the sign-in covers `permission`. */
  check(c: Call, permission: string | null): string {
    const token = /^DPoP (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
    const { origin, pathname } = new URL(c.req.url);
    const proofKey = this.#proofs.check(c, origin + pathname, token);
    const session = this.#sessions.findByToken(token);
    if (session === null) throw new OAuthProblem("invalid_token", "Invalid token", 401);
    if (session.proofKey !== proofKey) throw new OAuthProblem("invalid_token", "Invalid DPoP key binding", 401);
    const granted = session.scope.split(" ");
    if (permission !== null && !granted.includes("transition:generic") && !granted.includes(permission))
      throw new XrpcError(403, "ScopeMissingError", `Missing required scope "${permission}"`);
    return session.did;
  }

  ownerOf = (value: string) => this.#sessions.ownerOf(value);
  expire = (did: string) => this.#sessions.expire(did);
  forget = (did?: string) => this.#sessions.forget(did);

  mount(app: Hono<SimulatorEnv>): void {
    app.get("/.well-known/oauth-protected-resource", (c) =>
      c.json({ resource: this.#issuer(), authorization_servers: [this.#issuer()], scopes_supported: [] }),
    );
    app.get("/.well-known/oauth-authorization-server", (c) => c.json(describeServer(this.#issuer())));
    app.post("/oauth/par", (c) => this.#answer(c, "oauth/par", 201, (fields) => this.#push(c, fields)));
    app.post("/oauth/token", (c) => this.#answer(c, "oauth/token", 200, (fields) => this.#issue(c, fields)));
    app.get("/oauth/authorize", (c) => this.#authorize(c));
  }

  async #answer(
    c: Call,
    name: string,
    status: number,
    act: (fields: Record<string, string>) => Promise<object>,
  ): Promise<Response> {
    const fields = Object.fromEntries(new URLSearchParams(await c.req.text()));
    const did = this.#sessions.ownerOf(fields.code ?? fields.refresh_token ?? "");
    const names = did === undefined ? [fields.login_hint ?? ""] : this.#people.namesOf(did);
    return misbehave(this.#world.faults.take("bluesky", name, names), c.env, async () => {
      const headers = { "dpop-nonce": nextNonce(), "cache-control": "no-store" };
      try {
        return Response.json(await act(fields), { status, headers });
      } catch (error) {
        if (!(error instanceof OAuthProblem)) throw error;
        const body = { error: error.code, error_description: error.message };
        return Response.json(body, { status: error.status, headers });
      }
    });
  }

  /** The sender of a form: a proof first, then the client, as the server checks them. */
  async #identify(c: Call, fields: Record<string, string>): Promise<{ client: KnownClient; sender: Sender }> {
    const { origin, pathname } = new URL(c.req.url);
    const proofKey = this.#proofs.check(c, origin + pathname);
    const client = await identifyClient(fields, this.#issuer(), this.#assertions);
    return { client, sender: { clientId: client.id, clientKey: client.key, proofKey } };
  }

  async #push(c: Call, fields: Record<string, string>): Promise<object> {
    const { client, sender } = await this.#identify(c, fields);
    const { redirect_uri: redirectUri = "", state = "", scope = "", code_challenge: challenge = "" } = fields;
    if (fields.response_type !== "code" || state === "" || !URL.canParse(redirectUri))
      throw new OAuthProblem("invalid_request", "Invalid authorization request");
    if (challenge === "" || fields.code_challenge_method !== "S256")
      throw new OAuthProblem("invalid_request", 'atproto requires use of "S256" code_challenge_method');
    const scopes = scope.split(" ");
    if (!scopes.includes("atproto")) throw new OAuthProblem("invalid_scope", 'The "atproto" scope is required');
    checkDeclared(client, redirectUri, scopes);
    const hint = fields.login_hint ?? "";
    const request_uri = this.#sessions.push({ ...sender, redirectUri, state, scope, challenge, hint });
    return { request_uri, expires_in: REQUEST_LIFE_S };
  }

  async #issue(c: Call, fields: Record<string, string>): Promise<object> {
    const { sender } = await this.#identify(c, fields);
    const { code = "", redirect_uri: redirectUri = "", code_verifier: verifier = "", refresh_token = "" } = fields;
    if (fields.grant_type === "refresh_token") return this.#sessions.renew(refresh_token, sender);
    if (fields.grant_type !== "authorization_code")
      throw new OAuthProblem("invalid_grant", `Grant type "${fields.grant_type}" is not supported by the server`);
    return this.#sessions.exchange(
      code,
      sender,
      redirectUri,
      createHash("sha256").update(verifier).digest("base64url"),
    );
  }

  /** The consent page. `?decision=allow` or `deny` answers without a page, and `?account=` chooses another account. */
  #authorize(c: Call): Response | Promise<Response> {
    const { client_id: clientId = "", request_uri: uri = "", decision, account } = c.req.query();
    const request = this.#sessions.findRequest(uri, clientId);
    if (request === undefined)
      return c.html(consentPage("This request has expired", html`<p>Go back to the app and start again.</p>`), 400);
    const did = this.#people.find(account ?? request.hint);
    const back = new URL(request.redirectUri);
    back.searchParams.set("iss", this.#issuer());
    back.searchParams.set("state", request.state);
    if (decision === "deny" || (decision === "allow" && did !== undefined)) {
      const code = this.#sessions.decide(uri, request, decision === "allow" ? (did ?? null) : null);
      if (code === null) back.searchParams.set("error", "access_denied");
      else back.searchParams.set("code", code);
      return c.redirect(back.href, 302);
    }
    const refused = decision === "allow" ? html`<p role="alert">There is no such account here.</p>` : "";
    return c.html(
      consentPage(
        "Simulated consent",
        html`<p>${clientId} asks for access to your account:</p>
<ul>${request.scope.split(" ").map((name) => html`<li>${name}</li>`)}</ul>${refused}
<form><input type="hidden" name="client_id" value="${clientId}"><input type="hidden" name="request_uri" value="${uri}">
<p><label>Account <input name="account" value="${request.hint}"></label></p>
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form>`,
      ),
    );
  }
}

const describeServer = (issuer: string) => ({
  issuer,
  // Permissions of single collections cannot be listed here.
  scopes_supported: ["atproto", "transition:email", "transition:generic", "transition:chat.bsky"],
  response_types_supported: ["code"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
  token_endpoint_auth_signing_alg_values_supported: ["ES256"],
  pushed_authorization_request_endpoint: `${issuer}/oauth/par`,
  require_pushed_authorization_requests: true,
  dpop_signing_alg_values_supported: ["ES256"],
  client_id_metadata_document_supported: true,
});
