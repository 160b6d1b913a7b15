// Consent and tokens: learn.microsoft.com/en-us/linkedin/shared/authentication, read 2026-11-20.
import * as z from "zod";
import { DAY_MS } from "../../domain/limits.ts";
import type {
  Account,
  Connected,
  ConnectorContext,
  Consent,
  CredentialsRefused,
  NetworkIO,
  Refreshed,
} from "../network.ts";
import { readResult, retryableOr, unavailable } from "../shared/http-call.ts";
import { handedOver, lifetimeS, parseExpiry, scopesRefused, token } from "../shared/oauth2.ts";
import { missingToPublish, scopesToAsk } from "../shared/permissions.ts";
import { callToken } from "./api.ts";
import { readRejection } from "./errors.ts";
import {
  ASK_AGAIN_AFTER_MS,
  covered,
  type Grant,
  isRefusedToken,
  MEMBER,
  PAGE,
  PERMISSIONS,
  readMember,
  readMemberPatiently,
  toReach,
} from "./pages.ts";
import { type Credential, PAGE_SCOPES } from "./rule.ts";

/** Access tokens live 60 days; this leaves more time than any upload takes. */
const REFRESH_AHEAD_MS = 5 * DAY_MS;
const Tokens = z.object({
  access_token: token,
  expires_in: lifetimeS,
  refresh_token: token.optional(),
  refresh_token_expires_in: lifetimeS.optional(),
  scope: z.string().optional(),
});
export async function connect(input: unknown, io: NetworkIO): Promise<Connected<Credential>> {
  const { access_token, refresh_token = null, expires_at, account_id, scopes } = handedOver.parse(input);
  const missing = scopes === undefined ? [] : missingFor(account_id, scopes);
  if (missing.length > 0) return scopesRefused(missing);
  const expiresAt = parseExpiry(expires_at);
  const grant: Grant = {
    access_token,
    refresh_token,
    issued_at: 0,
    expires_at: expiresAt,
    refresh_expires_at: null,
  };
  const reach = scopes === undefined ? { member: true, pages: true } : toReach(scopes);
  const pages = reach.pages && account_id?.startsWith(MEMBER) !== true;
  const accounts = await covered(io, grant, { ...reach, pages }, readMember);
  if (!Array.isArray(accounts)) {
    if (accounts.is === "retryable") return accounts;
    return {
      is: "credentials_refused",
      field: "/access_token",
      message: "LinkedIn does not accept this token.",
      hint: `Send a token that has not expired, with the scopes ${PERMISSIONS.asked.join(", ")}.`,
    };
  }
  const chosen = accounts.find(({ accountId }) => accountId === account_id);
  const [first, ...otherAccounts] = accounts;
  if (chosen !== undefined) return chosen;
  return account_id === undefined && otherAccounts.length === 0 && first !== undefined
    ? first
    : refuseAmbiguousAccount(accounts);
}

/** The scopes that a token lacks to post as the account, or as any account if none is named. */
function missingFor(accountId: string | undefined, scopes: string[]): string[] {
  const isPageWanted = accountId?.startsWith(PAGE) === true;
  const sufficient = PERMISSIONS.sufficient.filter(
    (set) => !isPageWanted || PAGE_SCOPES.every((scope) => set.includes(scope)),
  );
  return missingToPublish({ ...PERMISSIONS, sufficient }, scopes);
}

function refuseAmbiguousAccount(accounts: Account<Credential>[]): CredentialsRefused {
  return {
    is: "credentials_refused",
    field: "/account_id",
    message: "The token covers several accounts, or does not cover this one.",
    hint: `Set \`account_id\` to one of: ${accounts.map(({ accountId, handle }) => `${accountId} (${handle})`).join(", ")}.`,
  };
}

const NOT_TAKEN = {
  is: "grant_refused",
  message: "LinkedIn rejected the consent.",
  hint: "Request a new link and try again.",
} as const;

