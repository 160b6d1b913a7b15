// Google's consent page, and its token, tokeninfo and revoke endpoints.
import { createHash, randomBytes } from "node:crypto";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { consentPage } from "../consent-page.ts";
import { misbehave } from "../faults.ts";
import { hasPersona } from "../personas.ts";
import type { SimulatorEnv, World } from "../simulator.ts";
import { ACCESS_LIFE_S, type Account, type Accounts, type Issue, KNOWN_SCOPES } from "./accounts.ts";
import { OAuthError } from "./errors.ts";

const PLATFORM = "youtube";
/** The account of the consent page, unless the person enters another. */
export const DEMO_ACCOUNT = "crier_demo";
const CODE_LIFE_MS = 600_000;
/** The scopes of an app of the persona `smallest`. */
const SCOPES_ASKED = ["upload", "readonly", "force-ssl"].map(
  (name) => `https://www.googleapis.com/auth/youtube.${name}`,
);

interface Code {
  account: Account;
  scopes: string[];
  clientId: string;
  redirectUri: string;
  challenge: string | undefined;
  offline: boolean;
  expiresAt: number;
}

export function mountOAuth(app: Hono<SimulatorEnv>, world: World, accounts: Accounts): void {
  const codes = world.state.map<string, Code>("youtube.codes");
  /** The secret of each client is the first one that it used. */
  const secrets = world.state.map<string, string>("youtube.secrets");
  secrets.set(`sandbox-${PLATFORM}`, "sandbox");
  /** The client that a refresh token belongs to. */
  const owners = world.state.map<string, string>("youtube.owners");

  app.on(["GET", "POST"], "/o/oauth2/v2/auth", async (c) => {
    const form = c.req.method === "POST" ? await c.req.formData() : new FormData();
    const { redirect_uri: redirectUri = "", client_id: clientId = "", state, ...query } = c.req.query();
    const wrong = whatIsWrong({ ...query, redirectUri, clientId });
    const unregistered = hasPersona(clientId, "smallest")
      ? (query.scope ?? "").split(" ").filter((scope) => !SCOPES_ASKED.includes(scope))
      : [];
    if (wrong === null && unregistered.length > 0)
      return c.html(
        html`<h1>Access blocked: Authorization Error</h1><p>Error 403: restricted_client</p>
<p>Unregistered scope(s) in the request: ${unregistered.join(", ")}</p>`,
        403,
      );
    if (wrong !== null)
      return c.html(html`<h1>Access blocked: Authorization Error</h1><p>Error 400: ${wrong}</p>`, 400);
    const decision = form.get("decision") ?? query.decision;
    const requestedScopes = (query.scope ?? "").split(" ");
    if (decision === undefined || decision === null) return c.html(page(c.req.url, requestedScopes));
    const back = new URL(redirectUri);
    if (state !== undefined) back.searchParams.set("state", state);
    if (decision !== "allow") {
      back.searchParams.set("error", "access_denied");
      return c.redirect(back.href);
    }
    const ticked = form.has("decision")
      ? form.getAll("scope").map(String)
      : (query.granted?.split(" ") ?? requestedScopes);
    const scopes = requestedScopes.filter((scope) => ticked.includes(scope));
    const account = accounts.account(String(form.get("account") ?? query.account ?? DEMO_ACCOUNT).replace(/^@/, ""));
    const code = `4/${randomBytes(24).toString("base64url")}`;
    codes.set(code, {
      account,
      scopes,
      clientId,
      redirectUri,
      challenge: query.code_challenge,
      // A repeated consent returns a refresh token only if consent is prompted for again.
      offline: query.access_type === "offline" && (query.prompt ?? "").split(" ").includes("consent"),
      expiresAt: Date.now() + CODE_LIFE_MS,
    });
    back.searchParams.set("code", code);
    back.searchParams.set("scope", scopes.join(" "));
    return c.redirect(back.href);
  });

  endpoint("/token", "token", (form) => {
    authenticate(form);
    const grantType = form.get("grant_type");
    if (grantType === "authorization_code") return exchange(form);
    if (grantType === "refresh_token") return renew(form);
    throw new OAuthError(400, "unsupported_grant_type", `Invalid grant_type: ${grantType ?? ""}`);
  });
  endpoint("/tokeninfo", "tokeninfo", (form) => {
    const token = form.get("access_token") ?? "";
    const access = accounts.access(token);
    if (access === undefined) throw new OAuthError(400, "invalid_token", "Invalid Value");
    const client = `sandbox-${PLATFORM}`;
    const { scopes, seconds } = access;
    return {
      azp: client,
      aud: client,
      scope: scopes.join(" "),
      exp: String(Math.floor(Date.now() / 1000) + seconds),
      expires_in: String(seconds),
      access_type: "offline",
    };
  });
  endpoint("/revoke", "revoke", (form) => {
    const token = form.get("token") ?? "";
    const account = accounts.access(token)?.account ?? accounts.grant(token)?.account;
    if (account === undefined) throw new OAuthError(400, "invalid_token", "Token expired or revoked");
    accounts.revoke(account);
    return {};
  });

  function endpoint(path: string, call: string, act: (form: URLSearchParams) => object): void {
    app.post(path, async (c: Context<SimulatorEnv>) => {
      const form = new URLSearchParams(await c.req.text());
      const code = codes.get(form.get("code") ?? "");
      const names = code
        ? accounts.namesOf(`1//${code.account.name}`)
        : ["refresh_token", "access_token", "token"].flatMap((field) => accounts.namesOf(form.get(field) ?? ""));
      return misbehave(world.faults.take(PLATFORM, call, names), c.env, async () => {
        try {
          return Response.json(act(form), { headers: { "cache-control": "no-cache, no-store" } });
        } catch (error) {
          if (error instanceof OAuthError) return error.answer();
          throw error;
        }
      });
    });
  }

  function authenticate(form: URLSearchParams): void {
    const [id, secret] = [form.get("client_id"), form.get("client_secret")];
    if (!id || !secret) throw new OAuthError(400, "invalid_request", "Could not determine client ID from request.");
    if ((secrets.get(id) ?? secret) !== secret)
      throw new OAuthError(401, "invalid_client", "The provided client secret is invalid.");
    secrets.set(id, secret);
  }

  function exchange(form: URLSearchParams): object {
    const codeText = form.get("code") ?? "";
    const code = codes.get(codeText);
    codes.delete(codeText);
    if (code === undefined || code.expiresAt < Date.now() || code.clientId !== form.get("client_id"))
      throw new OAuthError(400, "invalid_grant", "Malformed auth code.");
    if (code.redirectUri !== form.get("redirect_uri"))
      throw new OAuthError(400, "redirect_uri_mismatch", "Bad Request");
    const verifier = form.get("code_verifier") ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    if (code.challenge !== undefined && code.challenge !== challenge)
      throw new OAuthError(400, "invalid_grant", verifier === "" ? "Missing code verifier." : "Invalid code verifier.");
    if (!code.offline) return tokens(code);
    const { token, seconds } = accounts.giveGrant(code);
    owners.set(token, code.clientId);
    return {
      ...tokens(code),
      refresh_token: token,
      ...(seconds !== null && { refresh_token_expires_in: seconds - 1 }),
    };
  }

  function renew(form: URLSearchParams): object {
    const token = form.get("refresh_token") ?? "";
    const client = form.get("client_id") ?? "";
    const grant = accounts.grant(token);
    if (grant === undefined) throw new OAuthError(400, "invalid_grant", "Token has been expired or revoked.");
    if ((owners.get(token) ?? client) !== client) throw new OAuthError(401, "unauthorized_client", "Unauthorized");
    owners.set(token, client);
    return tokens({ ...grant, clientId: client });
  }

  function tokens({ account, scopes, clientId }: Issue): object {
    const access_token = accounts.giveAccess({ account, scopes, clientId });
    return { access_token, expires_in: ACCESS_LIFE_S, scope: scopes.join(" "), token_type: "Bearer" };
  }
}

