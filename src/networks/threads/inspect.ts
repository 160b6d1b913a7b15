// Rechecks a published post, and reads its metrics.
import type { RecheckOutcome } from "../../domain/delivery/outcome.ts";
import type { Accepted } from "../../domain/delivery/readback.ts";
import { DAY_MS } from "../../domain/limits.ts";
import type { Metric } from "../../domain/metrics.ts";
import type { ConnectorContext, Published } from "../network.ts";
import type { ContainerKey } from "../shared/meta/container.ts";
import { readPostMetrics, recheckPost } from "../shared/meta/container-inspect.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { containers } from "./api.ts";

/** The metrics that Threads counts: threads/insights as requested by fbsamples/threads_api, read 2026-11-20. */
const METRIC_NAMES: Record<string, Metric> = {
  views: "views",
  likes: "likes",
  replies: "comments",
  reposts: "reposts",
  quotes: "quotes",
  shares: "shares",
};

/** How long a ghost post is on the profile: create-posts/ghost-posts, from memory. */
const GHOST_LIFE_MS = DAY_MS;

export async function recheck(
  post: Published<ContainerKey>,
  context: ConnectorContext<MetaCredential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  const outcome = await recheckPost(containers, post, context, accepted);
  const since = post.publishKey?.step === "ready" ? post.publishKey.at : context.io.now();
  const isOver = accepted?.options.ghost === true && context.io.now() - since >= GHOST_LIFE_MS;
  // It ended as it should, so nobody has removed it.
  return outcome.is === "gone" && isOver ? { is: "unknown", detail: "a ghost post ends after 24 hours" } : outcome;
}

export const readMetrics = (post: Published<ContainerKey>, context: ConnectorContext<MetaCredential>) =>
  readPostMetrics(containers, post, METRIC_NAMES, context);
