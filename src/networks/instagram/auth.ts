// Sign-in: the account that owns a token, and whether it may publish.
import * as z from "zod";
import type { Json } from "../../domain/json.ts";
import type { ConnectorContext, NetworkIO } from "../network.ts";
import { connectWith, consentWith, type MetaCredential, type MetaLogin, renewWith } from "../shared/meta/login.ts";
import { getPermissions } from "../shared/permissions.ts";
import { ACCESS } from "./access.ts";
import { api, HOST } from "./api.ts";
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
  tokenHint: "Create one with Instagram Login; it is valid for 60 days. A Facebook Login token does not work here.",
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

export const connect = (input: Json, io: NetworkIO) => connectWith(login, input, io);
export const consent = consentWith(login);
export { renewalAt as refreshAt } from "../shared/meta/login.ts";
export { endsAt } from "../shared/oauth2.ts";
export const refresh = (context: ConnectorContext<MetaCredential>) => renewWith(login, context);
