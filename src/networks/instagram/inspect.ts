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

// developers.facebook.com, reference of media insights as third parties quote it, read 2026-11-20.
const METRIC_NAMES: Record<string, Metric> = {
  views: "views",
  reach: "reach",
  likes: "likes",
  comments: "comments",
  saved: "saves",
  shares: "shares",
};
/** Stories have no likes, comments and saves. */
const STORY_METRIC_NAMES: Record<string, Metric> = {
  views: "views",
  reach: "reach",
  replies: "comments",
  shares: "shares",
};

const isStory = ({ publishKey }: Published<ContainerKey>) =>
  publishKey?.step === "ready" && publishKey.post_type === "story";

/** A story disappears after a day by itself, so its absence proves nothing. */
export async function recheck(
  post: Published<ContainerKey>,
  context: ConnectorContext<MetaCredential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  const outcome = await recheckPost(containers, post, context, accepted);
  const { publishKey } = post;
  const ended = publishKey?.step === "ready" && isStory(post) && context.io.now() >= publishKey.at + DAY_MS;
  return outcome.is === "gone" && ended ? { is: "unknown", detail: "a story ends after a day" } : outcome;
}

export const readMetrics = (post: Published<ContainerKey>, context: ConnectorContext<MetaCredential>) =>
  readPostMetrics(containers, post, isStory(post) ? STORY_METRIC_NAMES : METRIC_NAMES, context);
