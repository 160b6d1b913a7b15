// Warns of the end of a network's API version: one event for each workspace that has a channel of the network.
import { sql } from "drizzle-orm";
import type { EndingVersion } from "../../domain/api-version.ts";
import type { EventRecord } from "../../domain/event-body.ts";
import { DAY_MS } from "../../domain/limits.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/db.ts";
import { nextWorkspaces } from "../db/next-workspaces.ts";
import { channels, events, workspaces } from "../db/schema.ts";
import { insertEvents, isIndexed } from "../events.ts";
import { endpointsToNotify, fanOut } from "../webhooks/messages.ts";

const EVENT = "network.version_ending";

/**
 * Equal for the same end and lead. Events are kept for longer than the time between the first warning and the end, so
 * each warning is written once.
 */
const dedupeKeyFor = ({ supportedUntil, days }: EndingVersion) => (Date.parse(supportedUntil) / DAY_MS) * 100 + days;

/** True of the event that warns a workspace of the end of a version. */
const isWarning = (workspaceId: string | ReturnType<typeof sql>, platform: string, ending: EndingVersion) =>
  sql`${isIndexed} AND ${events.workspaceId} = ${workspaceId} AND ${events.event} = ${EVENT}
    AND ${events.channelId} = ${platform} AND ${events.dedupeKey} = ${dedupeKeyFor(ending)}`;

/**
 * Looks at the next `limit` workspaces after `after`, and returns those that have a channel of the network and no such
 * warning yet. `last`: the last one that it looked at; null: no workspaces are left.
 */
export async function workspacesToWarn(
  db: Database,
  platform: string,
  ending: EndingVersion,
  { after, limit }: { after: string; limit: number },
): Promise<{ workspaceIds: string[]; last: string | null }> {
  const hasChannel = sql`EXISTS (SELECT 1 FROM ${channels} WHERE ${channels.workspaceId} = one.id
    AND ${channels.platform} = ${platform} AND ${channels.removedAt} IS NULL)`;
  const isWarned = sql`EXISTS (SELECT 1 FROM ${events} INDEXED BY events_by_name WHERE ${isWarning(sql`one.id`, platform, ending)})`;
  const rows = await db.all<{ id: string | null; due: number }>(
    sql`SELECT one.id, ${hasChannel} AND NOT ${isWarned} AS due FROM ${nextWorkspaces(channels, after, limit)} AS one`,
  );
  return {
    workspaceIds: rows.flatMap(({ id, due }) => (id !== null && due === 1 ? [id] : [])),
    last: rows.at(-1)?.id ?? null,
  };
}

/** Writes the warning of a workspace, unless it exists. Returns the endpoints to notify. */
export async function recordVersionWarning(
  db: Database,
  { workspaceId, platform, ending }: { workspaceId: string; platform: string; ending: EndingVersion },
  event: EventRecord,
): Promise<string[]> {
  const isOurs = isWarning(workspaceId, platform, ending);
  const { messages } = await batch(db, {
    event: insertEvents(
      db,
      { workspaceId, ...event, postId: null, channelId: platform, dedupeKey: dedupeKeyFor(ending) },
      sql`FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId}
        AND NOT EXISTS (SELECT 1 FROM ${events} INDEXED BY events_by_name WHERE ${isOurs})`,
    ),
    messages: fanOut(db, sql`${events} INDEXED BY events_by_name`, sql`${isOurs} AND ${events.id} = ${event.id}`),
  });
  return endpointsToNotify(messages);
}
