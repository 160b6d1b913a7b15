// Sign-in: the account that owns a token, and whether it may publish.
import * as z from "zod";
import type { Retryable } from "../../domain/delivery/outcome.ts";
import type { Json } from "../../domain/json.ts";
import type {
  Account,
  App,
  Connected,
  ConnectorContext,
  Consent,
  Granted,
  GrantRefused,
  NetworkIO,
} from "../network.ts";
import { type Answer, unavailable } from "../shared/http-call.ts";
import { readGraphError } from "../shared/meta/graph.ts";
import {
  connectWith,
  consentWith,
  type MetaCredential,
  type MetaLogin,
  renewalAt,
  renewWith,
} from "../shared/meta/login.ts";
import { versionFor } from "../shared/meta/versions.ts";
import { handedOver, token } from "../shared/oauth2.ts";
import { getPermissions, missingOptional, missingToPublish, scopesToAsk } from "../shared/permissions.ts";
import { ACCESS, FACEBOOK_PERMISSIONS } from "./access.ts";
import { api, HOST } from "./api.ts";
import { connectByFacebook, fetchLinked, get, type LinkedAccount, recheckPageToken, toConnected } from "./pages.ts";
import { rule } from "./rule.ts";

const User = z.object({
  // Not `id`, which is the app's own id of the account. A string or a number, because the guides write both.
  user_id: z.union([z.string().regex(/^\d+$/), z.int().transform(String)]),
  username: z.string().min(1),
  name: z.string().optional(),
  account_type: z.string().optional(),
  profile_picture_url: z.string().optional(),
});
/**
 * In a list with one member according to instagram-api-with-instagram-login/get-started, read 2026-11-22; also seen without
 * the list.
 */
const Me = z.union([User, z.object({ data: z.tuple([User]) }).transform(({ data: [user] }) => user)]);

const login: MetaLogin = {
  name: "Instagram",
  authorizeUrl: "https://www.instagram.com/oauth/authorize",
  codeUrl: "https://api.instagram.com/oauth/access_token",
  host: HOST,
  grant: "ig",
  permissions: getPermissions(rule),
  appIdHint: ACCESS.problems.app_id.fix,
  tokenHint: "Create one with Instagram Login; it is valid for 60 days. A token of Facebook Login begins with `EAA`.",
  identityUrl: (io) => `${api(io)}/me?fields=user_id,username,name,account_type,profile_picture_url`,
  identity(body) {
    const me = Me.safeParse(body).data;
    if (me === undefined) return null;
    if (me.account_type === "PERSONAL") {
      return `@${me.username} is a personal account, and Instagram does not allow publishing there.`;
    }
    return {
      userId: me.user_id,
      username: me.username,
      name: me.name ?? null,
      avatarUrl: me.profile_picture_url ?? null,
      profileUrl: `https://www.instagram.com/${me.username}/`,
    };
  },
  // It needs both scopes: reference of ig-user/content_publishing_limit, read 2026-11-22.
  probeUrl: (userId, io) => `${api(io)}/${userId}/content_publishing_limit?fields=quota_usage,config`,
};

/** Tokens of Facebook Login begin like this, and those of Instagram Login do not. */
const isFacebookToken = (token: string) => token.startsWith("EAA");

export const connect = (input: Json, io: NetworkIO) => {
  const { access_token } = handedOver.parse(input);
  return isFacebookToken(access_token) ? connectByFacebook(input, io) : connectHere(input, io);
};

async function connectHere(input: Json, io: NetworkIO): Promise<Connected<MetaCredential>> {
  const account = await connectWith(login, input, io);
  return account.is === "connected" ? { ...account, tier: "instagram_login" } : account;
}

const instagramConsent = consentWith(login);
export const consent: Consent<MetaCredential> = {
  ...instagramConsent,
  async exchange(reply, app, io) {
    const granted = await instagramConsent.exchange(reply, app, io);
    if (granted.is !== "granted") return granted;
    return { ...granted, accounts: granted.accounts.map((account) => ({ ...account, tier: "instagram_login" })) };
  },
};