function whatIsWrong(query: Record<string, string | undefined>): string | null {
  if (!query.clientId) return "invalid_request: Missing required parameter: client_id";
  if (!URL.canParse(query.redirectUri ?? "")) return "redirect_uri_mismatch";
  if (query.response_type !== "code") return "unsupported_response_type";
  const scopes = query.scope?.split(" ") ?? [];
  if (scopes.length === 0) return "invalid_request: Missing required parameter: scope";
  const unknown = scopes.filter((scope) => !KNOWN_SCOPES.includes(scope));
  if (unknown.length > 0) return `invalid_scope: ${unknown.join(", ")}`;
  if (query.code_challenge !== undefined && query.code_challenge_method !== "S256") return "invalid_request";
  return null;
}

function page(address: string, scopes: string[]) {
  const { search } = new URL(address);
  return consentPage(
    "Sign in with Google (simulated)",
    html`<p>The app wants to access a YouTube channel</p>
<form method="post" action="${search}">
<p><label>Account <input name="account" value="${DEMO_ACCOUNT}" pattern="@?[A-Za-z0-9_.\\-]{1,80}" required></label></p>
${scopes.map((scope) => html`<label class="choice"><input type="checkbox" name="scope" value="${scope}" checked> ${scope}</label>`)}
<p><button name="decision" value="allow">Continue</button> <button name="decision" value="deny">Cancel</button></p>
</form>`,
  );
}
