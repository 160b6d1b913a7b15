import { and, desc, eq } from "drizzle-orm";
import { batch } from "./db/batch.ts";
import { type Database, NOW } from "./db/db.ts";
import { connectorRequests } from "./db/schema.ts";

export type ConnectorRequestRow = typeof connectorRequests.$inferSelect;

export async function listConnectorRequests(db: Database, workspaceId: string): Promise<ConnectorRequestRow[]> {
  return db
    .select()
    .from(connectorRequests)
    .where(eq(connectorRequests.workspaceId, workspaceId))
    .orderBy(desc(connectorRequests.createdAt), desc(connectorRequests.platform));
}

/** Records a request for a connector once. Returns it, and whether it is new. */
export async function recordConnectorRequest(
  db: Database,
  workspaceId: string,
  platform: string,
): Promise<{ row: ConnectorRequestRow | undefined; isNew: boolean }> {
  const {
    added,
    rows: [row],
  } = await batch(db, {
    added: db
      .insert(connectorRequests)
      .values({ workspaceId, platform, createdAt: NOW })
      .onConflictDoNothing()
      .returning({ platform: connectorRequests.platform }),
    rows: db
      .select()
      .from(connectorRequests)
      .where(and(eq(connectorRequests.workspaceId, workspaceId), eq(connectorRequests.platform, platform))),
  });
  return { row, isNew: added.length === 1 };
}
