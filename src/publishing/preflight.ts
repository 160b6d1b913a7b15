// An hour and ten minutes before a scheduled delivery: would it go out? What would make it fail is told while there is time
// to mend it. Nothing is published or changed, but for a credential that is due to be renewed.
import type { Context } from "../context.ts";
import type { EventName } from "../domain/event.ts";
import { FAILURES } from "../domain/failure.ts";
import { makeId } from "../domain/ids.ts";
import { isoInstant, isoOrNull } from "../domain/instant.ts";
import type { PreflightJob } from "../domain/job.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import type { Refused } from "../domain/outcome.ts";
import { networkOf } from "../networks/index.ts";
import type { EventRow } from "../store/events.ts";
import { getPlanned, noteRisk, type Planned, plannedBetween } from "../store/planned.ts";
import { partsByChannel } from "./channel-jobs.ts";
import { borrowCredential, failureOf } from "./credential.ts";
import { publicationOf } from "./publication.ts";

/** Minutes before a delivery is due. */
const LEADS = [60, 10] as const;
/** Deliveries that one sweep looks ahead for, per lead; the rest is there a minute later. */
const DELIVERIES_MAX = 10_000;

/** Until when each lead has been looked ahead for, by its minutes; epoch milliseconds. */
export type LookedAhead = Partial<Record<number, number>>;

/** Puts what comes due in an hour, or in ten minutes, onto the queue. Returns how far it has looked. */
export async function sendPreflights(ctx: Context, looked: LookedAhead): Promise<LookedAhead> {
  const now = ctx.now();
  const reached: LookedAhead = {};
  for (const minutes of LEADS) {
    const until = now + minutes * MINUTE_MS;
    const from = Math.max(looked[minutes] ?? 0, until - 2 * MINUTE_MS);
    reached[minutes] = until;
    for (const db of ctx.databases) {
      const planned = await plannedBetween(db, from, until, DELIVERIES_MAX);
      const last = planned.at(-1);
      if (last !== undefined && planned.length === DELIVERIES_MAX) reached[minutes] = last.dueAt;
      const parts = partsByChannel(planned).flat();
      await ctx.queue.send(parts.map((part) => ({ kind: "preflight", ...part, minutes })));
    }
  }
  return reached;
}

/** Looks at deliveries of a channel that still wait, and tells of each that would fail. */
export async function preflight(ctx: Context, { workspace, channel, posts, minutes }: PreflightJob): Promise<void> {
  const db = ctx.databaseOf(workspace);
  for (const postId of posts) {
    const key = { workspaceId: workspace, postId, channelId: channel };
    const planned = await getPlanned(db, key);
    const risk = planned && (await riskOf(ctx, planned));
    if (planned === null || risk === null) continue;
    const toHear = await noteRisk(db, key, eventOf(ctx, planned, risk), onceFor(planned, minutes));
    if (toHear.length > 0) await ctx.webhooks.wake(workspace, toHear);
  }
}

/** Below zero, for no hand has had the delivery yet: the same for the same time and lead, another for any other. */
const onceFor = ({ delivery }: Planned, minutes: number) =>
  -(Math.floor((delivery.nextAt ?? 0) / 1000) * 100 + minutes);

/** Why a delivery would fail as things are; null: nothing is known that would make it fail. */
async function riskOf(ctx: Context, planned: Planned): Promise<Pick<Refused, "error" | "detail"> | null> {
  const { delivery, channel } = planned;
  const network = networkOf(delivery.platform);
  if (network === undefined) return { error: "network_unavailable", detail: "this deployment has no such network" };
  const dueAt = delivery.nextAt ?? ctx.now();
  const unusable = failureOf(channel, dueAt);
  if (unusable !== null) return { error: unusable, detail: "the channel will not be connected when its time comes" };
  const held = await borrowCredential(ctx, network, channel);
  if (held.is === "refused") return held;
  if (channel.notBefore !== null && channel.notBefore > dueAt) {
    return { error: "network_quota", detail: "the network asked to leave the channel alone until after its time" };
  }
  const publication = await publicationOf(ctx, network, planned);
  return "is" in publication && publication.is === "refused" ? publication : null;
}

function eventOf(
  ctx: Context,
  { delivery, post }: Planned,
  { error, detail }: Pick<Refused, "error" | "detail">,
): EventRow {
  const createdAt = ctx.now();
  const id = makeId("evt", createdAt, ctx.entropy);
  const event = "delivery.at_risk" satisfies EventName;
  const body = JSON.stringify({
    event,
    id,
    created_at: isoInstant(createdAt),
    workspace: delivery.workspaceId,
    post: delivery.postId,
    channel: delivery.channelId,
    platform: delivery.platform,
    delivery: delivery.id,
    attempt: delivery.attempts,
    url: null,
    error,
    action: FAILURES[error].action,
    next_attempt_at: isoOrNull(delivery.nextAt),
    detail,
    metadata: post.metadata,
  });
  return { id, event, body, createdAt };
}
