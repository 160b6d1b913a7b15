// Walks through all sealed values in the order of their keys, so that a new sealing key can replace the old ones.
import { and, asc, eq, sql } from "drizzle-orm";
import type { Database } from "./db/db.ts";
import {
  channels,
  connectLinks,
  deliveries,
  factors,
  followUps,
  threadParts,
  webhooks,
  workspaceKeys,
} from "./db/schema.ts";

export interface SealedRow {
  /** The workspace that the value is sealed for; for a factor, the user. */
  workspaceId: string;
  id: string;
  /** The position of the row in the walk through its workspace. */
  rowKey: string;
  /** The column's content: a sealed value, or a JSON text that contains sealed values. */
  sealed: string;
}

/**
 * Every column that holds sealed values, with their purpose. `owner`: the workspace, or the user, that a value is
 * sealed for. `key`: the other columns of the table's key; no value in it contains a space. docs/operations.md counts
 * the values of an old key in each of these columns.
 */
const COLUMNS = {
  "channel-credential": {
    purpose: "channel-credential",
    table: channels,
    owner: channels.workspaceId,
    key: [channels.id],
    sealed: channels.credential,
  },
  "publish-key": {
    purpose: "publish-key",
    table: deliveries,
    owner: deliveries.workspaceId,
    key: [deliveries.postId, deliveries.channelId],
    sealed: deliveries.publishKey,
  },
  "follow-up-key": {
    purpose: "publish-key",
    table: followUps,
    owner: followUps.workspaceId,
    key: [followUps.postId, followUps.channelId, followUps.kind],
    sealed: followUps.publishKey,
  },
  "part-key": {
    purpose: "publish-key",
    table: threadParts,
    owner: threadParts.workspaceId,
    key: [threadParts.postId, threadParts.channelId, threadParts.position],
    sealed: threadParts.publishKey,
  },
  "webhook-secret": {
    purpose: "webhook-secret",
    table: webhooks,
    owner: webhooks.workspaceId,
    key: [webhooks.id],
    sealed: webhooks.secret,
  },
  "previous-webhook-secrets": {
    purpose: "webhook-secret",
    table: webhooks,
    owner: webhooks.workspaceId,
    key: [webhooks.id],
    sealed: webhooks.previousSecrets,
  },
  "workspace-key": {
    purpose: "workspace-key",
    table: workspaceKeys,
    owner: workspaceKeys.workspaceId,
    key: [workspaceKeys.id],
    sealed: workspaceKeys.sealed,
  },
  "connect-verifier": {
    purpose: "oauth-transaction",
    table: connectLinks,
    owner: connectLinks.workspaceId,
    key: [connectLinks.id],
    sealed: connectLinks.verifier,
  },
  "connect-accounts": {
    purpose: "oauth-transaction",
    table: connectLinks,
    owner: connectLinks.workspaceId,
    key: [connectLinks.id],
    sealed: connectLinks.granted,
  },
  "factor-secret": {
    purpose: "factor-secret",
    table: factors,
    owner: factors.userId,
    key: [factors.id],
    sealed: factors.secret,
  },
} as const;

export type SealedKind = keyof typeof COLUMNS;
export const SEALED_KINDS: SealedKind[] = [
  "channel-credential",
  "publish-key",
  "follow-up-key",
  "part-key",
  "webhook-secret",
  "previous-webhook-secrets",
  "workspace-key",
  "connect-verifier",
  "connect-accounts",
  "factor-secret",
];

export const getPurpose = (kind: SealedKind) => COLUMNS[kind].purpose;

const deliveryOfFollowUp = sql`(SELECT ${deliveries.id} FROM ${deliveries} WHERE ${deliveries.workspaceId} = ${followUps.workspaceId}
  AND ${deliveries.postId} = ${followUps.postId} AND ${deliveries.channelId} = ${followUps.channelId})`;

/** The next rows with sealed values of a kind, after a row. */
export async function sealedAfter(
  db: Database,
  kind: SealedKind,
  after: { workspaceId: string; rowKey: string },
  limit: number,
): Promise<SealedRow[]> {
  const { table, owner, key, sealed } = COLUMNS[kind];
  const columns = sql.join([owner, ...key], sql`, `);
  const keyValues = after.rowKey.split(" ");
  const values = [after.workspaceId, ...key.map((_, i) => keyValues[i] ?? "")].map((value) => sql`${value}`);
  return db
    .select({
      workspaceId: owner,
      // A follow-up's value is sealed for its delivery.
      id: "id" in table ? table.id : sql<string>`${deliveryOfFollowUp}`,
      rowKey: sql<string>`${sql.join([...key], sql` || ' ' || `)}`,
      // The raw column: it may also be a list of secrets.
      sealed: sql<string>`${sealed}`,
    })
    .from(table)
    .where(and(sql`${sealed} LIKE '%v1.%'`, sql`(${columns}) > (${sql.join(values, sql`, `)})`))
    .orderBy(asc(owner), ...key.map((column) => asc(column)))
    .limit(limit);
}

/** Replaces a sealed value, as it was read, with its resealed form, unless it has changed in the meantime. */
export async function replaceSealed(db: Database, kind: SealedKind, row: SealedRow, sealed: string): Promise<void> {
  const { table, owner, key, sealed: column } = COLUMNS[kind];
  const keyValues = row.rowKey.split(" ");
  const asRead = and(
    eq(owner, row.workspaceId),
    ...key.map((column, i) => {
      const keyValue = keyValues[i];
      if (keyValue === undefined) throw new Error("a sealed row has no key");
      return eq(column, keyValue);
    }),
    sql`${column} = ${row.sealed}`,
  );
  await db.run(sql`UPDATE ${table} SET ${sql.identifier(column.name)} = ${sealed} WHERE ${asRead}`);
}
