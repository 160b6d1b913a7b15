// The description of this deployment as an OAuth client, which servers of other operators read at its address: RFC 7591, 2,
// as atproto.com/specs/oauth requires it (read 2026-11-27).
import type { Context } from "../../context.ts";
import type { JsonObject } from "../../domain/json.ts";
import { networks } from "../../networks/index.ts";
import { buildRedirectUri } from "./connect-link.ts";

/** null: this deployment has no keys or no address that others can read. */
export async function describeClient(ctx: Context): Promise<JsonObject | null> {
  const { oauthClient, clientKeys, settings } = ctx;
  if (oauthClient === null || clientKeys === null) return null;
  const offered = networks.filter(({ consentByHandle }) => consentByHandle !== undefined);
  const permissions = offered.flatMap(({ consentByHandle }) => consentByHandle?.permissions ?? []);
  return {
    client_id: oauthClient.id,
    client_name: "Crier",
    client_uri: settings.baseUrl,
    application_type: "web",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    redirect_uris: offered.map(({ rule }) => buildRedirectUri(ctx, rule.platform)),
    scope: [...new Set(permissions)].join(" "),
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "ES256",
    dpop_bound_access_tokens: true,
    jwks: { keys: (await clientKeys.listKeys()).map((key) => ({ ...key })) },
  };
}
