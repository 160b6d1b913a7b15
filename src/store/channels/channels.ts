import { and, desc, eq, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import type { EventRecord } from "../../domain/event-body.ts";
import { recordWorkspaceAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { channels } from "../db/schema.ts";
import { endpointsToNotify } from "../webhooks/messages.ts";
import { discardAvatars, NO_AVATAR } from "./avatars.ts";
import { isChannel, isPresentChannel } from "./channel-key.ts";
import { tellOfChannel } from "./tell.ts";

export type ChannelRow = typeof channels.$inferSelect;

/** How many channels one publisher serves. */
export const CHANNELS_PER_LANE = 16;

/** A page of the workspace's channels, newest first, below the id `before`. `only`: these channels; null: all. */
export async function listChannels(
  db: Database,
  workspaceId: string,
  { limit, before, only }: { limit: number; before: string | null; only: readonly string[] | null },
): Promise<ChannelRow[]> {
  return db
    .select()
    .from(channels)
    .where(
      and(
        eq(channels.workspaceId, workspaceId),
        isNull(channels.removedAt),
        before === null ? undefined : lt(channels.id, before),
        only === null ? undefined : isAmong(only),
      ),
    )
    .orderBy(desc(channels.id))
    .limit(limit);
}

const isAmong = (ids: readonly string[]) =>
  sql`${channels.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** The handles of all present and former channels of the workspace. */
export async function listHandles(db: Database, workspaceId: string): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: channels.id, handle: channels.handle })
    .from(channels)
    .where(eq(channels.workspaceId, workspaceId));
  return new Map(rows.map(({ id, handle }) => [id, handle]));
}

/** The channels with these ids that are in the workspace. */
export async function channelsByIds(db: Database, workspaceId: string, ids: string[]): Promise<ChannelRow[]> {
  return db
    .select()
    .from(channels)
    .where(and(eq(channels.workspaceId, workspaceId), isNull(channels.removedAt), isAmong(ids)));
}

/** The channel of an account, even if disconnected. */
export async function findChannelByHandle(db: Database, workspaceId: string, platform: string, handle: string) {
  const [row] = await db
    .select()
    .from(channels)
    .where(and(eq(channels.workspaceId, workspaceId), eq(channels.platform, platform), eq(channels.handle, handle)));
  return row;
}

/**
 * The channel of an account by the network's own account id, even if disconnected; the oldest, if there are several.
 */
export async function findChannelByAccount(db: Database, workspaceId: string, platform: string, accountId: string) {
  const [row] = await db
    .select()
    .from(channels)
    .where(
      and(eq(channels.workspaceId, workspaceId), eq(channels.platform, platform), eq(channels.accountId, accountId)),
    )
    .orderBy(channels.id)
    .limit(1);
  return row;
}

export interface Connection {
  accountId: string | null;
  name: string | null;
  /** At the network. */
  avatarUrl: string | null;
  /** When the picture is copied; epoch milliseconds, null: never. */
  avatarAt: number | null;
  profileUrl: string | null;
  /** Sealed. */
  credential: string | null;
  /** Empty without a credential. */
  credentialId: string;
  tokenExpiresAt: number | null;
  /** Epoch milliseconds; null: never. */
  renewAt: number | null;
  /** When its owner is next warned that the credential ends; epoch milliseconds, null: never. */
  warnAt: number | null;
  /** A user or a key. */
  connectedBy: string | null;
  /** Their current name. */
  connectedByName: string | null;
  /** Optional permissions of the network's rule that were not granted; null: unknown. */
  missingPermissions: string[] | null;
  /** The account's subscription at the network; null: none is known. */
  tier: string | null;
}

/** The channel limit for a write, and the event and audit entry that are written with the channel. */
export interface ChannelWrite {
  /** null: no limit. */
  channelsMax: number | null;
  event: EventRecord;
  entry: AuditEntry;
}

/**
 * Stores a new channel if the workspace has fewer than `channelsMax` (null: no limit). Returns undefined otherwise.
 * Fails on `channels.handle` if the account already has a channel.
 */
export async function insertChannel(
  db: Database,
  row: { workspaceId: string; id: string; platform: string; handle: string } & Connection,
  { channelsMax, event, entry }: ChannelWrite,
): Promise<WrittenChannel | undefined> {
  const { workspaceId } = row;
  const inserted = insertFrom(
    db,
    channels,
    {
      ...row,
      // Removed channels keep their place in their lane, because they can come back. D1 binds numbers as REAL, so a
      // division would have a fraction.
      lane: sql`CAST((SELECT COUNT(*) FROM ${channels} WHERE ${channels.workspaceId} = ${workspaceId})
        / ${CHANNELS_PER_LANE} AS INTEGER)`,
      createdAt: NOW,
      updatedAt: NOW,
    },
    sql`WHERE ${hasRoom(workspaceId, channelsMax)}`,
  );
  const { written, messages } = await batch(db, {
    inserted,
    recorded: recordWorkspaceAct(db, entry),
    ...tellOfChannel(db, row, event, hasConnection(row, row)),
    written: db.select().from(channels).where(isPresentChannel(workspaceId, row.id)),
  });
  return written[0] && { row: written[0], notify: endpointsToNotify(messages) };
}

/** A channel as it was written, and the endpoints to notify of it. */
export interface WrittenChannel {
  row: ChannelRow;
  notify: string[];
}

/** Matches the row that this connection was just written to. Without a credential it matches none, so no event. */
const hasConnection = ({ workspaceId, id }: { workspaceId: string; id: string }, { credentialId }: Connection): SQL =>
  sql`${isChannel(workspaceId, id)} AND ${channels.credentialId} = ${credentialId} AND ${credentialId} <> ''`;

/**
 * Gives a channel a new credential; it keeps its id and its queue. A removed channel comes back if the workspace has
 * fewer than `channelsMax` (null: no limit). Returns undefined at the limit.
 */
export async function reconnectChannel(
  db: Database,
  { workspaceId, id }: { workspaceId: string; id: string },
  connection: Connection,
  { channelsMax, event, entry }: ChannelWrite,
): Promise<WrittenChannel | undefined> {
  const { rows, messages } = await batch(db, {
    rows: db
      .update(channels)
      .set({ ...connection, lostReason: null, notBefore: null, removedAt: null, updatedAt: NOW })
      .where(and(isChannel(workspaceId, id), or(isNull(channels.removedAt), hasRoom(workspaceId, channelsMax))))
      .returning(),
    recorded: recordWorkspaceAct(db, entry),
    ...tellOfChannel(db, { workspaceId, id }, event, hasConnection({ workspaceId, id }, connection)),
  });
  return rows[0] && { row: rows[0], notify: endpointsToNotify(messages) };
}

/** The name of a channel for people to read, inside a statement. */
const nameOfChannel = sql`${channels.platform} || ' ' || ${channels.handle}`;

/** True if the workspace has fewer channels than `channelsMax` (null: no limit). */
const hasRoom = (workspaceId: string, channelsMax: number | null): SQL =>
  sql`(${channelsMax} IS NULL OR (SELECT COUNT(*) FROM ${channels} WHERE ${channels.workspaceId} = ${workspaceId}
    AND ${channels.removedAt} IS NULL) < ${channelsMax})`;

/** The columns of a removed channel: no credential, no renewal, no warning and no picture, which `discardAvatars` deletes. */
export const REMOVED = {
  credential: null,
  credentialId: "",
  tokenExpiresAt: null,
  renewAt: null,
  warnAt: null,
  ...NO_AVATAR,
  removedAt: NOW,
  updatedAt: NOW,
} as const;

/** Erases the credential and removes the channel from the workspace. Returns whether it existed. */
export async function removeChannel(db: Database, id: string, entry: AuditEntry): Promise<boolean> {
  const { workspaceId } = entry;
  const name = sql`(SELECT ${nameOfChannel} FROM ${channels} WHERE ${isChannel(workspaceId, id)})`;
  const { rows } = await batch(db, {
    avatars: discardAvatars(db, isPresentChannel(workspaceId, id)),
    rows: db.update(channels).set(REMOVED).where(isPresentChannel(workspaceId, id)).returning({ id: channels.id }),
    recorded: recordWorkspaceAct(db, { ...entry, target: { id, name } }),
  });
  return rows.length === 1;
}

/** The current row of a channel, including a removed one. */
export async function readChannel(db: Database, workspaceId: string, id: string): Promise<ChannelRow | undefined> {
  const [row] = await db.select().from(channels).where(isChannel(workspaceId, id));
  return row;
}

/** Whether a database has rows of a workspace's channels. Disconnected channels keep their rows, so they count too. */
export async function hasChannelRows(db: Database, workspaceId: string): Promise<boolean> {
  const rows = await db
    .select({ id: channels.id })
    .from(channels)
    .where(eq(channels.workspaceId, workspaceId))
    .limit(1);
  return rows.length > 0;
}
