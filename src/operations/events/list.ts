import type * as z from "zod";
import type { listEvents as contract, Event } from "../../contract/events.ts";
import { isChannelEvent } from "../../domain/event.ts";
import { refuse } from "../../domain/refusal.ts";
import { listEvents as read } from "../../store/events.ts";
import { inWorkspace } from "../caller.ts";
import { cursorAtSeq, readSeq, takePageRows } from "../cursor.ts";
import { getReachableChannels } from "../reach.ts";
import { ok, type Run } from "../run.ts";

export const listEvents: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const { limit, order, event = null, post = null, channel = null, actor = null } = query;
  const after = readSeq(query.cursor);
  const hasChannels = query.include === "channels";
  if (event !== null && isChannelEvent(event) && !hasChannels) {
    throw refuse("unknown_event", {
      field: "/event",
      hint: "Ask for the events of channels, too: `include=channels`.",
    });
  }
  const reach = getReachableChannels(caller);
  const filter = { event, post, channel, actor, reach, hasChannels, order, after, limit: limit + 1 };
  const { events: eventRows, lookedAtLast } = await read(ctx.databaseOf(workspaceId), workspaceId, filter);
  const page = takePageRows(eventRows, limit);
  const last = page.at(-1)?.seq ?? null;
  const hasMore = eventRows.length > page.length;
  // A log has no last page. Its reader returns later and continues behind the events that were already searched.
  const next = hasMore ? last : order === "oldest" ? (lookedAtLast ?? last ?? after ?? 0) : null;
  return ok({
    events: page.map(({ body }) => eventView(body)),
    next: next === null ? null : cursorAtSeq(next),
  });
};

/** The stored event, with null for the fields that its kind lacks. */
export function eventView(body: string): z.input<typeof Event> {
  const stored: Partial<z.input<typeof Event>> = JSON.parse(body);
  const { id = "", event = "delivery.failed", channel = "", platform = "", approval = null, created_at = "" } = stored;
  return {
    id,
    event,
    post: stored.post ?? null,
    channel,
    platform,
    delivery: stored.delivery ?? null,
    attempt: stored.attempt ?? null,
    url: stored.url ?? null,
    error: stored.error ?? null,
    action: stored.action ?? null,
    next_attempt_at: stored.next_attempt_at ?? null,
    network_message: stored.network_message ?? null,
    altered: stored.altered ?? null,
    approval,
    actor: stored.actor ?? null,
    metadata: stored.metadata ?? {},
    created_at,
  };
}
