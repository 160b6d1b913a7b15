// Sign-in: the account that owns a token, and whether it may publish.
import * as z from "zod";
import type { Json } from "../../domain/json.ts";
import type { Connected, ConnectorContext, Consent, NetworkIO } from "../network.ts";
import {
  connectWith,
  consentWith,
  type MetaCredential,
  type MetaLogin,
  renewalAt,
  renewWith,
} from "../shared/meta/login.ts";
import { handedOver } from "../shared/oauth2.ts";
import { getPermissions } from "../shared/permissions.ts";
import { ACCESS } from "./access.ts";
import { api, HOST } from "./api.ts";
import { connectByFacebook, recheckPageToken } from "./pages.ts";
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
