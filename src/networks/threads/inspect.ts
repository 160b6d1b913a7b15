// Rechecks a published post, and reads its metrics.
import type { RecheckOutcome } from "../../domain/delivery/outcome.ts";
import type { Accepted } from "../../domain/delivery/readback.ts";
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

export async function recheck(
  post: Published<ContainerKey>,
  context: ConnectorContext<MetaCredential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  const outcome = await recheckPost(containers, post, context, accepted);
  const endsAt = post.publishKey?.step === "ready" ? post.publishKey.ends_at : undefined;
  const isOver = endsAt !== undefined && context.io.now() >= endsAt;
  // It ended as it should, so nobody has removed it.
  return outcome.is === "gone" && isOver ? { is: "unknown", detail: "a ghost post ends after 24 hours" } : outcome;
}

export const readMetrics = (post: Published<ContainerKey>, context: ConnectorContext<MetaCredential>) =>
  readPostMetrics(containers, post, METRIC_NAMES, context);
