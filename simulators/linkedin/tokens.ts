// The token endpoint: learn.microsoft.com/en-us/linkedin/shared/authentication, read 2026-11-20.
import type { Context } from "hono";
import { type OAuthRules, OAuthServer } from "../oauth.ts";
import type { SimulatorEnv } from "../simulator.ts";
import type { State } from "../state.ts";

export const PAGE_SCOPES = ["w_organization_social", "r_organization_social", "rw_organization_admin"];
export const SCOPES = ["openid", "profile", "w_member_social", "r_member_postAnalytics", ...PAGE_SCOPES];
const ACCESS_SECONDS = 5_184_000;
const GRANT_SECONDS = 31_536_000;

const RULES: OAuthRules = {
  accessSeconds: ACCESS_SECONDS,
  codeSeconds: 1_800,
  refresh: "stays",
  pkce: false,
  scopes: SCOPES,
  scopeSeparator: ",",
};
export const createOAuth = (state: State) => new OAuthServer(RULES, state, "linkedin");

/** Exchanges a code or renews; the app's secret is a field of the form. */
export async function answerToken(c: Context<SimulatorEnv>, oauth: OAuthServer): Promise<Response> {
  const fields: Record<string, unknown> = await c.req.parseBody();
  const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
  const refuse = (status: 400 | 401, error: string, error_description: string) =>
    c.json({ error, error_description }, status);
  if (!oauth.knowsApp(text("client_id"), text("client_secret")))
    return refuse(401, "invalid_client", "Client authentication failed");
  // As for every app that posts: tokens of its own are for other products.
  if (text("grant_type") === "client_credentials")
    return refuse(401, "access_denied", "This application is not allowed to create application tokens");
  const renews = text("grant_type") === "refresh_token";
  const pair = renews
    ? oauth.renew(text("refresh_token"))
    : oauth.exchange({ code: text("code"), redirect_uri: text("redirect_uri"), client_id: text("client_id") });
  if (pair === null)
    return renews
      ? refuse(400, "invalid_grant", "The provided refresh token is invalid, expired or revoked")
      : refuse(400, "invalid_request", "Unable to retrieve access token: the code is wrong or expired");
  // Only apps with the product of the pages get a refresh token; renewing gives back the same.
  const partner = pair.scopes.some((scope) => PAGE_SCOPES.includes(scope));
  const refresh_token = renews ? text("refresh_token") : pair.refresh;
  return c.json({
    access_token: pair.access,
    expires_in: ACCESS_SECONDS,
    ...(partner ? { refresh_token, refresh_token_expires_in: GRANT_SECONDS } : {}),
    scope: oauth.scopeText(pair.scopes),
    token_type: "Bearer",
  });
}
