import type * as z from "zod";
import type { Connection, endConnection as end, listConnections as list } from "../../contract/connections.ts";
import { isId } from "../../domain/ids.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { endGrant, type ListedGrant, listGrants } from "../../store/oauth/grants.ts";
import { signedIn } from "../caller.ts";
import { pageOf, readCursor } from "../cursor.ts";
import { noContent, ok, type Run } from "../run.ts";
import { memberOf } from "../workspaces/member-of.ts";
import { endConnections } from "./end-connections.ts";

function connectionView(grant: ListedGrant): z.input<typeof Connection> {
  const { clientId, clientName, clientUrl, redirectUri } = grant;
  return {
    id: grant.id,
    client: { id: clientId, name: clientName, url: clientUrl, redirects_to: new URL(redirectUri).host },
    user: grant.user,
    scopes: grant.scopes,
    created_at: isoInstant(grant.createdAt),
    last_used_at: isoOrNull(grant.lastUsedAt),
    expires_at: isoInstant(grant.expiresAt),
  };
}

export const listConnections: Run<typeof list> = async (ctx, caller, { params, query }) => {
  const { userId } = signedIn(caller);
  const { role } = await memberOf(ctx, params.id, userId);
  const found = await listGrants(ctx.accounts, params.id, {
    userId: role === "owner" ? null : userId,
    limit: query.limit + 1,
    before: readCursor(query.cursor, "grant"),
  });
  const { rows, next } = pageOf(found, query.limit);
  return ok({ connections: rows.map(connectionView), next });
};

export const endConnection: Run<typeof end> = async (ctx, caller, { params }) => {
  const { userId } = signedIn(caller);
  const { role } = await memberOf(ctx, params.id, userId);
  if (!isId("grant", params.connection)) throw refuseNotFound("connection");
  const ended = await endGrant(ctx.accounts, params.id, params.connection, role === "owner" ? null : userId);
  if (!ended) throw refuseNotFound("connection");
  endConnections(ctx);
  return noContent;
};
