// Deletes events that are older than the retention period. The walk goes from workspace to workspace. A sweep that
// reaches its limit is continued by the next one.
import type { Context } from "../context.ts";
import type { Database } from "../store/db/db.ts";
import { deleteOldEvents, workspacesWithOldEvents } from "../store/events.ts";

/** How many workspaces one sweep looks at. */
const LOOKED_MAX = 200;
/** From how many workspaces one sweep deletes events. */
const CLEARED_MAX = 20;
/** How many events one sweep deletes. */
const EVENTS_MAX = 5_000;

export interface EventCursors {
  /** The last workspace that was read; null: start with the first one. */
  events?: string | null;
}

export async function forgetEvents(_ctx: Context, db: Database, cursors: EventCursors): Promise<void> {
  const { workspaceIds, last } = await workspacesWithOldEvents(db, cursors.events ?? "", LOOKED_MAX);
  let room = EVENTS_MAX;
  for (const workspaceId of workspaceIds.slice(0, CLEARED_MAX)) {
    const deleted = await deleteOldEvents(db, workspaceId, room);
    room -= deleted;
    // This workspace may have more events, so the next sweep starts with it.
    if (room === 0) return;
    cursors.events = workspaceId;
  }
  if (workspaceIds.length <= CLEARED_MAX) cursors.events = last;
}
