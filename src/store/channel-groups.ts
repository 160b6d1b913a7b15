// Named selections of a workspace's channels. They name only channels that the workspace has: the writes check it, and a
// trigger removes a channel that is disconnected.
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { AuditEntry } from "../domain/audit.ts";
import { recordWorkspaceAct } from "./audit.ts";
import { batch } from "./db/batch.ts";
import { type Database, insertFrom } from "./db/db.ts";
import { channelGroups, channels } from "./db/schema.ts";

export type ChannelGroupRow = typeof channelGroups.$inferSelect;

const isGroup = (workspaceId: string, id: string) =>
  and(eq(channelGroups.workspaceId, workspaceId), eq(channelGroups.id, id));

/** True if all channels of the list are present. */
const arePresent = (workspaceId: string, ids: readonly string[]): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(ids)}) named WHERE NOT EXISTS (SELECT 1 FROM ${channels}
    WHERE ${channels.workspaceId} = ${workspaceId} AND ${channels.id} = named.value AND ${channels.removedAt} IS NULL))`;

/** A page of groups, newest first, below the id `before`. `only`: groups with one of these channels; null: all. */
export async function listChannelGroups(
  db: Database,
  workspaceId: string,
  { limit, before, only }: { limit: number; before: string | null; only: readonly string[] | null },
): Promise<ChannelGroupRow[]> {
  const hasOne = sql`EXISTS (SELECT 1 FROM json_each(${channelGroups.channels}) member
    WHERE member.value IN (SELECT value FROM json_each(${JSON.stringify(only)})))`;
  return db
    .select()
    .from(channelGroups)
    .where(
      and(
        eq(channelGroups.workspaceId, workspaceId),
        before === null ? undefined : lt(channelGroups.id, before),
        only === null ? undefined : hasOne,
      ),
    )
    .orderBy(desc(channelGroups.id))
    .limit(limit);
}

/** Stores a group if its channels are present and the workspace has fewer than `max` groups. undefined otherwise. */
export async function insertChannelGroup(
  db: Database,
  row: ChannelGroupRow,
  max: number,
  entry: AuditEntry,
): Promise<ChannelGroupRow | undefined> {
  const { workspaceId } = row;
  const hasRoom = sql`(SELECT COUNT(*) FROM ${channelGroups} WHERE ${channelGroups.workspaceId} = ${workspaceId}) < ${max}`;
  const { rows } = await batch(db, {
    rows: insertFrom(
      db,
      channelGroups,
      row,
      sql`WHERE ${hasRoom} AND ${arePresent(workspaceId, row.channels)}`,
    ).returning(),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows[0];
}

/** Changes a group if its new channels are present. undefined if they are not, or if there is no such group. */
export async function updateChannelGroup(
  db: Database,
  id: string,
  change: Partial<Pick<ChannelGroupRow, "name" | "channels">>,
  entry: AuditEntry,
): Promise<ChannelGroupRow | undefined> {
  const { workspaceId } = entry;
  const { rows } = await batch(db, {
    rows: db
      .update(channelGroups)
      .set(change)
      .where(
        and(
          isGroup(workspaceId, id),
          change.channels === undefined ? undefined : arePresent(workspaceId, change.channels),
        ),
      )
      .returning(),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows[0];
}

export async function getChannelGroup(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<ChannelGroupRow | undefined> {
  const [row] = await db.select().from(channelGroups).where(isGroup(workspaceId, id));
  return row;
}

/** Deletes a group. Returns whether it existed. */
export async function deleteChannelGroup(db: Database, id: string, entry: AuditEntry): Promise<boolean> {
  const { rows } = await batch(db, {
    rows: db.delete(channelGroups).where(isGroup(entry.workspaceId, id)).returning({ id: channelGroups.id }),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows.length === 1;
}
