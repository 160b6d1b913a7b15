// Consent, tokens and the account that owns them: docs.x.com/fundamentals/authentication/oauth-2-0, read 2026-11-20.
import * as z from "zod";
import type { Retryable } from "../../domain/delivery/outcome.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import type { Account, Connected, ConnectorContext, Consent, NetworkIO, Refreshed } from "../network.ts";
import { type Answer, readResult, retryableOr, unavailable } from "../shared/http-call.ts";
import { handedOver, lifetimeS, parseExpiry, scopesRefused, token } from "../shared/oauth2.ts";
import { getPermissions, missingOptional, missingToPublish, scopesToAsk } from "../shared/permissions.ts";
import { call, callToken, readProblems } from "./api.ts";
import { readRejection } from "./errors.ts";
import { type Credential, rule } from "./rule.ts";

const PERMISSIONS = getPermissions(rule);
/** A token lives two hours; the longest upload ends well within this time. */
const REFRESH_AHEAD_MS = 45 * MINUTE_MS;

const Tokens = z.object({
  access_token: token,
  refresh_token: token.optional(),
  expires_in: lifetimeS,
  scope: z.string().optional(),
});
const Me = z.object({
  data: z.object({
    id: z.string(),
    username: z.string(),
    name: z.string().optional(),
    profile_image_url: z.string().optional(),
    /** `None`, `Basic`, `Premium` or `PremiumPlus`, only for the token's own account: OpenAPI description 2.167. */
    subscription_type: z.string().optional(),
  }),
});

type Identified = Account<Credential> | { is: "token_refused" } | Retryable;

/** `granted`: the scopes of the token; null if unknown. */
async function identify(
  io: NetworkIO,
  tokens: Omit<Credential, "user_id" | "username">,
  granted: string[] | null,
): Promise<Identified> {
  const path = "/2/users/me?user.fields=username,name,profile_image_url,subscription_type";
  const answer = await call(io, tokens.access_token, "GET", path);
  const me = readResult(answer, Me)?.data;
  if (me === undefined) return retryableOr(answer, readRejection(answer, io.now()), { is: "token_refused" }, io.now());
  return {
    is: "connected",
    accountId: me.id,
    handle: `@${me.username}`,
    name: me.name ?? null,
    avatarUrl: me.profile_image_url ?? null,
    profileUrl: `https://x.com/${me.username}`,
    credential: { ...tokens, user_id: me.id, username: me.username },
    tokenExpiresAt: tokens.refresh_token === null ? tokens.expires_at : null,
    tier: ["Basic", "Premium", "PremiumPlus"].includes(me.subscription_type ?? "") ? "premium" : "free",
    ...(granted !== null && { missingPermissions: missingOptional(PERMISSIONS, granted) }),
  };
}

export async function connect(input: unknown, io: NetworkIO): Promise<Connected<Credential>> {
  const { access_token, refresh_token = null, expires_at, scopes } = handedOver.parse(input);
  const missing = scopes === undefined ? [] : missingToPublish(PERMISSIONS, scopes);
  if (missing.length > 0) return scopesRefused(missing);
  const tokens = { access_token, refresh_token, expires_at: parseExpiry(expires_at) };
  const account = await identify(io, tokens, scopes ?? null);
  if (account.is !== "token_refused") return account;
  return {
    is: "credentials_refused",
    field: "/access_token",
    message: "X does not accept this token.",
    hint: `Send an OAuth 2 user token that has not expired, with the scopes ${PERMISSIONS.asked.join(", ")}.`,
  };
}

const LATE = {
  is: "grant_refused",
  message: "X rejected the consent.",
  hint: "Request a new link and try again.",
} as const;

export const consent: Consent<Credential> = {
  address(app, { redirectUri, state, challenge }) {
    const query = {
      response_type: "code",
      client_id: app.clientId,
      redirect_uri: redirectUri,
      scope: scopesToAsk(PERMISSIONS, app).join(" "),
      state,
      code_challenge: challenge,
      code_challenge_method: "S256",
    };
    return `https://x.com/i/oauth2/authorize?${new URLSearchParams(query)}`;
  },
  // A code lives 30 seconds.
  async exchange({ code, redirectUri, verifier }, app, io) {
    const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
    const answer = await callToken(io, fields);
    const tokens = readResult(answer, Tokens);
    if (tokens === undefined)
      return isOver(answer) ? LATE : retryableOr(answer, readRejection(answer, io.now()), LATE, io.now());
    const granted = tokens.scope?.split(" ") ?? scopesToAsk(PERMISSIONS, app);
    const missing = missingToPublish(PERMISSIONS, granted);
    if (missing.length > 0) {
      const message = `The consent lacks ${missing.join(", ")}.`;
      return { is: "grant_refused", message, hint: "Grant all requested permissions." };
    }
    const { access_token, refresh_token = null, expires_in } = tokens;
    const expires_at = io.now() + expires_in * 1000;
    const account = await identify(io, { access_token, refresh_token, expires_at }, granted);
    if (account.is === "token_refused") return LATE;
    return account.is === "retryable" ? account : { is: "granted", accounts: [account] };
  },
};

/** The token endpoint's statement that a code or a refresh token is invalid: RFC 6749, 5.2; X also uses invalid_request. */
function isOver(answer: Answer): boolean {
  const [problem] = readProblems(answer);
  return answer.is === "answer" && answer.status === 400 && /^invalid_(grant|request)$/.test(problem?.error ?? "");
}

export function refreshAt({ expires_at, refresh_token }: Credential): number | null {
  return refresh_token === null || expires_at === null ? null : expires_at - REFRESH_AHEAD_MS;
}

export { endsAt } from "../shared/oauth2.ts";

/** A refresh token works once: the new pair is stored before its first use. */
export async function refresh({ credential, io }: ConnectorContext<Credential>): Promise<Refreshed<Credential>> {
  if (credential.refresh_token === null) {
    return { is: "rejected", error: "token_expired", detail: "the token cannot be renewed" };
  }
  const answer = await callToken(io, { grant_type: "refresh_token", refresh_token: credential.refresh_token });
  if (isOver(answer)) return { is: "rejected", error: "token_revoked", detail: "X rejects the refresh token" };
  const tokens = readResult(answer, Tokens);
  // Without a new refresh token the answer is half a credential: the old one is used up, but nothing is discarded.
  if (tokens?.refresh_token === undefined) return unavailable(answer, io.now());
  const { access_token, refresh_token, expires_in } = tokens;
  return {
    is: "fresh",
    credential: { ...credential, access_token, refresh_token, expires_at: io.now() + expires_in * 1000 },
  };
}
