// Login Kit: the owner of a token, a user's consent, and new tokens. Scopes are separated by commas.
import * as z from "zod";
import { HOUR_MS } from "../../domain/limits.ts";
import type {
  Account,
  App,
  Connected,
  ConnectorContext,
  Consent,
  CredentialsRefused,
  NetworkIO,
  Refreshed,
} from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS, unavailable } from "../shared/http-call.ts";
import { handedOver, lifetimeS, token } from "../shared/oauth2.ts";
import { getPermissions, missingOptional, missingToPublish, scopesToAsk } from "../shared/permissions.ts";
import { call, HOST, readData, readError } from "./api.ts";
import { Creator, queryCreator } from "./creator.ts";
import { CAP_CODES, harmless, LOST_CODES } from "./errors.ts";
import { type Credential, rule } from "./rule.ts";

const PERMISSIONS = getPermissions(rule);
const SCOPE_CODES = new Set(["scope_not_authorized", "scope_permission_missed"]);
/** Longer than the longest upload, so that no token expires during one. */
const REFRESH_AHEAD_MS = HOUR_MS;
/**
 * The lifetime of a token without a known one: developers.tiktok.com/docs/en/oauth-user-access-token-management of 2026-11-05
 * says 2 hours, older pages say 24.
 */
const ACCESS_LIFE_MS = 2 * HOUR_MS;

const Tokens = z.object({
  access_token: token,
  refresh_token: token,
  expires_in: lifetimeS,
  open_id: z.string().min(1),
  scope: z.string(),
});

const User = z.object({
  user: z.object({ open_id: z.string().min(1), avatar_url: z.string().nullish(), display_name: z.string().nullish() }),
});

/** The result of examining a token: its account, its missing scopes, or the answer that stopped the examination. */
type Identified = Account<Credential> | { is: "lacking"; scopes: string[] } | { is: "failed"; answer: Answer };

const lacks = (answer: Answer) => SCOPE_CODES.has(readError(answer)?.code ?? "");
/** An account at a cap may post, but not now. */
const capped = (answer: Answer) => CAP_CODES.has(readError(answer)?.code ?? "");

/** Asks for the status of a post that does not exist: the scopes of posts and of drafts both allow that. */
const askForNoPost = (context: Parameters<typeof call>[0]) =>
  call(context, "post/publish/status/fetch/", { publish_id: "v_inbox_file~v2.0" });
const isAboutThePost = (answer: Answer) =>
  LOST_CODES.has(readError(answer)?.code ?? "") || readData(answer, z.object({})) !== undefined;

/**
 * Makes one call for each scope, the only way to learn the scopes of a supplied token. `reportedScopes`:
 * the token has at most these; null if unknown.
 */
async function identify(
  tokens: Omit<Credential, "open_id">,
  io: NetworkIO,
  reportedScopes: string[] | null,
): Promise<Identified> {
  const context = { credential: tokens, io };
  const userAnswer = await call(context, "user/info/?fields=open_id,avatar_url,display_name");
  const user = readData(userAnswer, User)?.user;
  if (user === undefined && !lacks(userAnswer)) return { is: "failed", answer: userAnswer };
  const mayPublish = reportedScopes === null || reportedScopes.includes("video.publish");
  const may = mayPublish ? await queryCreator(context) : null;
  const creator = may === null ? undefined : readData(may, Creator);
  if (may !== null && creator === undefined && !lacks(may) && !capped(may)) return { is: "failed", answer: may };
  const mayList = reportedScopes === null || reportedScopes.includes("video.list");
  const list = mayList ? await call(context, "video/list/?fields=id", { max_count: 1 }) : null;
  if (list !== null && readData(list, z.object({})) === undefined && !lacks(list))
    return { is: "failed", answer: list };
  // If a token may publish, no call shows whether it may also send drafts, so that is assumed.
  const upload = reportedScopes === null && may !== null && lacks(may) ? await askForNoPost(context) : null;
  if (upload !== null && !isAboutThePost(upload) && !lacks(upload)) return { is: "failed", answer: upload };
  const mayUpload =
    reportedScopes === null ? upload === null || !lacks(upload) : reportedScopes.includes("video.upload");
  const answers = { "user.info.basic": userAnswer, "video.publish": may, "video.list": list };
  const granted = Object.entries(answers).flatMap(([scope, answer]) =>
    answer === null || lacks(answer) ? [] : [scope],
  );
  if (mayUpload) granted.push("video.upload");
  const scopes = missingToPublish(PERMISSIONS, granted);
  if (user === undefined || scopes.length > 0) return { is: "lacking", scopes };
  const { open_id, display_name = null, avatar_url = null } = user;
  const username = creator?.creator_username ?? null;
  return {
    is: "connected",
    accountId: open_id,
    handle: username === null ? (display_name ?? open_id) : `@${username}`,
    name: display_name,
    avatarUrl: avatar_url,
    profileUrl: username === null ? null : `https://www.tiktok.com/@${username}`,
    credential: { open_id, ...tokens },
    tokenExpiresAt: tokens.refresh_token === null ? tokens.expires_at : null,
    missingPermissions: missingOptional(PERMISSIONS, granted),
  };
}

