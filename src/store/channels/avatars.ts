// The copies of accounts' pictures. A copy's object is recorded as discarded before it is written, and the channel's row takes
// it over afterwards, so a crash never leaves an object without a record. The copies do not count against the plan.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../../domain/limits.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { channels, discardedObjects } from "../db/schema.ts";
import { noteCopy, UNNAMED_COPY_LIFE_MS } from "../media/staging.ts";
import { isPresentChannel } from "./channel-key.ts";

type ChannelRow = typeof channels.$inferSelect;

/** How long a copy is shown before it is made again, and how long to wait after a failed attempt. */
const REFRESHED_AFTER_MS = 7 * DAY_MS;
const RETRIED_AFTER_MS = DAY_MS;

/** The columns of a channel without a copy. */
export const NO_AVATAR = { avatarKey: null, avatarEtag: null, avatarType: null, avatarAt: null } as const;

/** The statement that discards the copies of the channels that `condition` selects. Their rows lose them afterwards. */
export function discardAvatars(db: Database, condition: SQL | undefined) {
  return insertFrom(
    db,
    discardedObjects,
    { workspaceId: channels.workspaceId, objectKey: sql`${channels.avatarKey}`, nextAt: NOW },
    sql`FROM ${channels} WHERE ${channels.avatarKey} IS NOT NULL AND ${condition}`,
  ).onConflictDoNothing();
}

/** Channels of all workspaces whose picture is due to be copied, longest due first. */
export async function channelsWithDueAvatar(db: Database, limit: number): Promise<ChannelRow[]> {
  return db
    .select()
    .from(channels)
    .where(and(sql`${channels.avatarAt} IS NOT NULL`, lte(channels.avatarAt, NOW)))
    .orderBy(asc(channels.avatarAt))
    .limit(limit);
}

type Channel = Pick<ChannelRow, "workspaceId" | "id" | "avatarUrl">;

/**
 * Replaces the copy of a channel's picture by the one that `copy` writes to `objectKey`. If `copy` returns null, the previous
 * copy stays. Returns the channel's row; undefined if the channel was removed.
 */
export async function replaceAvatar(
  db: Database,
  channel: Channel,
  objectKey: string,
  copy: (url: string) => Promise<{ etag: string; contentType: string } | null>,
): Promise<ChannelRow | undefined> {
  const { workspaceId, avatarUrl } = channel;
  if (avatarUrl === null) return takeAvatar(db, channel, NO_AVATAR);
  await noteCopy(db, { workspaceId, objectKey }, UNNAMED_COPY_LIFE_MS);
  const stored = await copy(avatarUrl);
  if (stored === null) return postponeAvatar(db, channel);
  return takeAvatar(db, channel, {
    avatarKey: objectKey,
    avatarEtag: stored.etag,
    avatarType: stored.contentType,
    avatarAt: sql`${NOW} + ${REFRESHED_AFTER_MS}`,
  });
}

/** Whether a channel is present and still has the picture that was copied. */
const hasPicture = ({ workspaceId, id, avatarUrl }: Channel): SQL =>
  sql`${isPresentChannel(workspaceId, id)} AND ${channels.avatarUrl} IS ${avatarUrl}`;

type Avatar = Record<"avatarKey" | "avatarEtag" | "avatarType", string | null> & { avatarAt: SQL | null };

async function takeAvatar(db: Database, channel: Channel, avatar: Avatar): Promise<ChannelRow | undefined> {
  const { workspaceId, id } = channel;
  const { avatarKey } = avatar;
  const { rows } = await batch(db, {
    previous: discardAvatars(db, sql`${hasPicture(channel)} AND ${channels.avatarKey} IS NOT ${avatarKey}`),
    taken: db.update(channels).set(avatar).where(hasPicture(channel)),
    noted: db
      .delete(discardedObjects)
      .where(
        and(
          eq(discardedObjects.workspaceId, workspaceId),
          sql`${discardedObjects.objectKey} = ${avatarKey}`,
          sql`EXISTS (SELECT 1 FROM ${channels} WHERE ${isPresentChannel(workspaceId, id)} AND ${channels.avatarKey} = ${avatarKey})`,
        ),
      ),
    rows: db.select().from(channels).where(isPresentChannel(workspaceId, id)),
  });
  return rows[0];
}

async function postponeAvatar(db: Database, channel: Channel): Promise<ChannelRow | undefined> {
  const wait = sql`CASE WHEN ${channels.avatarKey} IS NULL THEN ${RETRIED_AFTER_MS} ELSE ${REFRESHED_AFTER_MS} END`;
  const { rows } = await batch(db, {
    postponed: db
      .update(channels)
      .set({ avatarAt: sql`${NOW} + ${wait}` })
      .where(hasPicture(channel)),
    rows: db.select().from(channels).where(isPresentChannel(channel.workspaceId, channel.id)),
  });
  return rows[0];
}
