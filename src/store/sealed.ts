// All sealed values, walked through in the order of their keys: how a new sealing key reaches what the old ones sealed.
import { and, asc, eq, sql } from "drizzle-orm";
import type { Database } from "./db/db.ts";
import { channels, connectLinks, deliveries, webhooks, workspaceKeys } from "./db/schema.ts";

export interface SealedRow {
  workspaceId: string;
  id: string;
  /** Where it stands in the walk through its workspace. */
  place: string;
  /** What the column holds: a sealed value, or a JSON text with some in it. */
  sealed: string;
}

/**
 * Every column that holds sealed values, and what for. `key`: what is left of the table's key behind the workspace; no part
 * of it holds a space. docs/operations.md counts what an old key has sealed in each of them.
 */
const COLUMNS = {
  "channel-credential": {
    purpose: "channel-credential",
    table: channels,
    key: [channels.id],
    sealed: channels.credential,
  },
  "publish-handle": {
    purpose: "publish-handle",
    table: deliveries,
    key: [deliveries.postId, deliveries.channelId],
    sealed: deliveries.publishHandle,
  },
  "comment-handle": {
    purpose: "publish-handle",
    table: deliveries,
    key: [deliveries.postId, deliveries.channelId],
    sealed: deliveries.commentHandle,
  },
  "part-handle": {
    purpose: "publish-handle",
    table: deliveries,
    key: [deliveries.postId, deliveries.channelId],
    sealed: deliveries.parts,
  },
  "webhook-secret": { purpose: "webhook-secret", table: webhooks, key: [webhooks.id], sealed: webhooks.secret },
  "previous-webhook-secrets": {
    purpose: "webhook-secret",
    table: webhooks,
    key: [webhooks.id],
    sealed: webhooks.previousSecrets,
  },
  "workspace-key": {
    purpose: "workspace-key",
    table: workspaceKeys,
    key: [workspaceKeys.id],
    sealed: workspaceKeys.sealed,
  },
  "connect-verifier": {
    purpose: "oauth-transaction",
    table: connectLinks,
    key: [connectLinks.id],
    sealed: connectLinks.verifier,
  },
  "connect-accounts": {
    purpose: "oauth-transaction",
    table: connectLinks,
    key: [connectLinks.id],
    sealed: connectLinks.granted,
  },
} as const;

export type SealedKind = keyof typeof COLUMNS;
export const SEALED_KINDS: SealedKind[] = [
  "channel-credential",
  "publish-handle",
  "comment-handle",
  "part-handle",
  "webhook-secret",
  "previous-webhook-secrets",
  "workspace-key",
  "connect-verifier",
  "connect-accounts",
];

export const purposeOf = (kind: SealedKind) => COLUMNS[kind].purpose;

/** The next rows with sealed values of a kind after a row. */
export async function sealedAfter(
  db: Database,
  kind: SealedKind,
  after: { workspaceId: string; place: string },
  limit: number,
): Promise<SealedRow[]> {
  const { table, key, sealed } = COLUMNS[kind];
  const columns = sql.join([table.workspaceId, ...key], sql`, `);
  const parts = after.place.split(" ");
  const values = [after.workspaceId, ...key.map((_, i) => parts[i] ?? "")].map((value) => sql`${value}`);
  return db
    .select({
      workspaceId: table.workspaceId,
      id: table.id,
      place: sql<string>`${sql.join([...key], sql` || ' ' || `)}`,
      // As it stands there: a list of secrets too.
      sealed: sql<string>`${sealed}`,
    })
    .from(table)
    .where(and(sql`${sealed} LIKE '%v1.%'`, sql`(${columns}) > (${sql.join(values, sql`, `)})`))
    .orderBy(asc(table.workspaceId), ...key.map((column) => asc(column)))
    .limit(limit);
}

/** Puts what was sealed anew in the place of what was read, unless somebody has changed it meanwhile. */
export async function replaceSealed(db: Database, kind: SealedKind, row: SealedRow, sealed: string): Promise<void> {
  const { table, key, sealed: column } = COLUMNS[kind];
  const parts = row.place.split(" ");
  const asRead = and(
    eq(table.workspaceId, row.workspaceId),
    ...key.map((column, i) => {
      const part = parts[i];
      if (part === undefined) throw new Error("a sealed row has no place");
      return eq(column, part);
    }),
    sql`${column} = ${row.sealed}`,
  );
  await db.run(sql`UPDATE ${table} SET ${sql.identifier(column.name)} = ${sealed} WHERE ${asRead}`);
}
