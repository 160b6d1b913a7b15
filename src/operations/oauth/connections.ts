import type * as z from "zod";
import type { Caller } from "../../context.ts";
import type { Connection, endConnection as end, listConnections as list } from "../../contract/connections.ts";
import { isId } from "../../domain/ids.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { allows } from "../../domain/roles.ts";
import { endGrant, type ListedGrant, listGrants } from "../../store/oauth/grants.ts";
import { makeEntry } from "../audit-entry.ts";
import { memberIn } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { noContent, ok, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
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

/** The user whose client apps a member may manage: their own, or null for all. */
function whoseGrants(caller: Caller): string | null {
  const { role, userId } = memberIn(caller);
  return allows(role, "manage_members") ? null : userId;
}

export const listConnections: Run<typeof list> = async (ctx, caller, { query }) => {
  const { workspaceId } = memberIn(caller);
  const grants = await listGrants(ctx.accounts, workspaceId, {
    userId: whoseGrants(caller),
    limit: query.limit + 1,
    before: readCursor(query.cursor, "grant"),
  });
  const { rows, next } = buildPage(grants, query.limit);
  return ok({ connections: rows.map(connectionView), next });
};

export const endConnection: Run<typeof end> = async (ctx, caller, { params }) => {
  const member = memberIn(caller);
  if (!isId("grant", params.connection)) throw refuseNotFound("connection");
  const ended = await endGrant(
    ctx.accounts,
    params.connection,
    makeEntry(ctx, member, "application.ended"),
    whoseGrants(caller),
  );
  if (!ended) throw refuseNotFound("connection");
  await tellHomes(ctx);
  endConnections(ctx);
  return noContent;
};
