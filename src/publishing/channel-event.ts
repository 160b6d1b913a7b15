// Events of a channel's credential: that it ends soon, and that it was lost.
import type { Context } from "../context.ts";
import type { EventName } from "../domain/event.ts";
import { FAILURES, type FailureCode } from "../domain/failure.ts";
import { makeId } from "../domain/ids.ts";
import { isoInstant, isoOrNull } from "../domain/instant.ts";
import type { ChannelRow } from "../store/channels.ts";
import type { EventRow } from "../store/events.ts";

/** `error`: why the credential was lost; null: it still works. */
export function channelEvent(
  ctx: Context,
  channel: ChannelRow,
  event: Extract<EventName, `channel.${string}`>,
  error: FailureCode | null,
): EventRow {
  const createdAt = ctx.now();
  const id = makeId("evt", createdAt, ctx.entropy);
  const body = JSON.stringify({
    event,
    id,
    created_at: isoInstant(createdAt),
    workspace: channel.workspaceId,
    channel: channel.id,
    platform: channel.platform,
    handle: channel.handle,
    token_expires_at: isoOrNull(channel.tokenExpiresAt),
    ...(error === null ? {} : { error }),
    action: FAILURES[error ?? "token_expired"].action,
  });
  return { id, event, body, createdAt };
}
