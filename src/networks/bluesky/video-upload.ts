// Uploads a large video in chunks, so that a broken connection costs one chunk. Each chunk that has arrived is recorded in
// the publish key (app.bsky.video lexicons of bluesky-social/atproto, read 2026-11-21). This code has not
// been tried against the live service yet.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext } from "../network.ts";
import { opensInChunks } from "../shared/chunked-upload.ts";
import { unavailable } from "../shared/http-call.ts";
import { errorName, json } from "./api.ts";
import type { Credential } from "./credential.ts";
import { readRejection } from "./errors.ts";
import type { PublishKey } from "./rule.ts";
import { onVideoService, permissionToUpload, serviceRejection, uploadVideo, videoName, whyNoUpload } from "./video.ts";

/** Up to this size, a video is uploaded with one call, which takes only a few seconds. */
const SINGLE_BYTES_MAX = 50_000_000;
const CHUNK_TIMEOUT_MS = 120_000;
const FINISHING_AGAIN_MS = 2_000;

export type Chunks = Extract<PublishKey, { step: "chunks" }>;
type Failure = Retryable | Rejected | Unauthorized;

const Started = z.object({ jobId: z.string(), partSizeBytes: z.int().min(1), partCount: z.int().min(1) });
const Finished = z.object({ completedJobId: z.string() });

/** The errors of an upload that ended without a video, so that only a new upload can help. */
const LOST = new Set(["UploadNotFound", "UploadExpired", "UploadFailed", "UploadAborted", "MissingParts"]);

/** Uploads a video and returns its job. Returns `again` if the uploaded chunks are lost. */
export async function uploadWhole(
  context: ConnectorContext<Credential>,
  file: MediaFile,
  resume: Chunks | null,
  save: (chunks: Chunks) => Promise<void>,
): Promise<{ jobId: string } | Failure | "again"> {
  const barred = resume === null ? await whyNoUpload(context) : null;
  if (barred !== null) return barred;
  if (resume === null && (file.bytes <= SINGLE_BYTES_MAX / context.io.chunksDivisor || !(await opensInChunks(file))))
    return uploadVideo(context, file);
  const permission = await permissionToUpload(context);
  if ("is" in permission) return permission;
  const started = resume ?? (await start(context, permission.token, file));
  if (started === "single") return uploadVideo(context, file);
  if ("is" in started) return started;
  if (resume === null) await save(started);
  const sendOutcome = await sendChunks(context, permission.token, file, started, save);
  return sendOutcome === "done" ? finish(context, started) : sendOutcome;
}

/** Starts a chunked upload. Returns `single` if the service has no chunked upload, or expects other chunks. */
async function start(
  context: ConnectorContext<Credential>,
  token: string,
  file: MediaFile,
): Promise<Chunks | Failure | "single"> {
  const { bytes: sizeBytes, contentType: mimeType, width, height } = file;
  const size = width === null || height === null ? {} : { width, height };
  const call = json({ sizeBytes, mimeType, name: videoName(file), ...size });
  const answer = await onVideoService(context, token, "app.bsky.video.startUpload", call);
  const started = answer.is === "answer" && answer.status === 200 ? Started.safeParse(answer.body).data : undefined;
  if (started === undefined) {
    const name = errorName(answer);
    const away = answer.is === "silence" || (answer.status >= 500 && answer.status !== 501);
    if (away || name === "ServiceOverloaded") return unavailable(answer, context.io.now());
    const documented = name !== "InvalidRequest" && readRejection(answer, context.io.now()) !== null;
    return documented ? serviceRejection(answer, context.io.now()) : "single";
  }
  const { jobId: job_id, partSizeBytes: chunk_bytes, partCount: chunks } = started;
  return chunks === Math.ceil(sizeBytes / chunk_bytes)
    ? { step: "chunks", job_id, chunk_bytes, chunks, sent: 0 }
    : "single";
}

async function sendChunks(
  context: ConnectorContext<Credential>,
  token: string,
  file: MediaFile,
  { sent, ...upload }: Chunks,
  save: (chunks: Chunks) => Promise<void>,
): Promise<"done" | "again" | Failure> {
  for (let chunkNumber = sent + 1; chunkNumber <= upload.chunks; chunkNumber++) {
    const offset = (chunkNumber - 1) * upload.chunk_bytes;
    const length = Math.min(upload.chunk_bytes, file.bytes - offset);
    const target = new URLSearchParams({ jobId: upload.job_id, partNumber: String(chunkNumber) });
    const call = {
      method: "POST",
      headers: { "content-type": "application/octet-stream", "content-length": String(length) },
      body: context.io.sized(await file.open({ offset, length }), length),
    };
    const answer = await onVideoService(context, token, `app.bsky.video.uploadPart?${target}`, call, CHUNK_TIMEOUT_MS);
    const name = errorName(answer);
    if (name === "UploadAlreadyCompleted") return "done";
    if (name !== null && LOST.has(name)) return "again";
    if (answer.is === "silence" || answer.status !== 200) return serviceRejection(answer, context.io.now());
    await save({ ...upload, sent: chunkNumber });
  }
  return "done";
}

/**
 * Finishes the upload. The service later uses the permission of this call to pass the blob on to the account's server, so the
 * permission must be fresh.
 */
async function finish(
  context: ConnectorContext<Credential>,
  { job_id }: Chunks,
): Promise<{ jobId: string } | Failure | "again"> {
  const permission = await permissionToUpload(context);
  if ("is" in permission) return permission;
  const call = json({ jobId: job_id });
  const answer = await onVideoService(context, permission.token, "app.bsky.video.finishUpload", call);
  const finished = answer.is === "answer" && answer.status === 200 ? Finished.safeParse(answer.body).data : undefined;
  if (finished !== undefined) return { jobId: finished.completedJobId };
  const name = errorName(answer);
  if (name !== null && LOST.has(name)) return "again";
  const now = context.io.now();
  if (name === "UploadNotReady") return { ...unavailable(answer, now), retryAt: now + FINISHING_AGAIN_MS };
  return serviceRejection(answer, now);
}
