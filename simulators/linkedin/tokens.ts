// The token endpoint: learn.microsoft.com/en-us/linkedin/shared/authentication, read 2026-11-20.
import type { Context } from "hono";
import { type OAuthRules, OAuthServer, type Token } from "../oauth.ts";
import { hasPersona } from "../personas.ts";
import type { SimulatorEnv } from "../simulator.ts";
import type { State } from "../state.ts";

export const PAGE_SCOPES = ["w_organization_social", "r_organization_social", "rw_organization_admin"];
const PAGE_COMMENTS = "w_organization_social_feed";
const SELF_SERVE = ["openid", "profile", "email", "w_member_social"];
// This product "must be the only product on the application":
// verbb/social-poster issue 52, n8n-io/n8n pull request 7451, read 2026-11-24.
const COMMUNITY_MANAGEMENT = [
  "r_basicprofile",
  "w_member_social",
  "r_member_postAnalytics",
  "w_member_social_feed",
  PAGE_COMMENTS,
  ...PAGE_SCOPES,
];
const ADVERTISING = [...SELF_SERVE, "r_member_postAnalytics", ...PAGE_SCOPES];
export const SCOPES = [...new Set([...ADVERTISING, ...COMMUNITY_MANAGEMENT])];
/**
 * Scopes of a handed-over token: those of an app with the product Advertising API, and comments of pages in addition, except for the
 * persona `cm_only`.
 */
const getScopes = (name: string) =>
  hasPersona(name, "cm_only") ? COMMUNITY_MANAGEMENT : [...ADVERTISING, PAGE_COMMENTS];
const ACCESS_SECONDS = 5_184_000;
const GRANT_SECONDS = 31_536_000;

const RULES: OAuthRules = {
  accessSeconds: ACCESS_SECONDS,
  codeSeconds: 1_800,
  refresh: "stays",
  pkce: false,
  scopes: SCOPES,
  scopeSeparator: ",",
  scopesOfAccount: getScopes,
  scopesOfApp: (clientId) => {
    if (hasPersona(clientId, "cm_only")) return COMMUNITY_MANAGEMENT;
    return hasPersona(clientId, "advertising") ? ADVERTISING : SELF_SERVE;
  },
  // The wording is from gitroomhq/postiz-app pull request 1658. LinkedIn sends it to the redirect address: openillumi.com, read
  // 2026-11-24.
  refuseScope: (scope) => ({
    error: "unauthorized_scope_error",
    error_description: `Scope "${scope}" is not authorized for your application`,
  }),
};
/** How long a new token of the persona `fresh_token` is refused. */
const ACCEPTED_AFTER_MS = 5_000;
export const isTooFresh = ({ account, issuedAt }: Token): boolean =>
  hasPersona(account, "fresh_token") && Date.now() < issuedAt + ACCEPTED_AFTER_MS;

export const createOAuth = (state: State) => new OAuthServer(RULES, state, "linkedin");

/** Exchanges a code or renews a token; the app's secret is a form field. */
export async function answerToken(c: Context<SimulatorEnv>, oauth: OAuthServer): Promise<Response> {
  const fields: Record<string, unknown> = await c.req.parseBody();
  const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
  const refuse = (status: 400 | 401, error: string, error_description: string) =>
    c.json({ error, error_description }, status);
  if (!oauth.knowsApp(text("client_id"), text("client_secret")))
    return refuse(401, "invalid_client", "Client authentication failed");
  // LinkedIn gives no app token to an app that posts, because app tokens are for other products.
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
  // Only apps with the product for pages get a refresh token. A renewal returns the same refresh token.
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
