// An hour and ten minutes before a scheduled delivery: would it go out? What would make it fail is reported while there is time
// to mend it. Nothing is published or changed, but for a credential that is due to be renewed.
import type { Context } from "../context.ts";
import { whyNotPublishable } from "../delivery/credentials.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { publicationOf, sendsFiles } from "../delivery/publication.ts";
import type { Rejected } from "../domain/delivery/outcome.ts";
import { deliveryEvent, type EventRecord } from "../domain/event-body.ts";
import type { PreflightTask } from "../domain/job.ts";
import { networkOf } from "../networks/index.ts";
import type { Lane } from "../store/deliveries/due.ts";
import { getUpcoming, noteRisk, type Upcoming } from "../store/deliveries/upcoming.ts";

/** Judges deliveries of a channel that still wait, and writes an event of each that would fail. */
export async function preflight(tools: DeliveryTools, { workspaceId }: Lane, task: PreflightTask): Promise<void> {
  const { ctx } = tools;
  const db = ctx.databaseOf(workspaceId);
  for (const postId of task.posts) {
    const key = { workspaceId, postId, channelId: task.channel };
    const upcoming = await getUpcoming(db, key);
    const risk = upcoming && (await riskOf(tools, upcoming));
    if (upcoming === null || risk === null) continue;
    const endpoints = await noteRisk(db, key, eventOf(ctx, upcoming, risk), onceFor(upcoming, task.minutes));
    if (endpoints.length > 0) await ctx.webhooks.wake(workspaceId, endpoints);
  }
}

/** Below zero, for no session has had the delivery yet: the same for the same time and lead, another for any other. */
const onceFor = ({ delivery }: Upcoming, minutes: number) =>
  -(Math.floor((delivery.nextAt ?? 0) / 1000) * 100 + minutes);

type Risk = Pick<Rejected, "error" | "detail">;

/** Why a delivery would fail as things are; null: nothing is known that would make it fail. */
async function riskOf(tools: DeliveryTools, upcoming: Upcoming): Promise<Risk | null> {
  const { ctx, limiter, health, credentials } = tools;
  const { delivery, channel } = upcoming;
  const network = networkOf(delivery.platform);
  if (network === undefined) return { error: "service_misconfigured", detail: "this deployment has no such network" };
  const dueAt = delivery.nextAt ?? ctx.now();
  const unusable = whyNotPublishable(channel, dueAt);
  if (unusable !== null) return { error: unusable, detail: "the channel will not be connected when its time comes" };
  const { platform } = delivery;
  return limiter.use({ network: platform, hasFiles: sendsFiles(network, upcoming), isFollowUp: true }, async () => {
    const held = await credentials.hold(network, channel, health.watch(platform, ctx.networkIO(platform)));
    if (held.is === "rejected") return held;
    if (channel.notBefore !== null && channel.notBefore > dueAt) {
      return { error: "network_quota", detail: "the network asked to leave the channel alone until after its time" };
    }
    const publication = await publicationOf(ctx, network, upcoming, true);
    return "is" in publication && publication.is === "rejected" ? publication : null;
  });
}

function eventOf(ctx: Context, { delivery, post }: Upcoming, { error, detail }: Risk): EventRecord {
  const { attempts: attempt, nextAt: nextAttemptAt } = delivery;
  const { metadata } = post;
  const event = "delivery.at_risk";
  const news = { event, attempt, url: null, error, nextAttemptAt, detail, metadata } as const;
  return deliveryEvent({ now: ctx.now(), entropy: ctx.entropy }, delivery, news);
}