/** The token of a Page does not end and cannot be renewed. */
export const refreshAt = (credential: MetaCredential): number | null =>
  credential.login === "facebook" ? null : renewalAt(credential);
export { endsAt } from "../shared/oauth2.ts";

export const refresh = (context: ConnectorContext<MetaCredential>) =>
  context.credential.login === "facebook" ? recheckPageToken(context) : renewWith(login, context);

// The consent of a person at Facebook, for the accounts that are linked to their Pages: docs/facebook-login/guides/advanced/
// manual-flow and instagram-api-with-facebook-login/get-started, from memory; docs/instagram/business-login-for-instagram (the
// dialog's address), read 2026-11-27.
const refuseGrant = (message: string, hint: string, networkMessage?: string): GrantRefused => ({
  is: "grant_refused",
  message,
  hint,
  ...(networkMessage === undefined ? {} : { networkMessage }),
});

/** A code or a token that Facebook does not exchange. */
function exchangeFailed(answer: Answer, now: number): GrantRefused | Retryable {
  const isRefused = answer.is === "answer" && answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  if (!isRefused) return unavailable(answer, now);
  const hint = "Start again: a code works once, for ten minutes.";
  return refuseGrant("Facebook rejects the sign-in.", hint, readGraphError(answer)?.message);
}

const AccessToken = z.object({ access_token: token });
const Permissions = z.object({ data: z.array(z.object({ permission: z.string(), status: z.string() })) });

async function exchangeFor(io: NetworkIO, app: App, query: Record<string, string>): Promise<string | Answer> {
  const keys = { client_id: app.clientId, client_secret: app.clientSecret };
  const answer = await get(io, "/oauth/access_token", { ...keys, ...query });
  const isOk = answer.is === "answer" && answer.status === 200;
  return (isOk ? AccessToken.safeParse(answer.body).data?.access_token : undefined) ?? answer;
}

const facebookConsent: Consent<MetaCredential> = {
  // The dialog accepts no PKCE challenge from apps that have a secret.
  address(app, { redirectUri, state, apiVersion }) {
    const query = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: redirectUri,
      state,
      response_type: "code",
      scope: scopesToAsk(FACEBOOK_PERMISSIONS, app).join(","),
    });
    return `https://www.facebook.com/${versionFor({ apiVersion })}/dialog/oauth?${query}`;
  },

  async exchange({ code, redirectUri }, app, io): Promise<Granted<MetaCredential> | GrantRefused | Retryable> {
    const short = await exchangeFor(io, app, { redirect_uri: redirectUri, code });
    if (typeof short !== "string") return exchangeFailed(short, io.now());
    // The tokens of Pages that are read with a token of sixty days do not end.
    const user = await exchangeFor(io, app, { grant_type: "fb_exchange_token", fb_exchange_token: short });
    if (typeof user !== "string") return exchangeFailed(user, io.now());
    const listed = await get(io, "/me/permissions", { fields: "permission,status", access_token: user });
    const permissions =
      listed.is === "answer" && listed.status === 200 ? Permissions.safeParse(listed.body).data : null;
    if (!permissions) return exchangeFailed(listed, io.now());
    const granted = permissions.data.flatMap(({ permission, status }) => (status === "granted" ? [permission] : []));
    const missing = missingToPublish(FACEBOOK_PERMISSIONS, granted);
    if (missing.length > 0)
      return refuseGrant(`The grant lacks ${missing.join(", ")}.`, "Connect again and leave all permissions selected.");
    const linked = await fetchLinked(io, user);
    if (!Array.isArray(linked)) return exchangeFailed(linked, io.now());
    if (linked.length === 0)
      return refuseGrant(
        "None of the Pages that you chose has a professional account on Instagram.",
        "Link the account to a Page, then connect again and choose that Page and its account.",
      );
    return { is: "granted", accounts: linked.map((account) => toGranted(account, granted, io.now())) };
  },
};

const toGranted = (linked: LinkedAccount, granted: string[], now: number): Account<MetaCredential> => ({
  ...toConnected(linked, null, now),
  missingPermissions: missingOptional(FACEBOOK_PERMISSIONS, granted),
});

/** By the `via` of the rule's ways. */
export const consentWays = { facebook: facebookConsent };
