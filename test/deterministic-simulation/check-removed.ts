// Posts and parts of threads that their owners deleted on a network are reported as removed once a recheck was due.
import { nextRecheckAt } from "../../src/domain/delivery/recheck.ts";
import { readRechecks } from "../../src/networks/index.ts";
import { getThreadPosition, readText } from "./attribution.ts";
import { isGivenUp } from "./check-unknown.ts";
import { findTarget, isComment } from "./checks-always.ts";
import type { Row } from "./database.ts";
import { listThreadParts, readTerms } from "./delivery-rows.ts";
import { SHOWN_OPTIONS } from "./networks.ts";
import type { Say } from "./promises.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** How long after its next recheck a removal is noticed: a second recheck confirms it, and faults may delay both. */
const NOTICED_WITHIN_MS = 48 * 3_600_000;
/** During an outage, Meta's networks answer as they do for a deleted post, so another post of the channel must be readable. */
const META = ["facebook", "instagram", "threads"];

export function judgeRemoved(world: World, workload: Workload, say: Say): void {
  const { networks, database } = world;
  for (const [entry, removedAt] of networks.removedByOwner) {
    const target = isComment(entry) ? null : findTarget(entry, workload);
    if (target === null) continue;
    const { wanted, channel } = target;
    const [row] = database.rows(
      "SELECT * FROM deliveries WHERE post_id = ? AND channel_id = ?",
      wanted.postId ?? "",
      channel.id,
    );
    if (row === undefined || row.state !== "live") continue;
    const recheckAt = findNextRecheck(row, channel.platform, removedAt);
    if (recheckAt === null || recheckAt + NOTICED_WITHIN_MS > world.now()) continue;
    // TikTok shows only public posts to apps.
    if (channel.platform === "tiktok" && SHOWN_OPTIONS.tiktok?.shown(entry) === "SELF_ONLY") continue;
    // A disconnected channel cannot be rechecked.
    if (isGivenUp(world, channel)) continue;
    if (META.includes(channel.platform) && isAlone(world, row)) continue;
    const position = getThreadPosition(entry);
    // A caller may have sent the post again since.
    const isThere = networks.ledger
      .list({ platform: channel.platform, account: channel.handle })
      .some((other) => !other.deleted && readText(other.text)?.n === wanted.n && getThreadPosition(other) === position);
    if (!isThere && !isReportedRemoved(world, row, position))
      say(
        "removal_is_noticed",
        `part ${position} of p${wanted.n} was taken off ${channel.platform}, was due for a recheck two days ago, and is said to be live`,
      );
  }
}

/** The next recheck of a live delivery after an instant; null: no recheck is left. */
function findNextRecheck(row: Row, platform: string, after: number): number | null {
  const rechecks = readRechecks(platform, readTerms(row)?.rechecks ?? null);
  return nextRecheckAt({ publishedAt: Number(row.published_at), urlState: "none", rechecks }, after);
}

/** A thread stays live while one of its parts exists. Each deleted part is marked. */
const isReportedRemoved = (world: World, row: Row, position: number): boolean =>
  listThreadParts(world, row)[position]?.is_removed === 1;

/** Whether no other post of the channel is live. */
function isAlone({ database }: World, { workspace_id, channel_id, post_id }: Row): boolean {
  const others = database.rows(
    "SELECT 1 FROM deliveries WHERE workspace_id = ? AND channel_id = ? AND post_id <> ? AND state = 'live'",
    String(workspace_id),
    String(channel_id),
    String(post_id),
  );
  return others.length === 0;
}
