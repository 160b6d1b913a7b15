// The work that is done every minute for each database. Databases are swept separately, so one that fails or hangs does not
// affect the others. If one kind of work fails, the others still run.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { workspacesToClear } from "../store/accounts/delete-workspaces.ts";
import { forgetEnds } from "../store/accounts/ended-rights.ts";
import { carryChanges } from "../store/accounts/homes.ts";
import { forgetExpiredInvitations } from "../store/accounts/invitations.ts";
import { forgetAudit } from "../store/audit.ts";
import type { Database } from "../store/db/db.ts";
import { forgetNotices } from "../store/notices.ts";
import { forgetIdleClients } from "../store/oauth/clients.ts";
import { forgetExpiredGrants } from "../store/oauth/grants.ts";
import { forgetExpiredKeys } from "../store/posts/cancel.ts";
import type { RepeatCursor } from "../store/posts/repeats.ts";
import { forgetOldAttempts } from "../store/webhooks/attempts.ts";
import { type ArchiveCursors, archivePosts } from "./archive-posts.ts";
import { endConnections } from "./end-connections.ts";
import { deleteDiscardedObjects, expireMedia, recordUploads } from "./expire-media.ts";
import {
  enqueueFeeds,
  enqueueFollowUps,
  renewCredentials,
  type WalkCursors,
  wakeLateDispatchers,
  wakeLatePublishers,
} from "./find-work.ts";
import { type EventCursors, forgetEvents } from "./forget-events.ts";
import { type LookedAhead, lookAhead } from "./preflight-lookahead.ts";
import { refreshAvatars } from "./refresh-avatars.ts";
import { type RotationCursor, rotateSeals } from "./rotate-seals.ts";
import { findNotices } from "./send-notices.ts";
import { warnOfExpiry } from "./warn-expiry.ts";
import { type QueueCursors, warnOfLowQueues } from "./warn-low-queues.ts";
import { type VersionCursors, warnOfVersionEnds } from "./warn-version-ends.ts";

const CLEARANCES_MAX = 100;
const FORGOTTEN_MAX = 5_000;
const GRANTS_MAX = 1_000;

/** The progress of a database, from one sweep to the next. */
export interface SweepCursors extends WalkCursors, EventCursors, ArchiveCursors, VersionCursors, QueueCursors {
  lookedAhead?: LookedAhead;
  seals?: RotationCursor | null;
  repeat?: RepeatCursor | null;
}

/** Work of a sweep. */
export type Work = (ctx: Context, db: Database, cursors: SweepCursors) => Promise<unknown>;

/** In order of urgency. */
const OF_A_DATABASE: Record<string, Work> = {
  publish: async (ctx, db, cursors) => {
    const count = await wakeLatePublishers(ctx, db, cursors);
    if (count > 0) log("warn", "overdue_work_found", { count });
  },
  renew: renewCredentials,
  preflight: lookAhead,
  follow_ups: enqueueFollowUps,
  webhooks: wakeLateDispatchers,
  warn_expiry: warnOfExpiry,
  warn_versions: warnOfVersionEnds,
  warn_queues: warnOfLowQueues,
  // Includes the warnings that were just written.
  notices: findNotices,
  uploads: recordUploads,
  expire_media: expireMedia,
  delete_objects: deleteDiscardedObjects,
  rotate_seals: rotateSeals,
  forget_attempts: (_, db) => forgetOldAttempts(db, FORGOTTEN_MAX),
  forget_keys: (_, db) => forgetExpiredKeys(db, FORGOTTEN_MAX),
  forget_notices: (_, db) => forgetNotices(db, FORGOTTEN_MAX),
  forget_audit: (_, db) => forgetAudit(db, FORGOTTEN_MAX),
  forget_events: forgetEvents,
  archive_posts: archivePosts,
  avatars: refreshAvatars,
  feeds: enqueueFeeds,
};

const OF_ACCOUNTS: Record<string, Work> = {
  forget_grants: (_, db) => forgetExpiredGrants(db, GRANTS_MAX),
  forget_clients: (_, db) => forgetIdleClients(db, GRANTS_MAX),
  forget_ends: (_, db) => forgetEnds(db, GRANTS_MAX),
  forget_invitations: (_, db) => forgetExpiredInvitations(db, GRANTS_MAX),
  // Includes the grants that were just deleted.
  end_connections: (ctx) => endConnections(ctx),
  clear_workspaces: async (ctx, db) => {
    const erased = await workspacesToClear(db, CLEARANCES_MAX);
    await ctx.queue.send(erased.map((workspace) => ({ kind: "clear_workspace", workspace })));
  },
};

async function doAll(works: Record<string, Work>, ctx: Context, db: Database, cursors: SweepCursors): Promise<void> {
  for (const [operation, work] of Object.entries(works)) {
    try {
      await work(ctx, db, cursors);
    } catch (error) {
      log("error", "sweep_failed", { operation, error: errorText(error) });
    }
  }
}

/** Sweeps one of the databases of workspaces, and advances `cursors`. `further`: work of other layers. Never throws. */
export const sweepDatabase = (ctx: Context, db: Database, cursors: SweepCursors, further: Record<string, Work> = {}) =>
  doAll({ ...OF_A_DATABASE, ...further }, ctx, db, cursors);

/** Sweeps the accounts database. Never throws. */
export const sweepAccounts = (ctx: Context) => doAll(OF_ACCOUNTS, ctx, ctx.accounts, {});

/** The numbers of all databases except the accounts database. */
export const furtherHomes = (ctx: Context): number[] => [...ctx.databases.keys()].filter((home) => home !== 0);

/** Sends the changes of workspaces to the database that holds their rows. Never throws. */
export async function tellHome(ctx: Context, home: number): Promise<void> {
  try {
    await carryChanges(ctx.accounts, home, ctx.homes.at(home));
  } catch (error) {
    log("error", "sweep_failed", { operation: `tell database ${home}`, error: errorText(error) });
  }
}

/** Sweeps all databases once, concurrently. `getCursors`: the cursors of a database, by its number. */
export async function sweep(
  ctx: Context,
  getCursors: (index: number) => SweepCursors = () => ({}),
  further: Record<string, Work> = {},
): Promise<void> {
  await Promise.all([
    sweepAccounts(ctx),
    ...furtherHomes(ctx).map((home) => tellHome(ctx, home)),
    ...ctx.databases.map((db, i) => sweepDatabase(ctx, db, getCursors(i), further)),
  ]);
}
