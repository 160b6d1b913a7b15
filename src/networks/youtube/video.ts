// A video that exists: processing, live, or refused. videos.list, 1 unit a call.
import * as z from "zod";
import type { FailureCode } from "../../domain/delivery/failure.ts";
import type {
  Live,
  Processing,
  ReconcileOutcome,
  Rejected,
  Retryable,
  Unauthorized,
} from "../../domain/delivery/outcome.ts";
import { growingWaitMs } from "../../domain/growing-wait.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import type { ConnectorContext } from "../network.ts";
import { type Answer, unknown } from "../shared/http-call.ts";
import { API, call } from "./api.ts";
import { naming, readRejection } from "./errors.ts";
import type { Credential, PublishKey } from "./rule.ts";
import type { Upload, Video } from "./upload.ts";

/** Milliseconds between two polls: often at first, then every five minutes. */
const POLL_MIN_MS = 1_000;
const POLL_MAX_MS = 5 * MINUTE_MS;
/** How long a new video may be missing from reads before it counts as deleted. Not documented; other reads lag by seconds. */
const MISSING_MAX_MS = 10 * MINUTE_MS;

type VideoKey = Extract<PublishKey, { step: "video" }>;

const Status = z.object({
  uploadStatus: z.string(),
  failureReason: z.string().optional(),
  rejectionReason: z.string().optional(),
  privacyStatus: z.string().optional(),
});
/**
 * A list of videos. Google omits `items` from an empty list, so the list must state its kind: otherwise any other answer
 * would mean that a video is gone. Discovery revision 20260427 has the kind as a fixed text.
 */
export const makeListSchema = <Item extends z.ZodType>(item: Item) =>
  z.union([
    z.object({ items: z.array(item) }),
    z
      .object({ kind: z.literal("youtube#videoListResponse"), items: z.undefined().optional() })
      .transform((): { items: z.output<Item>[] } => ({ items: [] })),
  ]);

export const Statuses = makeListSchema(
  z.object({
    status: Status,
    snippet: z.object({ title: z.string(), description: z.string() }).optional(),
    processingDetails: z
      .object({ processingStatus: z.string().optional(), processingFailureReason: z.string().optional() })
      .optional(),
  }),
);
export const Statistics = makeListSchema(z.object({ statistics: z.record(z.string(), z.string()) }));

/** `rejectionReason`s that do not concern the content of the video: videos resource, read 2026-11-20. */
const REJECTIONS = new Map<string, FailureCode>([
  ["duplicate", "duplicate_content"],
  ["length", "media_refused"],
  ["uploaderAccountClosed", "permission_missing"],
  ["uploaderAccountSuspended", "permission_missing"],
]);

/**
 * `actual` is the privacy that the video has: projects and channels may be restricted to another privacy than the requested
 * one.
 */
function live({ id, short, privacy }: Pick<VideoKey, "id" | "short" | "privacy">, actual = privacy): Live {
  const out: Live = { is: "live", id, url: buildVideoUrl(id, short), urlState: "none" };
  if (actual === privacy) return out;
  return { ...out, note: `YouTube made the video ${actual}, not ${privacy}; change its visibility in YouTube Studio.` };
}

export function buildVideoUrl(id: string, short: boolean): string {
  return short ? `https://www.youtube.com/shorts/${id}` : `https://www.youtube.com/watch?v=${id}`;
}

/** The outcome of an upload that made a video: it can be watched once it is processed. */
export function uploaded({ id, status }: Video, upload: Upload, now: number): Live | Processing {
  const { media_id, short, privacy } = upload;
  if (status?.uploadStatus === "processed") return live({ id, short, privacy }, status.privacyStatus);
  return processing({ step: "video", id, media_id, since: now, short, privacy }, now);
}

function processing(publishKey: VideoKey, now: number): Processing {
  const waitMs = growingWaitMs(now - publishKey.since, { minMs: POLL_MIN_MS, maxMs: POLL_MAX_MS });
  return { is: "processing", publishKey, askAt: now + waitMs };
}

/** Asks for one video; undefined if the answer cannot be read. */
export async function list<Schema extends z.ZodType>(
  context: ConnectorContext<Credential>,
  id: string,
  resourcePart: string,
  schema: Schema,
): Promise<{ found: z.output<Schema> | undefined; answer: Answer }> {
  const answer = await call(context, `${API}/videos?${new URLSearchParams({ part: resourcePart, id })}`);
  const listing = answer.is === "answer" && answer.status === 200 ? schema.safeParse(answer.body).data : undefined;
  return { found: listing, answer };
}

/** The processing state of a video. */
export async function processed(
  publishKey: VideoKey,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  const now = context.io.now();
  const { found, answer } = await list(context, publishKey.id, "status,processingDetails", Statuses);
  if (found === undefined) return refusedRead(answer, now);
  const [video] = found.items;
  if (video === undefined) {
    return now - publishKey.since < MISSING_MAX_MS ? processing(publishKey, now) : deleted(publishKey);
  }
  const { status, processingDetails: { processingStatus, processingFailureReason } = {} } = video;
  switch (status.uploadStatus) {
    case "processed":
      return live(publishKey, status.privacyStatus);
    case "deleted":
      return deleted(publishKey);
    case "failed":
      return rejected(publishKey, "media_refused", `could not be processed (${status.failureReason ?? "no reason"})`);
    case "rejected": {
      const reason = status.rejectionReason ?? "no reason";
      return rejected(publishKey, REJECTIONS.get(reason) ?? "content_refused", `was rejected (${reason})`);
    }
  }
  if (processingStatus === "failed" || processingStatus === "terminated") {
    const reason = processingFailureReason ?? processingStatus;
    return rejected(publishKey, "media_refused", `could not be processed (${reason})`);
  }
  return processing(publishKey, now);
}

/** A refused read says nothing about the video. */
export function refusedRead(answer: Answer, now: number): Retryable | Unauthorized | ReturnType<typeof unknown> {
  const rejection = readRejection(answer, now);
  return rejection === null || rejection.is === "rejected" ? unknown(answer, now) : rejection;
}

function rejected({ id, media_id }: VideoKey, error: FailureCode, problem: string): Rejected {
  return naming(media_id, { is: "rejected", error, detail: `video ${id} ${problem}` });
}

const deleted = (publishKey: VideoKey) =>
  rejected(publishKey, "content_refused", "was deleted before it was processed");
