// Sign-in to Instagram and Threads: a code is exchanged for a token of an hour, which is exchanged for a renewable token of
// 60 days. developers.facebook.com, instagram-api-with-instagram-login/business-login and
// threads/get-started/long-lived-tokens, read 2026-11-20.
import * as z from "zod";
import type { Retryable } from "../../../domain/delivery/outcome.ts";
import type { Json } from "../../../domain/json.ts";
import { DAY_MS } from "../../../domain/limits.ts";
import type { PermissionRule } from "../../../domain/posts/platform-rule.ts";
import type {
  Account,
  Connected,
  ConnectorContext,
  Consent,
  CredentialsRefused,
  GrantRefused,
  NetworkIO,
  Refreshed,
} from "../../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS, parseExactly, unavailable } from "../http-call.ts";
import { handedOver, lifetimeS, parseExpiry, token } from "../oauth2.ts";
import { missingOptional, missingToPublish, scopesToAsk } from "../permissions.ts";
import { readGraphError } from "./graph.ts";

export const MetaCredential = z.object({
  user_id: z.string().min(1),
  access_token: token,
  /** The latest time at which the token was issued (epoch milliseconds). */
  issued_at: z.number(),
  /** Epoch milliseconds; null if it was not supplied with the token. */
  expires_at: z.number().nullable(),
  /** Set if the token is that of a Page, which its linked account is used with (Facebook Login). */
  login: z.literal("facebook").optional(),
});
export type MetaCredential = z.output<typeof MetaCredential>;

/** The owner of a token. */
interface Identity {
  userId: string;
  username: string;
  name: string | null;
  avatarUrl: string | null;
  profileUrl: string;
}

/** The differences between the sign-ins of the two networks. */
export interface MetaLogin {
  /** The network as people call it. */
  name: string;
  authorizeUrl: string;
  /** Where a code is exchanged for a token. */
  codeUrl: string;
  /** Host without a version, where long-lived tokens are issued and renewed. */
  host: string;
  /** Prefix of the grant types: `th` or `ig`. */
  grant: string;
  permissions: PermissionRule;
  /** Advice for an app with the Meta app's id and secret instead of the product's own. */
  appIdHint: string;
  /** Advice about an unknown token. */
  tokenHint: string;
  /** The address that returns the token's owner. The caller adds the token. */
  identityUrl(io: NetworkIO): string;
  /** Reads its answer: a sentence says why the account cannot be used; null means that the answer is invalid. */
  identity(body: unknown): Identity | string | null;
  /** An address below the API that only a token with every required scope may read. The caller adds the token. */
  probeUrl(userId: string, io: NetworkIO): string;
}

/** A token can be renewed once it is a day old: threads/get-started/long-lived-tokens, read 2026-11-20. */
const RENEWABLE_AFTER_MS = DAY_MS;
/** A token is renewed at the age of a week, so that a token of 60 days never comes near its end. Our own value. */
const RENEW_AFTER_MS = 7 * DAY_MS;
/** Graph API codes for an invalid token, and for a missing permission. */
const isDeadToken = (answer: Answer) => [190, 102].includes(readGraphError(answer)?.code ?? 0);
const isForbidden = (answer: Answer) => {
  const { code = 0 } = readGraphError(answer) ?? {};
  return code === 3 || code === 10 || (code >= 200 && code <= 299);
};

const get = (io: NetworkIO, url: string, parameters: Record<string, string>) => {
  const to = new URL(url);
  for (const [name, value] of Object.entries(parameters)) to.searchParams.set(name, value);
  // The id of an account may be a number too large for JSON.
  return ask((signal) => io.fetch(to.href, { signal }), CALL_TIMEOUT_MS, parseExactly);
};

const succeeded = (answer: Answer): answer is Answer & { is: "answer" } =>
  answer.is === "answer" && answer.status === 200;

