// Warns workspaces 60 and 14 days before a network retires the API version that this deployment calls. A sweep reads
// nothing before the first of these days. After it, each sweep continues a walk over the workspaces. A new walk begins
// a day after the previous one ended, because a channel may have been connected in the meantime.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { type EndingVersion, findEndingVersion } from "../domain/api-version.ts";
import { versionEvent } from "../domain/event-body.ts";
import { DAY_MS } from "../domain/limits.ts";
import { networks, readApi } from "../networks/index.ts";
import { recordVersionWarning, workspacesToWarn } from "../store/channels/version-endings.ts";
import type { Database } from "../store/db/db.ts";

/** How many workspaces a sweep reads. */
const READ_MAX = 200;
/** How many of them it warns. */
const WARNED_MAX = 50;

/** The progress of the walk over the workspaces. */
interface VersionWalk extends EndingVersion {
  /** The last workspace that was read. */
  after: string;
  /** Epoch milliseconds; null: it has not ended yet. */
  endedAt: number | null;
}
export interface VersionCursors {
  /** By the network's platform. */
  versions?: Record<string, VersionWalk>;
}

export async function warnOfVersionEnds(ctx: Context, db: Database, cursors: VersionCursors): Promise<void> {
  for (const network of networks) {
    const { platform } = network.rule;
    const ending = findEndingVersion(readApi(network, ctx.settings.apiVersions), ctx.now());
    if (ending === null) continue;
    const previousWalk = cursors.versions?.[platform];
    const isKnown = previousWalk?.supportedUntil === ending.supportedUntil && previousWalk.days === ending.days;
    if (isKnown && previousWalk.endedAt !== null && ctx.now() < previousWalk.endedAt + DAY_MS) continue;
    const after = isKnown && previousWalk.endedAt === null ? previousWalk.after : "";
    const walked = await walk(ctx, db, { platform, ending, after });
    cursors.versions = { ...cursors.versions, [platform]: { ...ending, ...walked } };
  }
}

async function walk(
  ctx: Context,
  db: Database,
  { platform, ending, after }: { platform: string; ending: EndingVersion; after: string },
): Promise<Pick<VersionWalk, "after" | "endedAt">> {
  const { workspaceIds, last } = await workspacesToWarn(db, platform, ending, { after, limit: READ_MAX });
  const warned = workspaceIds.slice(0, WARNED_MAX);
  for (const workspaceId of warned) {
    try {
      const { now, entropy } = ctx;
      const event = versionEvent({ now: now(), entropy }, workspaceId, { platform, ...ending });
      const endpoints = await recordVersionWarning(db, { workspaceId, platform, ending }, event);
      if (endpoints.length > 0) await ctx.webhooks.wake(workspaceId, endpoints);
    } catch (error) {
      log("error", "sweep_failed", { operation: "warn_versions", workspace: workspaceId, error: errorText(error) });
    }
  }
  const lastWarned = warned.at(-1);
  if (workspaceIds.length > warned.length && lastWarned !== undefined) return { after: lastWarned, endedAt: null };
  return { after: last ?? "", endedAt: last === null ? ctx.now() : null };
}
