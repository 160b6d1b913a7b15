// The slots of a workspace, and which of their instants are free. The statement that writes a post selects a free instant
// itself, so two calls never take the same instant.
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { AuditEntry } from "../domain/audit.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import type { PostTimes } from "../domain/posts/own-time.ts";
import type { Slot } from "../domain/slots.ts";
import { recordWorkspaceAct } from "./audit.ts";
import { type Statements, toStatements } from "./db/batch.ts";
import type { Database, In } from "./db/db.ts";
import { channels, slots, workspaces } from "./db/schema.ts";
import { DUE_OR_PLANNED, selectStatus } from "./posts/walks.ts";

/** The statement that reads the slots of a workspace: one row, or no row. */
export const selectSlots = (db: Database, workspaceId: In<string>) =>
  db.select({ slots: slots.slots }).from(slots).where(eq(slots.workspaceId, workspaceId));

export interface FoundSlots {
  slots: Slot[];
  timezone: string;
  /** The ids of the named channels that exist in the workspace. */
  present: string[];
}

/** Reads the slots, their time zone, and which of `channelIds` exist (null: which of the channels that the slots name). */
export function readSlots(db: Database, workspaceId: In<string>, channelIds: string[] | null): Statements<FoundSlots> {
  const ids =
    channelIds === null
      ? sql`SELECT j.value FROM ${slots} JOIN json_each(${slots.slots}) s JOIN json_each(s.value, '$.channels') j
          WHERE ${slots.workspaceId} = ${workspaceId}`
      : sql`SELECT value FROM json_each(${JSON.stringify(channelIds)})`;
  const statements = {
    slots: selectSlots(db, workspaceId),
    workspace: db.select({ timezone: workspaces.timezone }).from(workspaces).where(eq(workspaces.id, workspaceId)),
    present: db
      .select({ id: channels.id })
      .from(channels)
      .where(and(eq(channels.workspaceId, workspaceId), sql`${channels.id} IN (${ids})`, isNull(channels.removedAt))),
  };
  return toStatements(statements, ({ slots: [row], workspace: [workspace], present }) => ({
    slots: row?.slots ?? [],
    timezone: workspace?.timezone ?? "UTC",
    present: present.map(({ id }) => id),
  }));
}

/** Replaces all slots. */
export async function writeSlots(db: Database, newSlots: Slot[], entry: AuditEntry): Promise<void> {
  await db.batch([
    db
      .insert(slots)
      .values({ workspaceId: entry.workspaceId, slots: newSlots })
      .onConflictDoUpdate({ target: slots.workspaceId, set: { slots: newSlots } }),
    recordWorkspaceAct(db, entry),
  ]);
}

/** The slot that a post asks for. */
export interface SlotWish {
  workspaceId: string;
  /** The post itself, which does not block its own slot; null: it is new. */
  post: string | null;
  channels: string[];
  /** Epoch milliseconds, ascending. */
  candidates: number[];
}

/** True of a post (`p`) with times of single channels: it has a row in `post_terms` for each of its times. */
const hasOwnTimes = sql`instr(p.overrides, '"publish_at":') > 0`;
/** The time of the channel `value` of such a post. */
const timeOfChannel = sql`COALESCE(CAST(ROUND(unixepoch(json_extract(p.overrides, '$."' || value || '".publish_at'), 'subsec') * 1000)
  AS INTEGER), p.publish_at, p.due_at)`;

/**
 * A select of the free candidates, as `at`. A candidate is taken if a post or a draft on one of the channels has a time in
 * the minute that begins at the candidate.
 */
function selectFree({ workspaceId, post, channels: ids, candidates }: SlotWish): SQL {
  const channelList = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const within = (due: SQL) => sql`${due} >= c.value AND ${due} < c.value + ${sql.raw(`${MINUTE_MS}`)}`;
  const isTaken = (terms: SQL, condition: SQL) => sql`EXISTS (SELECT 1 FROM post_terms t
    JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
    WHERE t.workspace_id = ${workspaceId} AND t.term ${terms} AND ${within(sql`t.due_at`)}
      AND t.post_id IS NOT ${post} AND p.status <> 'cancelled' AND ${condition})`;
  const isTimed = sql`EXISTS (SELECT 1 FROM json_each(p.channels) WHERE value IN ${channelList} AND ${within(timeOfChannel)})`;
  return sql`SELECT c.value AS at FROM json_each(${JSON.stringify(candidates)}) c
    WHERE NOT ${isTaken(sql`IN ${channelList}`, sql`NOT ${hasOwnTimes}`)} AND NOT ${isTaken(sql`= '@'`, isTimed)}
    AND NOT EXISTS (SELECT 1 FROM ${selectStatus("posts_by_status_due", workspaceId, "draft")} AND ${within(DUE_OR_PLANNED)}
      AND p.id IS NOT ${post} AND NOT ${hasOwnTimes} AND EXISTS (SELECT 1 FROM json_each(p.channels) WHERE value IN ${channelList}))`;
}

/** The first free candidates, up to `limit`. */
export function readFree(db: Database, wish: SlotWish, limit: number): Statements<number[]> {
  const free = db
    .select({ at: sql<number>`at` })
    .from(sql`(${selectFree(wish)})`)
    .orderBy(sql`at`)
    .limit(limit);
  return toStatements({ free }, ({ free }) => free.map(({ at }) => at));
}

/** The first free candidate as an expression in a statement; NULL: no candidate is free. */
export const firstFree = (wish: SlotWish): SQL => sql`(SELECT MIN(at) FROM (${selectFree(wish)}))`;

/** The due time of a post that takes the slot `at`: the earliest time of its channels. */
export function dueAtWithSlot(at: SQL, { isFollowed, own }: PostTimes): SQL {
  if (own === null) return at;
  return isFollowed ? sql`MIN(${at}, ${own})` : sql`${own}`;
}

/** True if all of these slots are still free. Each wish has one candidate. */
export const areFree = (wishes: readonly SlotWish[]): SQL =>
  wishes.length === 0
    ? sql`TRUE`
    : sql.join(
        wishes.map((wish) => sql`${firstFree(wish)} IS NOT NULL`),
        sql` AND `,
      );