/** Checks a token that a user supplies: its owner, and whether it may publish. */
export async function connectWith(login: MetaLogin, input: Json, io: NetworkIO): Promise<Connected<MetaCredential>> {
  const { access_token, expires_at, account_id, scopes } = handedOver.parse(input);
  const missing = scopes === undefined ? [] : missingToPublish(login.permissions, scopes);
  if (missing.length > 0) return withoutScopes(login, missing, "/scopes");
  const identity = await identify(login, access_token, io);
  if ("is" in identity) return identity;
  if (account_id !== undefined && account_id !== identity.userId) {
    return {
      is: "credentials_refused",
      field: "/account_id",
      message: `The token belongs to another account: ${identity.userId} (@${identity.username}).`,
      hint: "Omit `account_id`, or send a token of the account that it names.",
    };
  }
  const probe = await get(io, login.probeUrl(identity.userId, io), { access_token });
  if (isForbidden(probe)) return withoutScopes(login, neededBy(login), "/access_token");
  if (!succeeded(probe)) return unavailable(probe, io.now());
  const now = io.now();
  const expiresAt = parseExpiry(expires_at);
  // The age of the token is unknown; it may be new.
  const credential = { user_id: identity.userId, access_token, issued_at: now, expires_at: expiresAt };
  const lost = scopes && missingOptional(login.permissions, scopes);
  if (expiresAt === null || expiresAt > now + 2 * RENEWABLE_AFTER_MS) return account(identity, credential, null, lost);
  const renewed = await renew(login, credential, io);
  return renewed.is === "fresh"
    ? account(identity, renewed.credential, null, lost)
    : account(identity, credential, expiresAt, lost);
}

const neededBy = ({ permissions }: MetaLogin): readonly string[] => permissions.sufficient[0] ?? [];

function withoutScopes({ name }: MetaLogin, scopes: readonly string[], field: string): CredentialsRefused {
  return {
    is: "credentials_refused",
    field,
    message: `The token lacks a permission that publishing on ${name} needs.`,
    hint: `Create one with the scopes ${scopes.join(" and ")}.`,
  };
}

async function identify(
  login: MetaLogin,
  accessToken: string,
  io: NetworkIO,
): Promise<Identity | CredentialsRefused | Retryable> {
  const answer = await get(io, login.identityUrl(io), { access_token: accessToken });
  const identity = succeeded(answer) ? login.identity(answer.body) : null;
  const refused = (message: string, hint: string): CredentialsRefused => {
    return { is: "credentials_refused", field: "/access_token", message, hint };
  };
  if (typeof identity === "string") return refused(identity, "Use another account.");
  if (identity !== null) return identity;
  if (isForbidden(answer)) return withoutScopes(login, neededBy(login), "/access_token");
  if (!isDeadToken(answer)) return unavailable(answer, io.now());
  return refused(`${login.name} does not know this access token, or it has expired.`, login.tokenHint);
}

function account(
  { userId, username, name, avatarUrl, profileUrl }: Identity,
  credential: MetaCredential,
  tokenExpiresAt: number | null,
  missingPermissions: string[] | undefined,
): Account<MetaCredential> {
  return {
    is: "connected",
    accountId: userId,
    handle: username,
    name,
    avatarUrl,
    profileUrl,
    credential,
    tokenExpiresAt,
    ...(missingPermissions && { missingPermissions }),
  };
}

// The id of the account is not read here, because it may be a number too large for JSON.
const ShortLived = z.object({
  access_token: token,
  permissions: z.union([z.string().transform((list) => list.split(",")), z.array(z.string())]).optional(),
});
/** Documented inside `data`, also seen without it. */
const ShortLivedAnswer = z.union([
  ShortLived,
  z
    .object({ data: z.union([ShortLived, z.array(ShortLived).min(1)]) })
    .transform(({ data }) => (Array.isArray(data) ? data[0] : data)),
]);

/** Sign-in by a user. There is no PKCE: the app's secret protects the code. */
export function consentWith(login: MetaLogin): Consent<MetaCredential> {
  return {
    address(app, { redirectUri, state }) {
      const to = new URL(login.authorizeUrl);
      to.search = new URLSearchParams({
        client_id: app.clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: scopesToAsk(login.permissions, app).join(","),
        state,
      }).toString();
      return to.href;
    },
    async exchange({ code, redirectUri }, app, io) {
      const { clientId, clientSecret } = app;
      const form = new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: "authorization_code",
        redirect_uri: redirectUri,
        // The redirect address ends in "#_", which is not part of the code.
        code: code.replace(/#_$/, ""),
      });
      const init = {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: form.toString(),
      };
      const exchanged = await ask((signal) => io.fetch(login.codeUrl, { ...init, signal }), CALL_TIMEOUT_MS);
      const short = succeeded(exchanged) ? ShortLivedAnswer.safeParse(exchanged.body).data : undefined;
      if (short === undefined) return refusedGrant(login, exchanged, io.now());
      // Threads does not report the granted scopes: they are at most the requested ones.
      const granted = short.permissions ?? scopesToAsk(login.permissions, app);
      const missing = missingToPublish(login.permissions, granted);
      if (missing.length > 0) return lacking(login, missing);
      const exchange = { grant_type: `${login.grant}_exchange_token`, client_secret: clientSecret };
      const answer = await get(io, `${login.host}/access_token`, { ...exchange, access_token: short.access_token });
      const long = tokenIn(answer, io.now());
      if (long === null) return refusedGrant(login, answer, io.now());
      const identity = await identify(login, long.access_token, io);
      if ("is" in identity) {
        if (identity.is === "retryable") return identity;
        return { is: "grant_refused", message: identity.message, hint: identity.hint };
      }
      const probe = await get(io, login.probeUrl(identity.userId, io), { access_token: long.access_token });
      if (isForbidden(probe)) return lacking(login, neededBy(login));
      const credential = { ...long, user_id: identity.userId };
      const lost = missingOptional(login.permissions, granted);
      return { is: "granted", accounts: [account(identity, credential, null, lost)] };
    },
  };
}

