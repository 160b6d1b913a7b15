// Finds the credentials that may have an open MCP stream.
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { CREDENTIAL_USE_NOTED_EVERY_MS, MCP_LISTEN_MAX_MS } from "../../domain/limits.ts";
import { type Database, NOW } from "../db/db.ts";
import { namedKeys, oauthGrants, workspaceKeys } from "../db/schema.ts";

/**
 * The keys and grants of a workspace that may have an open stream. Each was used when its stream was opened, and that
 * use was recorded then or at most one recording interval earlier.
 */
export async function findCredentialsInUse(
  db: Database,
  workspaceId: string,
): Promise<({ keyId: string } | { grantId: string })[]> {
  const since = sql`${NOW} - ${CREDENTIAL_USE_NOTED_EVERY_MS + MCP_LISTEN_MAX_MS}`;
  const rows = await db
    .select({ id: workspaceKeys.id, isGrant: sql<number>`0`.as("is_grant") })
    .from(workspaceKeys)
    .where(
      and(
        eq(workspaceKeys.workspaceId, workspaceId),
        isNull(workspaceKeys.revokedAt),
        gt(workspaceKeys.lastUsedAt, since),
      ),
    )
    .unionAll(
      db
        .select({ id: namedKeys.id, isGrant: sql<number>`0`.as("is_grant") })
        .from(namedKeys)
        .where(
          and(eq(namedKeys.workspaceId, workspaceId), isNull(namedKeys.revokedAt), gt(namedKeys.lastUsedAt, since)),
        ),
    )
    .unionAll(
      db
        .select({ id: oauthGrants.id, isGrant: sql<number>`1`.as("is_grant") })
        .from(oauthGrants)
        .where(and(eq(oauthGrants.workspaceId, workspaceId), gt(oauthGrants.lastUsedAt, since))),
    );
  return rows.map(({ id, isGrant }) => (isGrant === 1 ? { grantId: id } : { keyId: id }));
}
