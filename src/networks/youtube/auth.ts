// Finds the channel of a grant, from supplied tokens or from a user's consent; later gets new access tokens. A refresh token
// is not rotated: the old one stays valid.
import * as z from "zod";
import { type Retryable, reasonFor } from "../../domain/delivery/outcome.ts";
import type { Json } from "../../domain/json.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import type {
  Account,
  Connected,
  ConnectorContext,
  Consent,
  CredentialsRefused,
  GrantRefused,
  NetworkIO,
  Refreshed,
} from "../network.ts";
import { type Answer, unavailable } from "../shared/http-call.ts";
import { handedOver, lifetimeS } from "../shared/oauth2.ts";
import { getPermissions, missingOptional, missingToPublish, scopesToAsk } from "../shared/permissions.ts";
import { API, call, form, oauthError, renewal, TOKEN, type Tokens, tokensIn } from "./api.ts";
import { readRejection, says } from "./errors.ts";
import { type Credential, rule } from "./rule.ts";

const AUTHORIZE = "https://accounts.google.com/o/oauth2/v2/auth";
const TOKEN_INFO = "https://oauth2.googleapis.com/tokeninfo";
const PERMISSIONS = getPermissions(rule);

const TokenInfo = z.object({ scope: z.string().default(""), expires_in: z.coerce.number().pipe(lifetimeS) });

const Channels = z.object({
  items: z
    .array(
      z.object({
        id: z.string().min(1),
        snippet: z.object({
          title: z.string(),
          customUrl: z.string().optional(),
          thumbnails: z.record(z.string(), z.object({ url: z.string() })).optional(),
        }),
      }),
    )
    .default([]),
});

/** The channels of a grant (a consent covers exactly one); `answer` if they cannot be read. */
async function fetchChannels(
  { ends_at, ...tokens }: Grant,
  granted: string[],
  io: NetworkIO,
): Promise<{ accounts: Account<Credential>[] } | { answer: Answer }> {
  const answer = await call({ credential: tokens, io }, `${API}/channels?part=snippet&mine=true`);
  const channelList =
    answer.is === "answer" && answer.status === 200 ? Channels.safeParse(answer.body).data : undefined;
  if (channelList === undefined) return says(answer, "youtubeSignupRequired") ? { accounts: [] } : { answer };
  const accounts = channelList.items.map(({ id, snippet: { title, customUrl, thumbnails } }): Account<Credential> => {
    const credential = { ...tokens, channel_id: id };
    return {
      is: "connected",
      accountId: id,
      handle: customUrl ?? title,
      name: title,
      avatarUrl: thumbnails?.default?.url ?? null,
      profileUrl: `https://www.youtube.com/channel/${id}`,
      credential,
      tokenExpiresAt: ends_at,
      missingPermissions: missingOptional(PERMISSIONS, granted),
    };
  });
  return { accounts };
}

const CONNECT_AGAIN = "Connect the channel again, and leave every permission selected.";

function credentialsRefused(field: string, message: string, hint: string): CredentialsRefused {
  return { is: "credentials_refused", field, message, hint };
}

/** Checks supplied tokens with the network: the refresh token, the scopes and the channel. */
export async function connect(input: Json, io: NetworkIO): Promise<Connected<Credential>> {
  const handed = handedOver.parse(input);
  const renewed = handed.refresh_token === undefined ? null : await renewFirst(handed.refresh_token, io);
  if (renewed !== null && "is" in renewed) return renewed;
  const accessToken = renewed?.access_token ?? handed.access_token;

  const info = await form(io, TOKEN_INFO, { access_token: accessToken });
  const tokenInfo = info.is === "answer" && info.status === 200 ? TokenInfo.safeParse(info.body).data : undefined;
  if (tokenInfo === undefined) {
    if (oauthError(info) === null) return unavailable(info, io.now());
    return credentialsRefused(
      "/access_token",
      "Google does not know this access token, or it has expired.",
      "Access tokens are valid for an hour. Send a new one with its refresh token.",
    );
  }
  const granted = tokenInfo.scope.split(" ");
  const missing = missingToPublish(PERMISSIONS, granted);
  if (missing.length > 0) {
    const message = `The token lacks ${missing.join(" and ")}.`;
    return credentialsRefused("/access_token", message, "Get a token with these scopes.");
  }
  const endsAt = io.now() + tokenInfo.expires_in * 1000;
  const alone = { access_token: accessToken, refresh_token: null, expires_at: endsAt, ends_at: endsAt };
  const read = await fetchChannels(renewed ?? alone, granted, io);
  if ("answer" in read) return unread(read.answer, io.now());
  return chosen(read.accounts, handed.account_id);
}

/** Without an app of this deployment no token can be renewed, and only the access token is used: null. */
async function renewFirst(refreshToken: string, io: NetworkIO): Promise<Grant | CredentialsRefused | Retryable | null> {
  if (io.app === null) return null;
  const answer = await renewal(io, io.app, refreshToken);
  const tokens = tokensIn(answer);
  if (tokens !== undefined) return toGrant(tokens, tokens.refresh_token ?? refreshToken, io.now());
  const refused = oauthError(answer);
  if (refused === null) return unavailable(answer, io.now());
  const hint = "The token must belong to the app of this deployment and must not be revoked.";
  return {
    ...credentialsRefused("/refresh_token", "Google does not renew this token.", hint),
    networkMessage: refused.message,
  };
}