function lacking({ name }: MetaLogin, scopes: readonly string[]): GrantRefused {
  return {
    is: "grant_refused",
    message: `A permission that publishing on ${name} needs was not granted.`,
    hint: `Connect again and leave ${scopes.join(" and ")} enabled.`,
  };
}

/** The subcode for an id that is not the product's own. The access.ts of Instagram and of Threads name the sources. */
const APP_ID_UNKNOWN = 4476002;

function refusedGrant({ name, appIdHint }: MetaLogin, answer: Answer, now: number): GrantRefused | Retryable {
  const refused = answer.is === "answer" && answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  if (!refused) return unavailable(answer, now);
  if (readGraphError(answer)?.subcode === APP_ID_UNKNOWN) {
    return { is: "grant_refused", message: `${name} does not know the id of this app.`, hint: appIdHint };
  }
  return {
    is: "grant_refused",
    message: `${name} rejected the authorization code.`,
    hint: "Connect again. A code works once, within an hour.",
  };
}

const LongLived = z.object({ access_token: token, expires_in: lifetimeS });

/** The long-lived token of an answer; null if any part of it is missing. */
function tokenIn(answer: Answer, now: number): Omit<MetaCredential, "user_id"> | null {
  const publishKey = succeeded(answer) ? LongLived.safeParse(answer.body).data : undefined;
  if (publishKey === undefined) return null;
  return { access_token: publishKey.access_token, issued_at: now, expires_at: now + publishKey.expires_in * 1000 };
}

/** A week after it was issued, or a day after it was issued if its end is unknown. */
export function renewalAt({ issued_at, expires_at }: MetaCredential): number {
  if (expires_at === null) return issued_at + RENEWABLE_AFTER_MS;
  return Math.min(issued_at + RENEW_AFTER_MS, Math.max(issued_at, expires_at - RENEWABLE_AFTER_MS));
}

async function renew(login: MetaLogin, credential: MetaCredential, io: NetworkIO): Promise<Refreshed<MetaCredential>> {
  const { access_token, expires_at } = credential;
  const grant = { grant_type: `${login.grant}_refresh_token`, access_token };
  const answer = await get(io, `${login.host}/refresh_access_token`, grant);
  const fresh = tokenIn(answer, io.now());
  if (fresh !== null) return { is: "fresh", credential: { ...credential, ...fresh } };
  if (!isDeadToken(answer)) return unavailable(answer, io.now());
  const expired = expires_at !== null && expires_at <= io.now();
  return {
    is: "rejected",
    error: expired ? "token_expired" : "token_revoked",
    detail: `${login.name} no longer renews the access token`,
  };
}

/** Renews the token. A token that is too new for that is only checked: the network refuses it if it is dead. */
export async function renewWith(
  login: MetaLogin,
  { credential, io }: ConnectorContext<MetaCredential>,
): Promise<Refreshed<MetaCredential>> {
  if (io.now() >= credential.issued_at + RENEWABLE_AFTER_MS) return renew(login, credential, io);
  const answer = await get(io, login.identityUrl(io), { access_token: credential.access_token });
  if (isDeadToken(answer)) {
    return { is: "rejected", error: "token_revoked", detail: `${login.name} no longer accepts the access token` };
  }
  // An answer that does not name the account proves nothing about its token.
  const isKnown = succeeded(answer) && login.identity(answer.body) !== null;
  return isKnown ? { is: "fresh", credential } : unavailable(answer, io.now());
}
