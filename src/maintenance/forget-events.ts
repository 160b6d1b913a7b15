// Events that are older than they are kept. The walk goes from workspace to workspace, and on where it was when it has deleted
// as much as one sweep may.
import type { Context } from "../context.ts";
import type { Database } from "../store/db/db.ts";
import { deleteOldEvents, workspacesWithOldEvents } from "../store/events.ts";

/** Workspaces that a sweep looks at, ... */
const LOOKED_MAX = 200;
/** ... of which it clears so many, ... */
const CLEARED_MAX = 20;
/** ... and events that it deletes. */
const EVENTS_MAX = 5_000;

export interface EventPlaces {
  /** The last workspace that has been looked at; null: begin with the first one. */
  events?: string | null;
}

export async function forgetEvents(_ctx: Context, db: Database, places: EventPlaces): Promise<void> {
  const { workspaceIds, last } = await workspacesWithOldEvents(db, places.events ?? "", LOOKED_MAX);
  let room = EVENTS_MAX;
  for (const workspaceId of workspaceIds.slice(0, CLEARED_MAX)) {
    const deleted = await deleteOldEvents(db, workspaceId, room);
    room -= deleted;
    // It may have more of them, so it is the first one of the next sweep.
    if (room === 0) return;
    places.events = workspaceId;
  }
  if (workspaceIds.length <= CLEARED_MAX) places.events = last;
}
