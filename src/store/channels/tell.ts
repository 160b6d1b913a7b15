// The events of channels, each written in the transaction that changes its channel.
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import type { EventRecord } from "../../domain/event-body.ts";
import type { Database } from "../db/db.ts";
import { channels } from "../db/schema.ts";
import { insertEvents } from "../events.ts";
import { fanOutOfChannel } from "../webhooks/messages.ts";

/** The statements that write an event of a channel and its messages, if `condition` is true of the channel's row. */
export const tellOfChannel = (
  db: Database,
  { workspaceId, id }: { workspaceId: string; id: string },
  event: EventRecord,
  condition: SQL,
) => ({
  event: insertEvents(
    db,
    { workspaceId, ...event, postId: null, channelId: id, dedupeKey: event.createdAt },
    sql`FROM ${channels} WHERE ${condition}`,
  ),
  messages: fanOutOfChannel(db, workspaceId, id, event),
});
