// Rechecks a published video, and reads its metrics. videos.list, 1 unit a call.
import type { RecheckOutcome } from "../../domain/delivery/outcome.ts";
import { type Accepted, textAltered } from "../../domain/delivery/readback.ts";
import type { ConnectorContext, MetricsOutcome } from "../network.ts";
import { unanswered } from "../shared/http-call.ts";
import type { Credential, PublishKey } from "./rule.ts";
import { buildVideoUrl, list, refusedRead, Statistics, Statuses } from "./video.ts";

/** The owner's token also returns private videos, so a missing video is gone. */
export async function recheck(
  { id, publishKey }: { id: string; publishKey: PublishKey | null },
  context: ConnectorContext<Credential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  const { found, answer } = await list(context, id, accepted === undefined ? "status" : "snippet,status", Statuses);
  if (found === undefined) return unanswered(refusedRead(answer, context.io.now()));
  const status = found.items[0]?.status.uploadStatus ?? "deleted";
  if (["deleted", "failed", "rejected"].includes(status)) return { is: "gone" };
  const url = buildVideoUrl(id, publishKey !== null && publishKey.step !== "start" && publishKey.short);
  const snippet = found.items[0]?.snippet;
  if (accepted === undefined || snippet === undefined) return { is: "there", url };
  const { title, description } = snippet;
  const titled = textAltered(title, String(accepted.options.title ?? title), "title");
  return { is: "there", url, altered: [...textAltered(description, accepted.text), ...titled] };
}

const METRICS = [
  ["views", "viewCount"],
  ["likes", "likeCount"],
  ["comments", "commentCount"],
] as const;

/** Metrics that the owner hides are absent. */
export async function readMetrics(
  { id }: { id: string },
  context: ConnectorContext<Credential>,
): Promise<MetricsOutcome> {
  const { found, answer } = await list(context, id, "statistics", Statistics);
  if (found === undefined) return unanswered(refusedRead(answer, context.io.now()));
  const statistics = found.items[0]?.statistics;
  if (statistics === undefined) return { is: "unknown", detail: "the video does not exist" };
  const metrics = METRICS.flatMap(([metric, name]) => {
    const count = statistics[name];
    return count !== undefined && /^\d{1,15}$/.test(count) ? [[metric, Number(count)] as const] : [];
  });
  return { is: "read", metrics: Object.fromEntries(metrics) };
}
