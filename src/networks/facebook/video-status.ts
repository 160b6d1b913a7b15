// The network's status of a video, in two spellings: `bytes_transfered` and `error` are the guide's
// (documentation/video-api/guides/reels-publishing, read 2026-11-20), `bytes_transferred` and `errors` the specifications'
// (facebook-nodejs-business-sdk, VideoStatusUploadingPhase) and those of Meta's own sample (fbsamples/reels_publishing_apis,
// fb_reels_publishing_api_sample/index.js), both read 2026-11-22.
import * as z from "zod";
import type { ConnectorContext } from "../network.ts";
import type { Answer } from "../shared/http-call.ts";
import { get, readSuccess, WEBSITE } from "./api.ts";
import type { Credential } from "./rule.ts";

const Failing = z.object({ message: z.string().catch(""), code: z.number().optional().catch(undefined) });
const Count = z.coerce.number().int().min(0).optional().catch(undefined);
const Phase = z
  .object({
    status: z.string().default(""),
    error: Failing.optional().catch(undefined),
    errors: z.array(Failing).optional().catch(undefined),
    publish_status: z.string().optional(),
    bytes_transferred: Count,
    bytes_transfered: Count,
  })
  .optional()
  .catch(undefined);
const Node = z.object({
  permalink_url: z.string().min(1).optional(),
  post_id: z.string().min(1).optional(),
  published: z.boolean().optional(),
  status: z.object({
    video_status: z.string().default(""),
    uploading_phase: Phase,
    processing_phase: Phase,
    publishing_phase: Phase,
  }),
});

export interface VideoStatus {
  /** `waiting`: no request to publish it has arrived, as far as the status shows. */
  publishing: "published" | "publishing" | "waiting" | "draft" | "failed" | "lost";
  uploaded: boolean;
  /** Bytes that arrived. */
  sent: number;
  /** The network's message about a failure. */
  message: string;
  permalink: string | null;
  postId: string | null;
}

/** The status of a video, or the network's answer if it contains none. */
export async function videoStatus(
  { credential, io }: ConnectorContext<Credential>,
  videoId: string,
): Promise<VideoStatus | Answer> {
  const query = { fields: "status,permalink_url,post_id,published" };
  const answer = await get(io, credential.page_token, `/${videoId}`, query);
  const node = readSuccess(answer, Node);
  return node === undefined ? answer : toVideoStatus(node);
}

/** The guide's table writes `completed`, its examples `complete`. */
const isComplete = (status: string | undefined) => status === "complete" || status === "completed";

/** The network's reason for the failure of a phase; undefined if it names no error. */
function describeFailure(phase: z.output<typeof Phase>): string | undefined {
  const errors = [...(phase?.error === undefined ? [] : [phase.error]), ...(phase?.errors ?? [])];
  if (errors.length === 0) return undefined;
  return errors.map(({ message, code }) => message || `error ${code ?? "without a reason"}`).join(" ");
}

function toVideoStatus({ permalink_url, post_id, published, status }: z.output<typeof Node>): VideoStatus {
  const { video_status, uploading_phase, processing_phase, publishing_phase } = status;
  const error = describeFailure(processing_phase) ?? describeFailure(publishing_phase);
  const statusText = error ?? describeFailure(uploading_phase) ?? `the video is in the state ${video_status}`;
  return {
    publishing: getPublishingState(),
    uploaded: isComplete(uploading_phase?.status) || video_status === "upload_complete" || video_status === "ready",
    sent: uploading_phase?.bytes_transferred ?? uploading_phase?.bytes_transfered ?? 0,
    message: statusText.slice(0, 300),
    permalink: permalink_url === undefined ? null : (URL.parse(permalink_url, WEBSITE)?.href ?? null),
    postId: post_id ?? null,
  };

  function getPublishingState(): VideoStatus["publishing"] {
    const { status: phase, publish_status } = publishing_phase ?? {};
    if (publish_status === "draft") return "draft";
    if (publish_status === "published") return "published";
    // A plain video may come without this phase; whether it always has it is not documented.
    if (publishing_phase === undefined && published === true && video_status === "ready") return "published";
    // Either status means that the video must be uploaded again.
    const uploadFailed = video_status === "upload_failed" || uploading_phase?.status === "error";
    if (video_status === "expired" || uploadFailed) return "lost";
    // A processing error may come together with `not_started`, as in the guide's example.
    const failed = video_status === "error" || publish_status === "error" || processing_phase?.status === "error";
    if (failed || phase === "error" || error !== undefined) return "failed";
    return phase === "in_progress" || isComplete(phase) ? "publishing" : "waiting";
  }
}
