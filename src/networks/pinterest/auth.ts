// Consent, tokens and the account that owns them.
import * as z from "zod";
import type { Retryable } from "../../domain/delivery/outcome.ts";
import { DAY_MS } from "../../domain/limits.ts";
import type { Account, Connected, ConnectorContext, Consent, NetworkIO, Refreshed } from "../network.ts";
import { readResult, retryableOr } from "../shared/http-call.ts";
import { handedOver, lifetimeS, parseExpiry, scopesRefused, token } from "../shared/oauth2.ts";
import { getPermissions, missingToPublish, scopesToAsk } from "../shared/permissions.ts";
import { call, callToken } from "./api.ts";
import { readRejection, renewalFailure } from "./errors.ts";
import { type Credential, rule } from "./rule.ts";

const PERMISSIONS = getPermissions(rule);
/**
 * How long before it expires the access token is renewed: more than any upload takes. Access tokens are valid for 30 days and
 * refresh tokens for 60. Each renewal returns new ones.
 */
const REFRESH_AHEAD_MS = 5 * DAY_MS;

const Tokens = z.object({
  access_token: token,
  refresh_token: token.optional(),
  expires_in: lifetimeS,
  scope: z.string().optional(),
});
const User = z.object({
  id: z.string(),
  username: z.string(),
  business_name: z.string().nullish(),
  profile_image: z.string().nullish(),
});

type Identified = Account<Credential> | { is: "token_refused" } | Retryable;

async function identify(io: NetworkIO, credential: Omit<Credential, "username">): Promise<Identified> {
  const answer = await call(io, credential.access_token, "GET", "/user_account");
  const user = readResult(answer, User);
  if (user === undefined)
    return retryableOr(answer, readRejection(answer, io.now()), { is: "token_refused" }, io.now());
  return {
    is: "connected",
    accountId: user.id,
    handle: user.username,
    name: user.business_name || null,
    avatarUrl: user.profile_image || null,
    profileUrl: `https://www.pinterest.com/${encodeURIComponent(user.username)}/`,
    credential: { ...credential, username: user.username },
    tokenExpiresAt: credential.refresh_token === null ? credential.expires_at : null,
    missingPermissions: [],
  };
}

export async function connect(input: unknown, io: NetworkIO): Promise<Connected<Credential>> {
  const { access_token, refresh_token = null, expires_at, scopes } = handedOver.parse(input);
  const missing = scopes === undefined ? [] : missingToPublish(PERMISSIONS, scopes);
  if (missing.length > 0) return scopesRefused(missing);
  const account = await identify(io, { access_token, refresh_token, expires_at: parseExpiry(expires_at) });
  if (account.is !== "token_refused") return account;
  return {
    is: "credentials_refused",
    field: "/access_token",
    message: "Pinterest does not accept this token.",
    hint: `Send a user token that has not expired, with the scopes ${PERMISSIONS.asked.join(", ")}.`,
  };
}

// No PKCE: the API description has no parameters for it.
export const consent: Consent<Credential> = {
  address(app, { redirectUri, state }) {
    const query = {
      client_id: app.clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      // Commas: docs/getting-started/set-up-authentication-and-authorization, read 2026-11-22.
      scope: scopesToAsk(PERMISSIONS, app).join(","),
      state,
    };
    return `https://www.pinterest.com/oauth/?${new URLSearchParams(query)}`;
  },
  async exchange({ code, redirectUri }, app, io) {
    const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri, continuous_refresh: "true" };
    const answer = await callToken(io, fields);
    const tokens = readResult(answer, Tokens);
    const refused = {
      is: "grant_refused",
      message: "Pinterest rejected the consent.",
      hint: "Request a new link and try again.",
    } as const;
    if (tokens === undefined) return retryableOr(answer, readRejection(answer, io.now()), refused, io.now());
    // Separated by commas like the requested scopes; other networks use spaces.
    const granted = tokens.scope?.split(/[\s,]+/) ?? scopesToAsk(PERMISSIONS, app);
    const missing = missingToPublish(PERMISSIONS, granted);
    if (missing.length > 0) {
      return {
        is: "grant_refused",
        message: scopesRefused(missing).message,
        hint: "Grant all requested permissions.",
      };
    }
    const account = await identify(io, {
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token ?? null,
      expires_at: io.now() + tokens.expires_in * 1000,
    });
    if (account.is === "token_refused") return refused;
    return account.is === "retryable" ? account : { is: "granted", accounts: [account] };
  },
};

export function refreshAt({ expires_at, refresh_token }: Credential): number | null {
  return refresh_token === null || expires_at === null ? null : expires_at - REFRESH_AHEAD_MS;
}

export { endsAt } from "../shared/oauth2.ts";

export async function refresh({ credential, io }: ConnectorContext<Credential>): Promise<Refreshed<Credential>> {
  if (credential.refresh_token === null) {
    return { is: "rejected", error: "token_expired", detail: "the token cannot be renewed" };
  }
  const fields = { grant_type: "refresh_token", refresh_token: credential.refresh_token };
  const answer = await callToken(io, fields);
  const tokens = readResult(answer, Tokens);
  if (tokens === undefined) return renewalFailure(answer, io.now());
  const { access_token, refresh_token = credential.refresh_token, expires_in } = tokens;
  const expires_at = io.now() + expires_in * 1000;
  return { is: "fresh", credential: { ...credential, access_token, refresh_token, expires_at } };
}