// PKCE is not used: LinkedIn has it only for native apps, and our app has a secret.
export const consent: Consent<Credential> = {
  address(app, { redirectUri, state }) {
    const query = {
      response_type: "code",
      client_id: app.clientId,
      redirect_uri: redirectUri,
      state,
      // One scope that the app lacks makes the network refuse the whole consent.
      scope: scopesToAsk(PERMISSIONS, app).join(" "),
    };
    return `https://www.linkedin.com/oauth/v2/authorization?${new URLSearchParams(query)}`;
  },
  async exchange({ code, redirectUri }, app, io) {
    const asker = { io, credential: { issued_at: 0 } };
    const answer = await callToken(io, { grant_type: "authorization_code", code, redirect_uri: redirectUri });
    const tokens = readResult(answer, Tokens);
    if (tokens === undefined) return retryableOr(answer, readRejection(answer, asker), NOT_TAKEN, io.now());
    // Separated by commas or by spaces: sources differ.
    const granted = tokens.scope?.split(/[\s,]+/) ?? scopesToAsk(PERMISSIONS, app);
    const missing = missingToPublish(PERMISSIONS, granted);
    if (missing.length > 0) {
      const message = `The consent lacks ${missing.join(", ")}.`;
      return { is: "grant_refused", message, hint: "Grant all requested permissions." };
    }
    const accounts = await covered(io, toGrant(tokens, io.now()), toReach(granted), readMemberPatiently);
    if (Array.isArray(accounts)) return { is: "granted", accounts };
    return accounts.is === "retryable" ? accounts : NOT_TAKEN;
  },
};

function toGrant({ access_token, refresh_token, ...seconds }: z.output<typeof Tokens>, now: number): Grant {
  const { expires_in, refresh_token_expires_in: refreshLifetimeS } = seconds;
  return {
    access_token,
    refresh_token: refresh_token ?? null,
    issued_at: now,
    expires_at: now + expires_in * 1000,
    refresh_expires_at: refreshLifetimeS === undefined ? null : now + refreshLifetimeS * 1000,
  };
}

/** An access token that expires with the grant itself is not renewed, because that would gain no time. */
export function refreshAt({ expires_at, refresh_token, refresh_expires_at }: Credential): number | null {
  if (refresh_token === null || expires_at === null) return null;
  return refresh_expires_at !== null && expires_at >= refresh_expires_at ? null : expires_at - REFRESH_AHEAD_MS;
}

export { endsAt } from "../shared/oauth2.ts";

/**
 * A renewal gives a new access token, but the grant ends at the same time as before. Without a refresh token, the access token
 * itself is tried several times, so that a single 401 does not end a channel.
 */
export async function refresh({ credential, io }: ConnectorContext<Credential>): Promise<Refreshed<Credential>> {
  const { refresh_token, refresh_expires_at } = credential;
  if (refresh_token === null) return tryAgain({ credential, io });
  const answer = await callToken(io, { grant_type: "refresh_token", refresh_token });
  const tokens = readResult(answer, Tokens);
  if (tokens !== undefined) {
    const grant = toGrant(tokens, io.now());
    const refreshFields = {
      refresh_token: grant.refresh_token ?? refresh_token,
      refresh_expires_at: grant.refresh_expires_at ?? refresh_expires_at,
    };
    return { is: "fresh", credential: { ...credential, ...grant, ...refreshFields } };
  }
  const isRefusal = answer.is === "answer" && answer.status >= 400 && answer.status < 500;
  const error = isRefusal ? z.object({ error: z.string() }).safeParse(answer.body).data?.error : undefined;
  if (error !== "invalid_grant") return unavailable(answer, io.now());
  return { is: "rejected", error: "token_revoked", detail: "LinkedIn rejects the refresh token" };
}

/** Whether an access token without a refresh token is still valid. */
async function tryAgain({ credential, io }: ConnectorContext<Credential>): Promise<Refreshed<Credential>> {
  const { access_token, expires_at } = credential;
  if (expires_at !== null && expires_at <= io.now())
    return { is: "rejected", error: "token_expired", detail: "the access token has expired and cannot be renewed" };
  const member = await readMemberPatiently(io, access_token);
  if (!("answer" in member)) return { is: "fresh", credential };
  const { answer } = member;
  if (isRefusedToken(answer)) {
    const detail = `LinkedIn rejected the access token ${ASK_AGAIN_AFTER_MS.length + 1} times, and it cannot be renewed`;
    return { is: "rejected", error: "token_revoked", detail };
  }
  // Only a valid token gets a 403 about missing permissions.
  return answer.is === "answer" && answer.status === 403 ? { is: "fresh", credential } : unavailable(answer, io.now());
}