export async function connect(input: unknown, io: NetworkIO): Promise<Connected<Credential>> {
  const { access_token, refresh_token = null, expires_at, account_id, scopes } = handedOver.parse(input);
  const missing = scopes === undefined ? [] : missingToPublish(PERMISSIONS, scopes);
  if (missing.length > 0) return withoutScopes(missing);
  const tokens = {
    access_token,
    // Only an app can renew a token.
    refresh_token: io.app === null ? null : refresh_token,
    expires_at: expires_at === undefined ? io.now() + ACCESS_LIFE_MS : Date.parse(expires_at),
  };
  const identity = await identify(tokens, io, scopes ?? null);
  if (identity.is === "lacking") return withoutScopes(identity.scopes);
  if (identity.is === "failed") return refusedToken(identity.answer, io.now());
  if (account_id !== undefined && account_id !== identity.accountId) {
    return {
      is: "credentials_refused",
      field: "/account_id",
      message: `This token belongs to another account: ${identity.accountId} (${identity.handle}).`,
      hint: "A TikTok token covers one account. Omit `account_id`, or set it to that account.",
    };
  }
  return identity;
}

function withoutScopes(missing: string[]): CredentialsRefused {
  return {
    is: "credentials_refused",
    field: "/access_token",
    message: `The token lacks ${missing.join(", ")}.`,
    hint: `Let the account grant ${PERMISSIONS.asked.join(" and ")} and send the new token.`,
  };
}

function refusedToken(answer: Answer, now: number): Connected<Credential> {
  const outcome = harmless(answer, now);
  if (outcome.is === "retryable") return outcome;
  return {
    is: "credentials_refused",
    field: "/access_token",
    message: "TikTok rejects this token.",
    hint: "Get a new token for an account that may post, and send it before it expires.",
    ...(outcome.networkMessage === undefined ? {} : { networkMessage: outcome.networkMessage }),
  };
}

/** A call to the token endpoint: a form that contains the app's id and secret. Errors sometimes have status 200. */
function askForTokens(app: App, io: NetworkIO, fields: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams({ client_key: app.clientId, client_secret: app.clientSecret, ...fields });
  const init = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: `${body}` };
  return ask((signal) => io.fetch(`${HOST}/v2/oauth/token/`, { ...init, signal }), CALL_TIMEOUT_MS);
}

const OAuthError = z.object({ error: z.string().min(1), error_description: z.string().default("") });
const readOAuthError = (answer: Answer) =>
  answer.is === "answer" && answer.status < 500 ? OAuthError.safeParse(answer.body).data : undefined;

function tokensIn(answer: Answer, now: number): (Credential & { scopes: string[] }) | null {
  const tokens = answer.is === "answer" && answer.status === 200 ? Tokens.safeParse(answer.body).data : undefined;
  if (tokens === undefined) return null;
  const { access_token, refresh_token, expires_in, open_id, scope } = tokens;
  const scopes = scope.split(",").map((name) => name.trim());
  return { open_id, access_token, refresh_token, expires_at: now + expires_in * 1000, scopes };
}

/** No PKCE: it is only for desktop and mobile apps. */
export const consent: Consent<Credential> = {
  address(app, { redirectUri, state }) {
    const query = new URLSearchParams({
      client_key: app.clientId,
      scope: scopesToAsk(PERMISSIONS, app).join(","),
      response_type: "code",
      redirect_uri: redirectUri,
      state,
    });
    return `https://www.tiktok.com/v2/auth/authorize/?${query}`;
  },
  async exchange({ code, redirectUri }, app, io) {
    const fields = { code, grant_type: "authorization_code", redirect_uri: redirectUri };
    const answer = await askForTokens(app, io, fields);
    const tokens = tokensIn(answer, io.now());
    if (tokens === null) {
      const error = readOAuthError(answer);
      if (error === undefined) return unavailable(answer, io.now());
      return {
        is: "grant_refused",
        message: "TikTok rejected the consent.",
        hint: "Start again: a code can be used once, within a few minutes.",
        networkMessage: error.error_description || error.error,
      };
    }
    const { scopes, open_id, ...access } = tokens;
    const missing = missingToPublish(PERMISSIONS, scopes);
    if (missing.length > 0) return ungranted(missing);
    const identity = await identify(access, io, scopes);
    if (identity.is === "lacking") return ungranted(identity.scopes);
    if (identity.is === "connected") return { is: "granted", accounts: [identity] };
    const refused = refusedToken(identity.answer, io.now());
    if (refused.is !== "credentials_refused") return unavailable(identity.answer, io.now());
    return { ...refused, is: "grant_refused", hint: "Connect an account that may post." };
  },
};

function ungranted(missing: string[]) {
  return {
    is: "grant_refused" as const,
    message: `The account did not grant ${missing.join(", ")}.`,
    hint: "Start again and leave every permission enabled.",
  };
}

/** A token that cannot be renewed is used as it is until it expires. */
export function refreshAt({ refresh_token, expires_at }: Credential): number | null {
  return refresh_token === null ? null : expires_at - REFRESH_AHEAD_MS;
}

export { endsAt } from "../shared/oauth2.ts";

/**
 * Gets a new pair of tokens. The old refresh token stops working as soon as the new one exists
 * (developers.tiktok.com/docs/en/oauth-refresh-a-user-access-token of 2026-11-02).
 */
export async function refresh({ credential, io }: ConnectorContext<Credential>): Promise<Refreshed<Credential>> {
  const { refresh_token, open_id } = credential;
  if (refresh_token === null) return { is: "rejected", error: "token_expired", detail: "there is no refresh token" };
  if (io.app === null) return { is: "rejected", error: "token_expired", detail: "this deployment has no TikTok app" };
  const answer = await askForTokens(io.app, io, { grant_type: "refresh_token", refresh_token });
  const tokens = tokensIn(answer, io.now());
  // An incomplete answer, or one for another account, never replaces a credential.
  if (tokens !== null && tokens.open_id === open_id) {
    const { scopes, ...fresh } = tokens;
    return { is: "fresh", credential: fresh };
  }
  const error = readOAuthError(answer);
  if (error?.error !== "invalid_grant") return unavailable(answer, io.now());
  return { is: "rejected", error: "token_revoked", networkMessage: error.error_description || error.error };
}
