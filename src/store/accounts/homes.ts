// The home of a workspace that is not in the accounts database. Its row there, which its other rows reference, is
// created before the workspace, updated with its changes, and erased after it.
import { and, eq, isNull, lte, type SQLWrapper, sql } from "drizzle-orm";
import { discardAvatars } from "../channels/avatars.ts";
import { REMOVED } from "../channels/channels.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/db.ts";
import { carries, channels, clearances, webhooks, workspaces } from "../db/schema.ts";
import { withdrawPosts } from "../posts/withdraw.ts";

/** The size of a database in bytes. */
export async function readDatabaseSize(db: Database): Promise<number> {
  const { meta } = await db.run(sql`SELECT 1`);
  return meta.size_after;
}

type WorkspaceRow = typeof workspaces.$inferSelect;

/** Creates the row of a new workspace in a database other than the accounts database. */
export async function insertHome(db: Database, workspace: WorkspaceRow): Promise<void> {
  await db
    .insert(workspaces)
    .values({ ...workspace, home: 0, externalId: null, externalOwner: null, metadata: null })
    .onConflictDoNothing();
}

/** Deletes the row of a workspace that was not created. */
export async function deleteHome(db: Database, workspaceId: string): Promise<void> {
  await db.delete(workspaces).where(eq(workspaces.id, workspaceId));
}

/** How many workspaces are updated in a database at once. */
const TOGETHER_MAX = 50;

/** Sends the changes of workspaces to their database, `home`. Idempotent. */
export async function carryChanges(accounts: Database, home: number, db: Database): Promise<void> {
  while (await carrySome(accounts, home, db));
}

/** Sends the changes of a few workspaces. Returns whether there may be more. */
async function carrySome(accounts: Database, home: number, db: Database): Promise<boolean> {
  const changed = await accounts
    .select({ workspace: workspaces, version: carries.version })
    .from(carries)
    .innerJoin(workspaces, eq(workspaces.id, carries.workspaceId))
    .where(eq(workspaces.home, home))
    .limit(TOGETHER_MAX);
  if (changed.length === 0) return false;
  const sent = JSON.stringify(
    changed.map(({ workspace: { id, carryVersion }, version }) => [id, version, carryVersion]),
  );
  const { later } = await batch(db, {
    carried: changed.flatMap(({ workspace }) => buildChanges(db, workspace)),
    later: db
      .select({ id: workspaces.id, version: workspaces.carryVersion })
      .from(sql`json_each(${sent})`)
      .crossJoin(workspaces)
      .where(sql`${workspaces.id} = value ->> 0 AND ${workspaces.carryVersion} > value ->> 2`),
  });
  const isRestored = later.length > 0 && (await catchUp(accounts, later));
  await accounts
    .delete(carries)
    .where(
      sql`(${carries.workspaceId}, ${carries.version}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${sent}))`,
    );
  return changed.length === TOGETHER_MAX || isRestored;
}

/**
 * If the other database has later versions than the accounts database, the accounts database was restored to an earlier time.
 * Then its changes get these versions, so that they are sent again. Returns whether there were any. If another call has sent
 * the later versions, this changes nothing.
 */
async function catchUp(accounts: Database, later: { id: string; version: number }[]): Promise<boolean> {
  const list = sql`json_each(${JSON.stringify(later.map(({ id, version }) => [id, version]))})`;
  const versionIn = (id: SQLWrapper) => sql`(SELECT value ->> 1 FROM ${list} WHERE value ->> 0 = ${id})`;
  const isBehind = sql`${workspaces.id} IN (SELECT value ->> 0 FROM ${list})
    AND ${workspaces.carryVersion} < ${versionIn(workspaces.id)}`;
  const { behind } = await batch(accounts, {
    again: accounts
      .update(carries)
      .set({ version: versionIn(carries.workspaceId) })
      .where(sql`${carries.workspaceId} IN (SELECT ${workspaces.id} FROM ${workspaces} WHERE ${isBehind})`),
    behind: accounts
      .update(workspaces)
      .set({ carryVersion: versionIn(workspaces.id) })
      .where(isBehind)
      .returning({ id: workspaces.id }),
  });
  return behind.length > 0;
}

function buildChanges(db: Database, { id, emptiedAt, ...row }: WorkspaceRow) {
  const { plan, planStatus, timezone, approval, fourEyes, rechecks, budget, linkTags, carryVersion } = row;
  // The accounts database may have been restored to a time with fewer ended rights.
  const rightsEpoch = sql`MAX(${workspaces.rightsEpoch}, ${row.rightsEpoch})`;
  // If two calls send changes at once, the call that read first may write last.
  const settings = db
    .update(workspaces)
    .set({ plan, planStatus, timezone, approval, fourEyes, rechecks, budget, linkTags, rightsEpoch, carryVersion })
    .where(and(eq(workspaces.id, id), lte(workspaces.carryVersion, carryVersion)));
  if (emptiedAt === null) return [settings];
  const ofWorkspace = { workspaces: sql`(SELECT ${id})`, condition: sql`TRUE`, until: emptiedAt };
  const posts = withdrawPosts(db, ofWorkspace);
  const endsChannel = and(eq(channels.workspaceId, id), isNull(channels.removedAt), lte(channels.updatedAt, emptiedAt));
  return [
    settings,
    ...posts.withdrawnCounts,
    ...posts.withdrawnPosts,
    ...posts.withdrawnDeliveries,
    posts.withdrawnNotices,
    db.delete(webhooks).where(and(eq(webhooks.workspaceId, id), lte(webhooks.createdAt, emptiedAt))),
    discardAvatars(db, endsChannel),
    db.update(channels).set(REMOVED).where(endsChannel),
  ];
}

/**
 * Erases the rows of an erased workspace. The number of its publishers is recorded first, because they are cleaned up
 * afterwards.
 */
export async function eraseHome(accounts: Database, db: Database, workspaceId: string): Promise<void> {
  const [row] = await db
    .select({ lanes: sql<number>`1 + COALESCE(MAX(${channels.lane}), 0)` })
    .from(channels)
    .where(eq(channels.workspaceId, workspaceId));
  await accounts
    .update(clearances)
    .set({ lanes: sql`MAX(${clearances.lanes}, ${row?.lanes ?? 1})` })
    .where(eq(clearances.workspaceId, workspaceId));
  await deleteHome(db, workspaceId);
}
