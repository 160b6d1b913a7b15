// The life of channel credentials: renewal, loss, and warnings before they end.
import { and, asc, eq, isNotNull, lte, sql } from "drizzle-orm";
import type { FailureCode } from "../../domain/delivery/failure.ts";
import type { EventRecord } from "../../domain/event-body.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { channels } from "../db/schema.ts";
import { endpointsToNotify } from "../webhooks/messages.ts";
import { isPresentChannel } from "./channel-key.ts";
import type { ChannelRow } from "./channels.ts";
import { tellOfChannel } from "./tell.ts";

/** A credential that was renewed. */
export interface RenewedCredential {
  workspaceId: string;
  channelId: string;
  /**
   * The id of the renewed credential. The id is used because a rotation of the sealing keys changes the sealed text.
   */
  replacesId: string;
  credentialId: string;
  sealed: string;
  /** When it is due for renewal, epoch milliseconds; null: never. */
  renewAt: number | null;
}

/**
 * Replaces a credential by the one that was renewed from it, unless another has replaced it in the meantime.
 * Idempotent. Returns whether the channel has the renewed credential now.
 */
export async function storeCredential(db: Database, renewed: RenewedCredential): Promise<boolean> {
  const { workspaceId, channelId, replacesId, credentialId, sealed, renewAt } = renewed;
  const {
    rows: [row],
  } = await batch(db, {
    replaced: db
      .update(channels)
      .set({ credential: sealed, credentialId, renewAt, updatedAt: NOW })
      .where(hasCredential(workspaceId, channelId, replacesId)),
    rows: db
      .select({ id: channels.id })
      .from(channels)
      .where(hasCredential(workspaceId, channelId, credentialId)),
  });
  return row !== undefined;
}

/**
 * Gives up a credential that the network refuses for good, and writes the event, unless a user has replaced it in the
 * meantime. Returns the endpoints to notify.
 */
export async function loseCredential(
  db: Database,
  workspaceId: string,
  id: string,
  credentialId: string,
  reason: FailureCode,
  event: EventRecord,
): Promise<string[]> {
  const isHeld = hasCredential(workspaceId, id, credentialId);
  const { messages } = await batch(db, {
    // Runs before the credential is erased: a session that finds it gone adds no second event.
    ...tellOfChannel(db, { workspaceId, id }, event, sql`${isHeld}`),
    channel: db
      .update(channels)
      .set({
        credential: null,
        credentialId: "",
        lostReason: reason,
        tokenExpiresAt: null,
        renewAt: null,
        warnAt: null,
        updatedAt: NOW,
      })
      .where(isHeld),
  });
  return endpointsToNotify(messages);
}

/** True of a channel that still has this credential. */
const hasCredential = (workspaceId: string, channelId: string, credentialId: string) =>
  and(
    isPresentChannel(workspaceId, channelId),
    isNotNull(channels.credential),
    eq(channels.credentialId, credentialId),
  );

/** The position of a walk through the channels that are due for renewal, ordered by due time. */
export interface RenewalCursor {
  /** Epoch milliseconds. */
  dueAt: number;
  workspaceId: string;
  channelId: string;
}

/**
 * Channels of any workspace whose credential is due for renewal: the next `limit` after `after` (null: from the longest
 * due one). Returns the next position; null: no channels are left.
 */
export async function channelsToRenew(db: Database, after: RenewalCursor | null, limit: number) {
  const { dueAt, workspaceId, channelId } = after ?? { dueAt: 0, workspaceId: "", channelId: "" };
  const { renewAt } = channels;
  const due = await db
    .select({
      dueAt: sql<number>`${renewAt}`,
      workspaceId: channels.workspaceId,
      channelId: channels.id,
      lane: channels.lane,
    })
    .from(channels)
    .where(
      and(
        lte(renewAt, NOW),
        sql`(${renewAt}, ${channels.workspaceId}, ${channels.id}) > (${dueAt}, ${workspaceId}, ${channelId})`,
      ),
    )
    .orderBy(asc(renewAt), asc(channels.workspaceId), asc(channels.id))
    .limit(limit);
  const next: RenewalCursor | null = due[limit - 1] ?? null;
  return { due, next };
}

/** Postpones a failed renewal. */
export async function putOffRenewal(db: Database, workspaceId: string, id: string, byMs: number): Promise<void> {
  await db
    .update(channels)
    .set({ renewAt: sql`${NOW} + ${byMs}` })
    .where(and(isPresentChannel(workspaceId, id), lte(channels.renewAt, NOW)));
}

/** Channels of all workspaces whose owners are due a warning that their credential ends. */
export async function channelsToWarn(db: Database, limit: number): Promise<ChannelRow[]> {
  return db.select().from(channels).where(lte(channels.warnAt, NOW)).orderBy(asc(channels.warnAt)).limit(limit);
}

/**
 * Records that a channel's owner was warned, with the event (null: there is nothing left to warn of), unless that was
 * already done or the channel was reconnected in the meantime. Returns the endpoints to notify.
 */
export async function noteWarned(
  db: Database,
  channel: ChannelRow,
  event: EventRecord | null,
  warnAt: number | null,
): Promise<string[]> {
  const { workspaceId, id } = channel;
  const isAsRead = sql`${channels.workspaceId} = ${workspaceId} AND ${channels.id} = ${id}
    AND ${channels.warnAt} = ${channel.warnAt} AND ${channels.tokenExpiresAt} = ${channel.tokenExpiresAt}`;
  const warned = db.update(channels).set({ warnAt }).where(isAsRead);
  if (event === null) {
    await warned;
    return [];
  }
  const { messages } = await batch(db, {
    ...tellOfChannel(db, channel, event, isAsRead),
    channel: warned,
  });
  return endpointsToNotify(messages);
}
