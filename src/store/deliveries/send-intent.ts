// The writes before the irrevocable call: the publish key for the call, and the intent to make it. Both are idempotent: if
// the database's answer was lost, they can be repeated, and return the state of the row.
import { and, eq, sql } from "drizzle-orm";
import type { SentContent } from "../../domain/delivery/stored-facts.ts";
import { batch } from "../db/batch.ts";
import { type Database, type In, NOW } from "../db/db.ts";
import { jsonTable } from "../db/json-table.ts";
import { preparedBatch, toParameter } from "../db/prepared-sql.ts";
import { channels, deliveries, posts } from "../db/schema.ts";
import {
  type DeliveryGuard,
  GUARD_COLUMNS,
  guardCells,
  guardIn,
  ifUnchanged,
  isLeftBy,
  isWritten,
  type LeftRow,
  writtenBy,
} from "./guard.ts";
import { mayMove } from "./moves.ts";

const writePublishKey = preparedBatch(
  (db) => {
    const guard = guardIn({ column: toParameter });
    return {
      saved: db
        .update(deliveries)
        .set({ state: "staged", publishKey: toParameter("publish_key"), ...writtenBy(guard) })
        .where(and(ifUnchanged(guard), mayMove("prepared"))),
      rows: db.select({ version: deliveries.version }).from(deliveries).where(isWritten(guard)),
    };
  },
  (rowsFrom) => rowsFrom("rows").length === 1,
);

/** Stores a sealed publish key. Returns whether the delivery still belonged to the session. */
export const savePublishKey = (db: Database, guard: DeliveryGuard, publishKey: string): Promise<boolean> =>
  writePublishKey(db, { ...guardCells(guard), publish_key: publishKey });

/** The irrevocable call that a session is about to make. */
export interface SendIntent {
  guard: DeliveryGuard;
  /** The publish key, sealed. */
  publishKey: string;
  /** The SHA-256 of everything that is published. */
  payloadHash: string;
  /** The files that are sent from the bucket; none by default. */
  files?: readonly SentContent[];
}

const intentTable = jsonTable("intents", [...GUARD_COLUMNS, "publish_key", "hash", "files"]);

/**
 * The statement that writes send intents, each only if the delivery still belongs to its session, its post is not
 * cancelled and its channel is connected.
 */
export function writeIntents(db: Database) {
  const guard = guardIn(intentTable);
  const { workspaceId, postId, channelId } = guard.key;
  return db
    .update(deliveries)
    .set({
      state: "sending",
      sends: sql`json_insert(${deliveries.sends}, '$[#]', json_patch(json_object('fencing_token', ${guard.fencingToken},
        'payload_hash', ${intentTable.column("hash")}, 'sent_at', ${NOW}), ${intentTable.column("files")}))`,
      publishKey: sql`${intentTable.column("publish_key")}`,
      ...writtenBy(guard),
    })
    .from(intentTable.table)
    .where(
      and(
        ifUnchanged(guard),
        mayMove("announced"),
        sql`EXISTS (SELECT 1 FROM ${channels} WHERE ${channels.workspaceId} = ${workspaceId}
          AND ${channels.id} = ${channelId} AND ${channels.credential} IS NOT NULL AND ${channels.removedAt} IS NULL)`,
        sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId}
          AND ${posts.cancelledAt} IS NULL)`,
      ),
    );
}

/**
 * When the intent was written, by the database's clock, and how many milliseconds ago. null: the intent was not written, so
 * the call must not be made.
 */
export type WrittenIntent = { sentAt: number; ageMs: number } | null;

/** The parameters of `writeIntents`. */
export const intentValues = (intents: SendIntent[]) =>
  intentTable.values(
    intents.map(({ guard, publishKey, payloadHash, files = [] }) => ({
      ...guardCells(guard),
      publish_key: publishKey,
      hash: payloadHash,
      files: JSON.stringify(files.length === 0 ? {} : { files }),
    })),
  );

/** The results of writing send intents, read from the rows that the write left behind. */
export function readWrittenIntents(intents: SendIntent[], leftRows: LeftRow[]): WrittenIntent[] {
  return intents.map(({ guard }) => {
    const row = leftRows.find(isLeftBy(guard));
    const isWritten = row?.state === "sending" && row.version === guard.version + 1;
    return isWritten && row.sentAt !== null ? { sentAt: row.sentAt, ageMs: row.now - row.sentAt } : null;
  });
}

/** The `sends` of a delivery, with the answer to the last send added. */
export const answered = (outcome: In<string>, detail: In<string | null>) =>
  sql`json_set(${deliveries.sends}, '$[#-1].answered_at', ${NOW}, '$[#-1].outcome', ${outcome}, '$[#-1].detail', ${detail})`;

/**
 * Withdraws a send intent whose call published nothing (a refused access token) or was never made. The session may send
 * once more, under the next fencing token. Returns whether the delivery still belonged to the session.
 */
export async function withdrawIntent(
  db: Database,
  guard: DeliveryGuard,
  outcome: "unauthorized" | "unsent",
  reason: string,
) {
  const { rows } = await batch(db, {
    withdrawn: takeBack(db, guard, outcome, reason),
    rows: db.select({ version: deliveries.version }).from(deliveries).where(isWritten(guard)),
  });
  return rows.length === 1;
}

/** The statement that withdraws a written send intent. */
function takeBack(db: Database, guard: DeliveryGuard, outcome: "unauthorized" | "unsent", reason: string) {
  const next = { ...guard, fencingToken: guard.fencingToken + 1 };
  return db
    .update(deliveries)
    .set({
      state: sql`CASE WHEN ${deliveries.hasOpenSend} THEN 'reconciling' ELSE 'staged' END`,
      sends: answered(outcome, reason),
      ...writtenBy(next),
    })
    .where(and(ifUnchanged(guard), eq(deliveries.session, guard.session), eq(deliveries.state, "sending")));
}

/**
 * Ends a send intent whose call was never made, if it is unknown whether the database has written the intent. A written
 * intent is withdrawn. An unwritten intent can never be written later, because the row gets the next version. `guard` is the
 * guard from before the intent.
 */
export async function revokeIntent(db: Database, guard: DeliveryGuard, reason: string): Promise<void> {
  await batch(db, {
    withdrawn: takeBack(db, { ...guard, version: guard.version + 1 }, "unsent", reason),
    fenced: db
      .update(deliveries)
      .set({ version: sql`${deliveries.version} + 1`, session: null })
      .where(and(ifUnchanged(guard), mayMove("announced"))),
  });
}

/**
 * Takes over a delivery whose session ended while it was sending: its send becomes an unanswered send. Returns false if
 * another session was faster.
 */
export async function recoverSend(db: Database, guard: DeliveryGuard): Promise<boolean> {
  const { rows } = await batch(db, {
    recovered: db
      .update(deliveries)
      .set({ state: "reconciling", hasOpenSend: true, version: sql`${deliveries.version} + 1`, session: guard.session })
      .where(and(ifUnchanged(guard), eq(deliveries.state, "sending"))),
    rows: db.select({ version: deliveries.version }).from(deliveries).where(isWritten(guard)),
  });
  return rows.length === 1;
}
