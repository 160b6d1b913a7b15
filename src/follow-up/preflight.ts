// Checks, one hour and again ten minutes before a scheduled delivery, whether it would go out, and reports problems while
// there is time to fix them. Publishes and changes nothing, except that a credential that is due is renewed.
import type { Context } from "../context.ts";
import { whyNotPublishable } from "../delivery/credentials.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { buildPublication, sendsFiles } from "../delivery/publication.ts";
import { isSupportedAt } from "../domain/api-version.ts";
import type { Reason, Rejected } from "../domain/delivery/outcome.ts";
import { keepReason } from "../domain/delivery/reason.ts";
import { deliveryEvent, type EventRecord } from "../domain/event-body.ts";
import type { PreflightTask } from "../domain/job.ts";
import type { Json } from "../domain/json.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { whyNextDay } from "../domain/posts/app-day.ts";
import { getThread } from "../domain/posts/thread.ts";
import { findNetwork, readApi } from "../networks/index.ts";
import type { ConnectorContext, Foreseen } from "../networks/network.ts";
import { countAppPostsOfEach } from "../store/deliveries/app-posts.ts";
import type { Lane } from "../store/deliveries/due.ts";
import { getUpcoming, noteRisk, type Upcoming } from "../store/deliveries/upcoming.ts";
import { withFreshToken } from "./fresh-token.ts";

/** Judges scheduled deliveries of a channel, and writes an event for each delivery that would fail. */
export async function preflight(tools: DeliveryTools, { workspaceId }: Lane, task: PreflightTask): Promise<void> {
  const { ctx } = tools;
  const db = ctx.databaseOf(workspaceId);
  for (const postId of task.posts) {
    const key = { workspaceId, postId, channelId: task.channel };
    const upcoming = await getUpcoming(db, key);
    const risk = upcoming && (await findRisk(tools, upcoming));
    if (upcoming === null || risk === null) continue;
    const endpoints = await noteRisk(db, key, buildRiskEvent(ctx, upcoming, risk), onceFor(upcoming, task.minutes));
    if (endpoints.length > 0) await ctx.webhooks.wake(workspaceId, endpoints);
  }
}

/**
 * Below zero, because no session has had the delivery yet. The same time and lead give the same number, any other a different
 * one.
 */
const onceFor = ({ delivery }: Upcoming, minutes: number) =>
  -(Math.floor((delivery.nextAt ?? 0) / 1000) * 100 + minutes);

type Risk = Pick<Rejected, "error"> & Reason;

/** Returns why a delivery would fail if it were sent now, or null if no reason is known. */
async function findRisk(tools: DeliveryTools, upcoming: Upcoming): Promise<Risk | null> {
  const { ctx, limiter, health, credentials } = tools;
  const { delivery, channel } = upcoming;
  const network = findNetwork(delivery.platform);
  if (network === undefined) return { error: "service_misconfigured", detail: "this deployment has no such network" };
  const dueAt = delivery.nextAt ?? ctx.now();
  const unusable = whyNotPublishable(channel, dueAt);
  if (unusable !== null) return { error: unusable, detail: "the channel will not be connected when its time comes" };
  const { platform } = delivery;
  const api = readApi(network, ctx.settings.apiVersions);
  if (!isSupportedAt(api, dueAt)) {
    const detail = `the network may no longer answer version ${api.version} of its API when the time comes`;
    return { error: "service_misconfigured", detail };
  }
  const full = await whyNextDay(network.rule, ctx.settings.appPostsPerDay, { dueAt, before: 0 }, (span, limit) =>
    countAppPostsOfEach(ctx.databases, ctx.pause, { platform, ...span, except: delivery }, limit),
  );
  if (full !== null) return { error: "network_quota", detail: full.words };
  const positions = [0, ...getThread(upcoming.post, channel.id).map((_, i) => i + 1)];
  const hasFiles = positions.some((position) => sendsFiles(network, upcoming, position));
  return limiter.use({ network: platform, hasFiles, isFollowUp: true }, async () => {
    const io = health.watch(platform, ctx.networkIO(platform));
    const current = await credentials.ready(network, channel, io);
    if (current.is === "rejected") return current;
    if (channel.notBefore !== null && channel.notBefore > dueAt) {
      return { error: "network_quota", detail: "the network asked to leave the channel alone until after its time" };
    }
    const first = await buildPublication(ctx, network, upcoming, 0, true);
    if ("is" in first) return first.is === "rejected" ? first : null;
    for (const position of positions.slice(1)) {
      const publication = await buildPublication(ctx, network, upcoming, position, true);
      if ("is" in publication && publication.is === "rejected") return publication;
    }
    if (current.is !== "usable" || network.foresee === undefined) return null;
    const { foresee } = network;
    const ask = async (freshContext: ConnectorContext<Json>) => (await foresee(first, freshContext)) ?? NOTHING;
    const context = { credential: current.credential, io };
    const { answer } = await withFreshToken<Exclude<Foreseen, null> | typeof NOTHING>(
      tools,
      network,
      channel,
      context,
      ask,
    );
    if (answer.is === "rejected") return answer;
    // A rate limit says nothing about a later call.
    const waits = answer.is === "retryable" ? (answer.notBefore ?? 0) - ctx.now() : 0;
    return answer.is === "retryable" && answer.error === "network_quota" && waits >= QUOTA_MIN_MS ? answer : null;
  });
}

/** A full quota blocks an account for at least this long. */
const QUOTA_MIN_MS = 15 * MINUTE_MS;
const NOTHING = { is: "nothing" } as const;

function buildRiskEvent(ctx: Context, { delivery, post }: Upcoming, { error, ...reason }: Risk): EventRecord {
  const { sends, nextAt: nextAttemptAt } = delivery;
  const { metadata, author } = post;
  const event = "delivery.at_risk";
  const { detail, networkMessage } = keepReason(reason);
  const reasonFields = { detail: detail ?? undefined, networkMessage: networkMessage ?? null };
  const news = {
    event,
    attempt: sends.length,
    url: null,
    error,
    nextAttemptAt,
    ...reasonFields,
    metadata,
    author,
  } as const;
  return deliveryEvent({ now: ctx.now(), entropy: ctx.entropy }, delivery, news);
}
