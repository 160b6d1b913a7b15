// All that is done every minute, for each database by itself: one that fails or hangs costs the others nothing, nor does one
// kind of work cost another.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { workspacesToClear } from "../store/accounts/delete-workspaces.ts";
import { carryChanges } from "../store/accounts/homes.ts";
import { forgetExpiredInvitations } from "../store/accounts/invitations.ts";
import { forgetAudit } from "../store/audit.ts";
import type { Database } from "../store/db/db.ts";
import { forgetNotices } from "../store/notices.ts";
import { forgetIdleClients } from "../store/oauth/clients.ts";
import { forgetExpiredGrants } from "../store/oauth/grants.ts";
import { forgetExpiredKeys } from "../store/posts/cancel.ts";
import { forgetOldAttempts } from "../store/webhooks/attempts.ts";
import { type ArchivePlaces, archivePosts } from "./archive-posts.ts";
import { endConnections } from "./end-connections.ts";
import { deleteDiscardedObjects, expireMedia, settleUploads } from "./expire-media.ts";
import {
  renewCredentials,
  verifyDeliveries,
  type WalkPlaces,
  wakeLateDispatchers,
  wakeLatePublishers,
} from "./find-work.ts";
import { type EventPlaces, forgetEvents } from "./forget-events.ts";
import { type LookedAhead, lookAhead } from "./preflight-lookahead.ts";
import { type RotationPlace, rotateSeals } from "./rotate-seals.ts";
import { findNotices } from "./send-notices.ts";
import { warnOfExpiry } from "./warn-expiry.ts";
import { type VersionPlaces, warnOfVersionEnds } from "./warn-version-ends.ts";

const CLEARANCES_MAX = 100;
const FORGOTTEN_MAX = 5_000;
const GRANTS_MAX = 1_000;

/** How far a database has been worked through, from one sweep to the next. */
export interface Places extends WalkPlaces, EventPlaces, ArchivePlaces, VersionPlaces {
  lookedAhead?: LookedAhead;
  seals?: RotationPlace | null;
}

type Work = (ctx: Context, db: Database, places: Places) => Promise<unknown>;

/** In the order of their urgency. */
const OF_A_DATABASE: Record<string, Work> = {
  publish: async (ctx, db, places) => {
    const count = await wakeLatePublishers(ctx, db, places);
    if (count > 0) log("warn", "overdue_work_found", { count });
  },
  renew: renewCredentials,
  preflight: lookAhead,
  verify: verifyDeliveries,
  webhooks: wakeLateDispatchers,
  warn_expiry: warnOfExpiry,
  warn_versions: warnOfVersionEnds,
  // What has just been warned of is among them.
  notices: findNotices,
  uploads: settleUploads,
  expire_media: expireMedia,
  delete_objects: deleteDiscardedObjects,
  rotate_seals: rotateSeals,
  forget_attempts: (_, db) => forgetOldAttempts(db, FORGOTTEN_MAX),
  forget_keys: (_, db) => forgetExpiredKeys(db, FORGOTTEN_MAX),
  forget_notices: (_, db) => forgetNotices(db, FORGOTTEN_MAX),
  forget_audit: (_, db) => forgetAudit(db, FORGOTTEN_MAX),
  forget_events: forgetEvents,
  archive_posts: archivePosts,
};

const OF_ACCOUNTS: Record<string, Work> = {
  forget_grants: (_, db) => forgetExpiredGrants(db, GRANTS_MAX),
  forget_clients: (_, db) => forgetIdleClients(db, GRANTS_MAX),
  forget_invitations: (_, db) => forgetExpiredInvitations(db, GRANTS_MAX),
  // Of those that were forgotten, too.
  end_connections: (ctx) => endConnections(ctx),
  clear_workspaces: async (ctx, db) => {
    const erased = await workspacesToClear(db, CLEARANCES_MAX);
    await ctx.queue.send(erased.map((workspace) => ({ kind: "clear_workspace", workspace })));
  },
};

async function doAll(works: Record<string, Work>, ctx: Context, db: Database, places: Places): Promise<void> {
  for (const [operation, work] of Object.entries(works)) {
    try {
      await work(ctx, db, places);
    } catch (error) {
      log("error", "sweep_failed", { operation, error: errorText(error) });
    }
  }
}

/** Sweeps one of the databases of workspaces, and moves `places` on. Throws nothing. */
export const sweepDatabase = (ctx: Context, db: Database, places: Places) => doAll(OF_A_DATABASE, ctx, db, places);

/** Sweeps the database of accounts. Throws nothing. */
export const sweepAccounts = (ctx: Context) => doAll(OF_ACCOUNTS, ctx, ctx.accounts, {});

/** The databases beside that of the accounts, by their numbers. */
export const furtherHomes = (ctx: Context): number[] => [...ctx.databases.keys()].filter((home) => home !== 0);

/** Tells a database beside that of the accounts what has changed of its workspaces. Throws nothing. */
export async function tellHome(ctx: Context, home: number): Promise<void> {
  try {
    await carryChanges(ctx.accounts, home, ctx.homes.at(home));
  } catch (error) {
    log("error", "sweep_failed", { operation: `tell database ${home}`, error: errorText(error) });
  }
}

/** Sweeps everything once, side by side; `placesOf` a database by its number. */
export async function sweep(ctx: Context, placesOf: (index: number) => Places = () => ({})): Promise<void> {
  await Promise.all([
    sweepAccounts(ctx),
    ...furtherHomes(ctx).map((home) => tellHome(ctx, home)),
    ...ctx.databases.map((db, i) => sweepDatabase(ctx, db, placesOf(i))),
  ]);
}
