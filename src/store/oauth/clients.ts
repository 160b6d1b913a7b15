// Client apps that registered themselves. Anybody may register one, so clients without a grant are deleted to make
// room.
import { eq, sql } from "drizzle-orm";
import { OAUTH_CLIENT_IDLE_MS, OAUTH_UNUSED_CLIENTS_MAX } from "../../domain/limits.ts";
import { type Database, NOW } from "../db/db.ts";
import { oauthClients } from "../db/schema.ts";

export type OAuthClientRow = typeof oauthClients.$inferSelect;

/** Stores a client; beyond the cap, the oldest clients without a grant are deleted. */
export async function insertOAuthClient(db: Database, row: typeof oauthClients.$inferInsert): Promise<void> {
  await db.batch([
    db.insert(oauthClients).values(row),
    db.delete(oauthClients).where(
      sql`${oauthClients.id} IN (SELECT unused.id FROM oauth_clients unused WHERE unused.used_at IS NULL
        ORDER BY unused.created_at DESC LIMIT -1 OFFSET ${OAUTH_UNUSED_CLIENTS_MAX})`,
    ),
  ]);
}

export async function findOAuthClient(db: Database, id: string): Promise<OAuthClientRow | undefined> {
  const [row] = await db.select().from(oauthClients).where(eq(oauthClients.id, id));
  return row;
}

/**
 * The statement that records that a client is in use. A client with a metadata document has no row, so nothing is
 * recorded.
 */
export function touchOAuthClient(db: Database, id: string) {
  return db.update(oauthClients).set({ usedAt: NOW }).where(eq(oauthClients.id, id));
}

/** Deletes clients that have not been used for a long time. */
export async function forgetIdleClients(db: Database, limit: number): Promise<void> {
  const idle = sql`${NOW} - ${OAUTH_CLIENT_IDLE_MS}`;
  const since = (column: "used_at" | "created_at", extraCondition: string) =>
    db.delete(oauthClients).where(
      sql`${oauthClients.id} IN (SELECT id FROM oauth_clients WHERE ${sql.raw(column)} < ${idle} ${sql.raw(extraCondition)}
        LIMIT ${limit})`,
    );
  await db.batch([since("used_at", ""), since("created_at", "AND used_at IS NULL")]);
}
