// The discovery documents for client authorization: the resource (RFC 9728) and its authorization server (RFC 8414).
import type { Hono } from "hono";
import { AUTH_METHODS, getResourceUrl, SCOPE } from "../../domain/oauth.ts";
import type { HttpEnv } from "../mount.ts";
import { AUTHORIZE_PATH } from "../return-to.ts";
import { openToBrowsers } from "./cors.ts";

export const REGISTER_PATH = "/oauth/register";
export const TOKEN_PATH = "/oauth/token";
export const REVOKE_PATH = "/oauth/revoke";

/** Clients try the address of the resource first, then the root. */
const PLACES = ["", "/mcp"];

export function mountOAuthMetadata(app: Hono<HttpEnv>): void {
  for (const place of PLACES) {
    openToBrowsers(app, `/.well-known/oauth-protected-resource${place}`, "GET", (c) =>
      c.json(aboutResource(c.var.ctx.settings.baseUrl), 200, { "Cache-Control": "public, max-age=300" }),
    );
    openToBrowsers(app, `/.well-known/oauth-authorization-server${place}`, "GET", (c) =>
      c.json(aboutServer(c.var.ctx.settings.baseUrl), 200, { "Cache-Control": "public, max-age=300" }),
    );
  }
}

const aboutResource = (baseUrl: string) => ({
  resource: getResourceUrl(baseUrl),
  authorization_servers: [baseUrl],
  scopes_supported: [SCOPE],
  bearer_methods_supported: ["header"],
  resource_name: "Crier",
  resource_documentation: `${baseUrl}/docs`,
});

const aboutServer = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: baseUrl + AUTHORIZE_PATH,
  token_endpoint: baseUrl + TOKEN_PATH,
  registration_endpoint: baseUrl + REGISTER_PATH,
  revocation_endpoint: baseUrl + REVOKE_PATH,
  scopes_supported: [SCOPE],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  protected_resources: [getResourceUrl(baseUrl)],
  service_documentation: `${baseUrl}/docs`,
});
