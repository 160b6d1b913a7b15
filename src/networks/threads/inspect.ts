// Rechecks a published post, and reads its metrics.
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

export const recheck = (
  post: Published<ContainerKey>,
  context: ConnectorContext<MetaCredential>,
  accepted?: Accepted,
) => recheckPost(containers, post, context, accepted);

export const readMetrics = (post: Published<ContainerKey>, context: ConnectorContext<MetaCredential>) =>
  readPostMetrics(containers, post, METRIC_NAMES, context);
