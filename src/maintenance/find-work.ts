// Finds overdue work of a database: work whose wake-up was lost, and work that has no other timer. Each kind is read in
// pages of bounded size from a cursor that the next sweep continues at, so each sweep costs the same even with a
// large backlog, and the sweeps together reach all work.
import type { Context } from "../context.ts";
import { afterPublishJobs, PER_CHANNEL_MAX } from "../domain/channel-jobs.ts";
import { sendTimeoutsMs } from "../networks/index.ts";
import { channelsToRenew, type RenewalCursor } from "../store/channels/credentials.ts";
import type { Database } from "../store/db/db.ts";
import type { Lane } from "../store/deliveries/due.ts";
import { type FollowUpCursor, followUpsAfter, latestFollowUps } from "../store/deliveries/follow-ups.ts";
import { lateLanesAfter, latestLateLanes } from "../store/deliveries/overdue.ts";
import { dueFeeds } from "../store/feeds.ts";
import { lateWebhooksAfter, type WebhookCursor } from "../store/webhooks/endpoints.ts";

/** Work that has been due for less than this time is still in its normal processing. */
const GRACE_MS = 30_000;
const LATENESS = { graceMs: GRACE_MS, sendTimeoutsMs };
const POSTS_MAX = 2_000;
const LANES_MAX = 1_500;
const RENEWALS_MAX = 200;
const FOLLOW_UPS_MAX = 2_000;
const LATEST_FOLLOW_UPS_MAX = 1_000;
const FEEDS_MAX = 200;
const WEBHOOKS_MAX = 5_000;
/** Dispatchers that are woken concurrently. */
const WAKES_AT_ONCE = 20;

type Sender = Pick<Context, "queue">;

/** The cursors of the walks through a database. */
export interface WalkCursors {
  lane?: Lane | null;
  renewal?: RenewalCursor | null;
  followUp?: FollowUpCursor | null;
  webhook?: WebhookCursor | null;
}

/** Wakes the publishers of late deliveries: the most recently due ones, and the next lanes. Returns how many. */
export async function wakeLatePublishers(ctx: Sender, db: Database, cursors: WalkCursors): Promise<number> {
  const latest = await latestLateLanes(db, LATENESS, POSTS_MAX);
  const { lanes, next } = await lateLanesAfter(db, cursors.lane ?? null, LATENESS, LANES_MAX);
  const lateLanes = new Map(
    [...latest, ...lanes].map((lateLane) => [`${lateLane.workspaceId}:${lateLane.lane}`, lateLane]),
  );
  await ctx.queue.send(
    [...lateLanes.values()].map(({ workspaceId: workspace, lane }) => ({ kind: "publish", workspace, lane })),
  );
  cursors.lane = next;
  return lateLanes.size;
}

/** Enqueues the renewal of credentials whose renewal is due. */
export async function renewCredentials(ctx: Sender, db: Database, cursors: WalkCursors): Promise<void> {
  const { due, next } = await channelsToRenew(db, cursors.renewal ?? null, RENEWALS_MAX);
  await ctx.queue.send(
    due.map(({ workspaceId: workspace, lane, channelId: channel }) => {
      return { kind: "renew_credential", workspace, lane, channel };
    }),
  );
  cursors.renewal = next;
}

/** Enqueues the due follow-ups of deliveries: the most recent ones and the next in the walk, a few per channel. */
export async function enqueueFollowUps(ctx: Sender, db: Database, cursors: WalkCursors): Promise<void> {
  const latest = await latestFollowUps(db, LATEST_FOLLOW_UPS_MAX, PER_CHANNEL_MAX);
  const { due, next } = await followUpsAfter(db, cursors.followUp ?? null, FOLLOW_UPS_MAX, PER_CHANNEL_MAX);
  await ctx.queue.send(afterPublishJobs([...due, ...latest]));
  cursors.followUp = next;
}

/** Enqueues reads of the feeds that are due. */
export async function enqueueFeeds(ctx: Sender, db: Database): Promise<void> {
  const due = await dueFeeds(db, FEEDS_MAX);
  await ctx.queue.send(due.map(({ workspaceId: workspace, id: feed }) => ({ kind: "read_feed", workspace, feed })));
}

/** Wakes the dispatchers of endpoints whose messages are late. */
export async function wakeLateDispatchers(
  ctx: Pick<Context, "webhooks">,
  db: Database,
  cursors: WalkCursors,
): Promise<void> {
  const { late, next } = await lateWebhooksAfter(db, cursors.webhook ?? null, GRACE_MS, WEBHOOKS_MAX);
  for (let i = 0; i < late.length; i += WAKES_AT_ONCE) {
    const together = late.slice(i, i + WAKES_AT_ONCE);
    await Promise.all(together.map(({ workspaceId, webhookId }) => ctx.webhooks.wake(workspaceId, [webhookId])));
  }
  cursors.webhook = next;
}
