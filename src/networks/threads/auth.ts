// Sign-in: the account that owns a token, and whether it may publish.
import * as z from "zod";
import type { Json } from "../../domain/json.ts";
import type { ConnectorContext, NetworkIO } from "../network.ts";
import { connectWith, consentWith, type MetaCredential, type MetaLogin, renewWith } from "../shared/meta/login.ts";
import { getPermissions } from "../shared/permissions.ts";
import { ACCESS } from "./access.ts";
import { API, HOST } from "./api.ts";
import { rule } from "./rule.ts";

const Me = z.object({
  id: z.string().min(1),
  username: z.string().min(1),
  name: z.string().optional(),
  threads_profile_picture_url: z.string().optional(),
});

const login: MetaLogin = {
  name: "Threads",
  authorizeUrl: "https://threads.com/oauth/authorize",
  codeUrl: `${HOST}/oauth/access_token`,
  host: HOST,
  grant: "th",
  permissions: getPermissions(rule),
  appIdHint: ACCESS.problems.app_id.fix,
  tokenHint: "Create a new one. It is valid for 60 days, and Crier renews it.",
  identityUrl: () => `${API}/me?fields=id,username,name,threads_profile_picture_url`,
  identity(body) {
    const me = Me.safeParse(body).data;
    if (me === undefined) return null;
    return {
      userId: me.id,
      username: me.username,
      name: me.name ?? null,
      avatarUrl: me.threads_profile_picture_url ?? null,
      profileUrl: `https://www.threads.net/@${me.username}`,
    };
  },
  // This endpoint needs both scopes, so a successful call proves them: threads/overview, read 2026-11-21.
  probeUrl: (userId) => `${API}/${userId}/threads_publishing_limit?fields=quota_usage,config`,
};

export const connect = (input: Json, io: NetworkIO) => connectWith(login, input, io);
export const consent = consentWith(login);
export { renewalAt as refreshAt } from "../shared/meta/login.ts";
export { endsAt } from "../shared/oauth2.ts";
export const refresh = (context: ConnectorContext<MetaCredential>) => renewWith(login, context);
