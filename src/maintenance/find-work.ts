// Finds work of a database that nobody was woken for, or that nothing else times: each kind in pages of a bounded size, with
// a place from which the next sweep goes on, so that the sweep costs the same whatever has piled up, and reaches all of it.
import type { Context } from "../context.ts";
import { PER_CHANNEL_MAX, verifyJobs } from "../domain/channel-jobs.ts";
import { channelsToRenew, type RenewalPlace } from "../store/channels/credentials.ts";
import type { Database } from "../store/db/db.ts";
import type { Lane } from "../store/deliveries/due.ts";
import { type FollowUpPlace, followUpsAfter, latestFollowUps } from "../store/deliveries/follow-ups.ts";
import { lateLanesAfter, latestLateLanes } from "../store/deliveries/overdue.ts";
import { lateWebhooksAfter, type WebhookPlace } from "../store/webhooks/endpoints.ts";

/** Younger work is on its ordinary way. */
const GRACE_MS = 30_000;
const POSTS_MAX = 2_000;
const LANES_MAX = 1_500;
const RENEWALS_MAX = 200;
const FOLLOW_UPS_MAX = 2_000;
const LATEST_FOLLOW_UPS_MAX = 1_000;
const WEBHOOKS_MAX = 5_000;
/** Dispatchers that are woken side by side. */
const WAKES_AT_ONCE = 20;

type Sender = Pick<Context, "queue">;

/** Where the walks through a database stand. */
export interface WalkPlaces {
  lane?: Lane | null;
  renewal?: RenewalPlace | null;
  followUp?: FollowUpPlace | null;
  webhook?: WebhookPlace | null;
}

/** Wakes the publishers of late deliveries: of those that came due last, and of the next lanes. Returns how many. */
export async function wakeLatePublishers(ctx: Sender, db: Database, places: WalkPlaces): Promise<number> {
  const latest = await latestLateLanes(db, GRACE_MS, POSTS_MAX);
  const { lanes, next } = await lateLanesAfter(db, places.lane ?? null, GRACE_MS, LANES_MAX);
  const found = new Map([...latest, ...lanes].map((one) => [`${one.workspaceId}:${one.lane}`, one]));
  await ctx.queue.send(
    [...found.values()].map(({ workspaceId: workspace, lane }) => ({ kind: "publish", workspace, lane })),
  );
  places.lane = next;
  return found.size;
}

/** Has credentials renewed whose time has come. */
export async function renewCredentials(ctx: Sender, db: Database, places: WalkPlaces): Promise<void> {
  const { due, next } = await channelsToRenew(db, places.renewal ?? null, RENEWALS_MAX);
  await ctx.queue.send(
    due.map(({ workspaceId: workspace, lane, channelId: channel }) => {
      return { kind: "renew_credential", workspace, lane, channel };
    }),
  );
  places.renewal = next;
}

/** Has deliveries verified that are due for it: those of late, and the next ones; of each channel a few. */
export async function verifyDeliveries(ctx: Sender, db: Database, places: WalkPlaces): Promise<void> {
  const latest = await latestFollowUps(db, LATEST_FOLLOW_UPS_MAX, PER_CHANNEL_MAX);
  const { due, next } = await followUpsAfter(db, places.followUp ?? null, FOLLOW_UPS_MAX, PER_CHANNEL_MAX);
  await ctx.queue.send(verifyJobs([...due, ...latest]));
  places.followUp = next;
}

/** Wakes the dispatchers of endpoints whose messages are late. */
export async function wakeLateDispatchers(
  ctx: Pick<Context, "webhooks">,
  db: Database,
  places: WalkPlaces,
): Promise<void> {
  const { late, next } = await lateWebhooksAfter(db, places.webhook ?? null, GRACE_MS, WEBHOOKS_MAX);
  for (let i = 0; i < late.length; i += WAKES_AT_ONCE) {
    const together = late.slice(i, i + WAKES_AT_ONCE);
    await Promise.all(together.map(({ workspaceId, webhookId }) => ctx.webhooks.wake(workspaceId, [webhookId])));
  }
  places.webhook = next;
}
