// The token endpoint (RFC 6749 3.2, RFC 7009). Codes and refresh tokens are exchanged for tokens, each once; a replayed
// one ends its grant.
import { sha256, sha256Hex } from "../../adapters/digest.ts";
import { log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { OAUTH_ACCESS_LIFE_MS } from "../../domain/limits.ts";
import {
  getResourceUrl,
  isOAuthToken,
  isResource,
  isVerifier,
  makeOAuthToken,
  OAuthRefusal,
} from "../../domain/oauth.ts";
import { deleteToken, endGrant, exchange, findToken, type GrantRow } from "../../store/oauth/grants.ts";
import { makeEntry } from "../audit-entry.ts";
import { limitTries } from "../rate-limit.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { type ClientProof, proveClient } from "./clients.ts";
import { endConnections } from "./end-connections.ts";

/** The fields of a form, each given once. */
export type Form = ReadonlyMap<string, string>;

export interface Tokens {
  access_token: string;
  token_type: "Bearer";
  /** Seconds. */
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** Answers a token request. Throws `OAuthRefusal` or `rate_limited`. */
export async function giveTokens(ctx: Context, proof: ClientProof, form: Form): Promise<Tokens> {
  const kind = parseGrantType(form.get("grant_type"));
  const secret = form.get(kind === "code" ? "code" : "refresh_token");
  if (secret === undefined) throw new OAuthRefusal("invalid_request", "The code or the refresh token is missing.");
  const resource = form.get("resource");
  if (resource !== undefined && !isResource(resource, ctx.settings.baseUrl)) {
    throw new OAuthRefusal("invalid_target", `The only valid resource is ${getResourceUrl(ctx.settings.baseUrl)}.`);
  }
  await proveClient(ctx, proof);
  const hash = isOAuthToken(kind, secret) ? await sha256Hex(secret) : null;
  const record = hash === null ? undefined : await findToken(ctx.accounts, hash);
  if (hash === null || record === undefined || record.token.kind !== kind || record.grant.clientId !== proof.id) {
    await limitTries(ctx, { address: "bad_token_address" });
    throw unknown(kind);
  }
  const { grant, token, now } = record;
  if (kind === "code") await requireSameRequest(grant, form);
  else await limitTries(ctx, { account: ["refresh_grant", grant.id] });
  if (token.expiresAt <= now || grant.resource !== getResourceUrl(ctx.settings.baseUrl)) throw unknown(kind);
  const access = makeOAuthToken("access", ctx.entropy);
  const refresh = makeOAuthToken("refresh", ctx.entropy);
  const next = { access: await sha256Hex(access), refresh: await sha256Hex(refresh) };
  if (!(await exchange(ctx.accounts, grant, { hash, kind }, next))) {
    // Two parties have held the token, and one of them is not the client that it was issued to.
    log("warn", "oauth_replay", { operation: kind });
    await endGrant(ctx.accounts, grant.id, makeEndEntry(ctx, grant, "token_replayed"));
    await tellHomes(ctx);
    endConnections(ctx);
    throw unknown(kind);
  }
  return {
    access_token: access,
    token_type: "Bearer",
    expires_in: OAUTH_ACCESS_LIFE_MS / 1000,
    refresh_token: refresh,
    scope: grant.scopes.join(" "),
  };
}

function parseGrantType(grantType: string | undefined): "code" | "refresh" {
  if (grantType === "authorization_code") return "code";
  if (grantType === "refresh_token") return "refresh";
  if (grantType === undefined) throw new OAuthRefusal("invalid_request", "`grant_type` is missing.");
  throw new OAuthRefusal("unsupported_grant_type", "Only `authorization_code` and `refresh_token` are supported.");
}

const unknown = (kind: "code" | "refresh") =>
  new OAuthRefusal(
    "invalid_grant",
    kind === "code"
      ? "The code is unknown, used or expired."
      : "The refresh token is unknown, used, expired or revoked.",
  );

/** The client that presents the code must be the client that requested it. */
async function requireSameRequest(grant: GrantRow, form: Form): Promise<void> {
  const redirectUri = form.get("redirect_uri");
  if (redirectUri !== undefined && redirectUri !== grant.redirectUri) {
    throw new OAuthRefusal("invalid_grant", "`redirect_uri` is not the one of the request.");
  }
  const verifier = form.get("code_verifier") ?? "";
  if (!isVerifier(verifier) || base64Url(await sha256(verifier)) !== grant.codeChallenge) {
    throw new OAuthRefusal("invalid_grant", "`code_verifier` does not match the `code_challenge` of the request.");
  }
}

/** The audit entry for a grant that its application revoked, or that ended because a token was used twice. */
const makeEndEntry = (ctx: Context, { workspaceId, id, clientName: name }: GrantRow, reason: string) =>
  makeEntry(ctx, { workspaceId, actor: { kind: "app", id, name } }, "application.ended", { details: { reason } });

/**
 * Revokes an access token, or with its refresh token the whole grant. A token that belongs to another client is treated
 * as unknown.
 */
export async function revokeToken(ctx: Context, proof: ClientProof, token: string | undefined): Promise<void> {
  if (token === undefined) throw new OAuthRefusal("invalid_request", "`token` is missing.");
  await proveClient(ctx, proof);
  if (!isOAuthToken("access", token) && !isOAuthToken("refresh", token)) return;
  const hash = await sha256Hex(token);
  const record = await findToken(ctx.accounts, hash);
  if (record === undefined || record.grant.clientId !== proof.id) return;
  if (record.token.kind === "access") return deleteToken(ctx.accounts, hash);
  await endGrant(ctx.accounts, record.grant.id, makeEndEntry(ctx, record.grant, "revoked_by_application"));
  await tellHomes(ctx);
  endConnections(ctx);
}