function unread(answer: Answer, now: number): CredentialsRefused | Retryable {
  const rejection = readRejection(answer, now);
  if (rejection === null || rejection.is === "retryable") return rejection ?? unavailable(answer, now);
  const { detail: fix, networkMessage } = rejection;
  const message = fix === undefined ? "YouTube rejects the token." : "YouTube rejects the calls of this app.";
  return {
    ...credentialsRefused("/access_token", message, fix ?? CONNECT_AGAIN),
    ...reasonFor({ networkMessage }),
  };
}

function chosen(accounts: Account<Credential>[], requestedId: string | undefined): Connected<Credential> {
  const account = accounts.find(({ accountId }) => accountId === (requestedId ?? accountId));
  if (account !== undefined) return account;
  if (accounts.length === 0) {
    const message = "This Google account has no YouTube channel.";
    return credentialsRefused("/access_token", message, "Create the channel first, or use another account.");
  }
  const names = accounts.map(({ accountId, handle }) => `${accountId} (${handle})`).join(", ");
  return credentialsRefused(
    "/account_id",
    `The token does not cover this channel, but ${names}.`,
    "Set `account_id` to that channel.",
  );
}

export const consent: Consent<Credential> = {
  address(app, { redirectUri, state, challenge }) {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: app.clientId,
      redirect_uri: redirectUri,
      scope: scopesToAsk(PERMISSIONS, app).join(" "),
      state,
      code_challenge: challenge,
      code_challenge_method: "S256",
      access_type: "offline",
      // Without it only the first consent ever returns a refresh token.
      prompt: "consent",
      include_granted_scopes: "true",
    });
    return `${AUTHORIZE}?${query}`;
  },
  async exchange({ code, redirectUri, verifier }, app, io) {
    const answer = await form(io, TOKEN, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: app.clientId,
      client_secret: app.clientSecret,
    });
    const tokens = tokensIn(answer);
    if (tokens === undefined) {
      const refused = oauthError(answer);
      return refused === null
        ? unavailable(answer, io.now())
        : {
            ...grantRefused("Google rejected the consent.", "Start again: a consent is valid for a few minutes."),
            networkMessage: refused.message,
          };
    }
    const granted = tokens.scope.split(" ");
    const missing = missingToPublish(PERMISSIONS, granted);
    if (missing.length > 0) return grantRefused(`Missing permissions: ${missing.join(", ")}.`, CONNECT_AGAIN);
    if (tokens.refresh_token === undefined) {
      const hint = "Remove the app's access at myaccount.google.com/permissions, and connect the channel again.";
      return grantRefused("Google granted no permanent access.", hint);
    }
    const read = await fetchChannels(toGrant(tokens, tokens.refresh_token, io.now()), granted, io);
    if ("answer" in read) {
      const refused = unread(read.answer, io.now());
      if (refused.is === "retryable") return refused;
      const { message, hint, networkMessage } = refused;
      return { ...grantRefused(message, hint), ...reasonFor({ networkMessage }) };
    }
    if (read.accounts.length > 0) return { is: "granted", accounts: read.accounts };
    return grantRefused("This Google account has no YouTube channel.", "Create the channel first, then connect it.");
  },
};

function grantRefused(message: string, hint: string): GrantRefused {
  return { is: "grant_refused", message, hint };
}

/** Longer than the longest upload, so that no token expires during one. Tokens live an hour. */
const REFRESH_AHEAD_MS = 20 * MINUTE_MS;

type Grant = Omit<Credential, "channel_id"> & {
  /** Epoch milliseconds after which a user must consent again; null: never. */
  ends_at: number | null;
};

function toGrant(tokens: Tokens, refreshToken: string, now: number): Grant {
  const { access_token, expires_in, refresh_token_expires_in: ends } = tokens;
  return {
    access_token,
    refresh_token: refreshToken,
    expires_at: now + expires_in * 1000,
    ends_at: ends === undefined ? null : now + ends * 1000,
  };
}

export function refreshAt({ refresh_token, expires_at }: Credential): number | null {
  return refresh_token === null ? null : expires_at - REFRESH_AHEAD_MS;
}

export { endsAt } from "../shared/oauth2.ts";

/** Gets a new access token. Only `invalid_grant` means that the refresh token is dead. */
export async function refresh({ credential, io }: ConnectorContext<Credential>): Promise<Refreshed<Credential>> {
  const { refresh_token } = credential;
  if (refresh_token === null) {
    return {
      is: "rejected",
      error: "token_expired",
      detail: "the access token has expired, and there is no refresh token",
    };
  }
  if (io.app === null) {
    return { is: "retryable", error: "network_unavailable", detail: "this deployment has no Google app" };
  }
  const answer = await renewal(io, io.app, refresh_token);
  const tokens = tokensIn(answer);
  if (tokens !== undefined) {
    const { ends_at: _, ...fresh } = toGrant(tokens, tokens.refresh_token ?? refresh_token, io.now());
    return { is: "fresh", credential: { ...fresh, channel_id: credential.channel_id } };
  }
  const refused = oauthError(answer);
  if (refused?.error === "invalid_grant")
    return { is: "rejected", error: "token_revoked", networkMessage: refused.message };
  // Any other error concerns the app or is temporary: the channel keeps its credential.
  return { ...unavailable(answer, io.now()), ...(refused === null ? {} : { networkMessage: refused.message }) };
}
