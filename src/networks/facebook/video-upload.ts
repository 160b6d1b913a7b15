// A video gets its id before its bytes, and nothing is public until the id is published, so a lost answer can be reconciled.
//
// Reels and stories: documentation/video-api, reels and page stories guides. A plain video is uploaded in the three phases of
// `/videos`, as Meta's own SDK does for ads (facebook-python-business-sdk, video_uploader.py) and open-source publishers for
// Pages, all read 2026-11-21. The newest guide only shows the handle of the upload API; that needs the user's token and the
// app's id, accepts no MOV, and reveals no id before the video is public.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext } from "../network.ts";
import { openChunk } from "../shared/chunked-upload.ts";
import { type Answer, ask, CALL_TIMEOUT_MS, unavailable } from "../shared/http-call.ts";
import { readGraphError } from "../shared/meta/graph.ts";
import { versionFor } from "../shared/meta/versions.ts";
import { makeBoundary, multipart } from "../shared/multipart.ts";
import { graphVideo, post, readSuccess } from "./api.ts";
import { failure, fileFailure, isMissing } from "./errors.ts";
import type { Credential, Step, VideoKind } from "./rule.ts";
import { type VideoStatus, videoStatus } from "./video-status.ts";

export type Upload = Step<"upload">;
type Failure = Retryable | Rejected | Unauthorized;
/** `again`: the uploaded bytes are useless, and nothing of them can become public. */
type Progress = "done" | "again" | Failure;

/** The time limit for sending all remaining bytes in one call. */
const REST_TIMEOUT_MS = 240_000;
const CHUNK_TIMEOUT_MS = 120_000;
/** How many chunks are sent in one invocation, because the platform limits its calls. */
const CHUNKS_MAX = 200;

const Started = z.object({ video_id: z.string().regex(/^\d+$/) });
const Offsets = z.object({ start_offset: z.coerce.number().int().min(0), end_offset: z.coerce.number().int().min(0) });
const Session = Started.extend({ upload_session_id: z.string().min(1), ...Offsets.shape });

/** The edge of the Page where each kind of video is begun and published. */
export const EDGES = { reel: "video_reels", story: "video_stories", video: "videos" } as const;

/** Calls the edge of plain videos. The body is a form, because all known publishers send a form. */
export function onVideos(
  { credential, io }: ConnectorContext<Credential>,
  fields: Record<string, string>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  const init = { method: "POST", headers: { authorization: `Bearer ${credential.page_token}` } };
  const url = `${graphVideo(io)}/${credential.page_id}/videos`;
  return ask((signal) => io.fetch(url, { ...init, body: new URLSearchParams(fields), signal }), timeoutMs);
}

/** Uploads a whole video, continuing from `resume`. Saves a checkpoint after each chunk, and after a broken connection. */
export async function uploadVideo(
  kind: VideoKind,
  file: MediaFile,
  context: ConnectorContext<Credential>,
  resume: Upload | null,
  save: (upload: Upload) => Promise<void>,
): Promise<{ upload: Upload } | Failure | "again"> {
  let upload = resume ?? (await start(kind, file, context));
  if ("is" in upload) return upload;
  if (resume === null) await save(upload);
  else if (kind !== "video") {
    const uploadState = await whereItStands(upload, file, context);
    if (typeof uploadState === "string" || "is" in uploadState)
      return uploadState === "done" ? { upload } : uploadState;
    upload = uploadState;
    // Throws if another session has written the delivery: then no byte follows.
    await save(upload);
  }
  const progress = await (kind === "video" ? sendChunks : sendRest)(upload, file, context, save);
  // The network may have forgotten an old session. No error code is documented for that, so any refusal starts a new upload.
  if (resume !== null && typeof progress === "object" && progress.is === "rejected") return "again";
  return progress === "done" ? { upload } : progress;
}

async function start(
  kind: VideoKind,
  file: MediaFile,
  context: ConnectorContext<Credential>,
): Promise<Upload | Failure> {
  const { credential, io } = context;
  if (kind === "video") {
    const answer = await onVideos(context, { upload_phase: "start", file_size: String(file.bytes) });
    const session = readSuccess(answer, Session);
    if (session === undefined) return failure(answer, io.now());
    const { video_id, upload_session_id: session_id, start_offset: sentBytes, end_offset: end } = session;
    return { step: "upload", kind, video_id, session_id, sent: sentBytes, end };
  }
  const path = `/${credential.page_id}/${EDGES[kind]}`;
  const answer = await post(io, credential.page_token, path, { upload_phase: "start" });
  const started = readSuccess(answer, Started);
  if (started === undefined) return failure(answer, io.now());
  return { step: "upload", kind, video_id: started.video_id, session_id: null, sent: 0, end: null };
}

/** How much of a reel or story has arrived. */
async function whereItStands(
  upload: Upload,
  file: MediaFile,
  context: ConnectorContext<Credential>,
): Promise<Upload | "done" | "again" | Failure> {
  const status = await videoStatus(context, upload.video_id);
  if ("is" in status) return isMissing(status) ? "again" : failure(status, context.io.now());
  return stands(upload, file, status);
}

function stands(upload: Upload, file: MediaFile, status: VideoStatus): Upload | "done" | "again" {
  if (status.publishing === "failed" || status.publishing === "lost" || status.sent > file.bytes) return "again";
  return status.uploaded || status.sent === file.bytes ? "done" : { ...upload, sent: status.sent };
}

const Success = z.object({ success: z.literal(true) });
/** `{"debug_info":{"type":"OffsetInvalidError","message":"..."}}`, also with HTTP 200. */
const UploadError = z.object({ debug_info: z.object({ type: z.string(), message: z.string().default("") }) });
/**
 * How to continue after each error of the upload host: the reels guide. Any other error is treated like a broken connection.
 */
const UPLOAD_ERRORS: Record<string, "resume" | "again"> = {
  OffsetInvalidError: "resume",
  PartialRequestError: "resume",
  ProcessingFailedError: "again",
};

/**
 * Sends all bytes from `sent` on. The host only accepts the rest of a file in one request (a shorter one is a
 * PartialRequestError); if the request breaks, the video's status shows how much of it arrived.
 */
async function sendRest(
  upload: Upload,
  file: MediaFile,
  context: ConnectorContext<Credential>,
  save: (upload: Upload) => Promise<void>,
): Promise<Progress> {
  const { credential, io } = context;
  const length = file.bytes - upload.sent;
  const headers = {
    authorization: `OAuth ${credential.page_token}`,
    "content-type": "application/octet-stream",
    "content-length": String(length),
    offset: String(upload.sent),
    file_size: String(file.bytes),
  };
  const body = io.sized(await openChunk(file, upload.sent, length), length);
  const url = `https://rupload.facebook.com/video-upload/${versionFor(io)}/${upload.video_id}`;
  const answer = await ask((signal) => io.fetch(url, { method: "POST", headers, body, signal }), REST_TIMEOUT_MS);
  if (readSuccess(answer, Success) !== undefined) return "done";
  const error = answer.is === "answer" ? UploadError.safeParse(answer.body).data?.debug_info : undefined;
  if (error !== undefined && UPLOAD_ERRORS[error.type] === "again") return "again";
  if (error === undefined && readGraphError(answer) !== null) {
    const failed = fileFailure(file, answer, io.now());
    if (failed.is !== "retryable" || failed.notBefore !== undefined) return failed;
  }
  const broken = unavailable(answer, io.now());
  // If the network asks for a wait, Crier does not ask for the status before the wait is over.
  if (broken.notBefore !== undefined) return broken;
  const uploadState = await whereItStands(upload, file, context);
  if (typeof uploadState === "string" || "is" in uploadState) return uploadState;
  await save(uploadState);
  const messageFields = error === undefined ? {} : { networkMessage: `${error.type}: ${error.message}` };
  return { ...goingOn(uploadState.sent > upload.sent, io.now()), ...broken, ...messageFields };
}

/** The chunk begins at another offset than the network expects: the error names that offset (the SDK reads it from there). */
const OFFSET_ERROR = 1363037;
const OffsetError = z.object({ error: z.object({ error_data: Offsets }) });

/** Sends the chunks of a plain video; the network says where each begins and ends. */
async function sendChunks(
  upload: Upload,
  file: MediaFile,
  context: ConnectorContext<Credential>,
  save: (upload: Upload) => Promise<void>,
): Promise<Progress> {
  const { credential, io } = context;
  const headers = { authorization: `Bearer ${credential.page_token}` };
  const url = `${graphVideo(io)}/${credential.page_id}/videos`;
  let range = { sent: upload.sent, end: upload.end ?? file.bytes };
  for (let chunks = 0; range.sent < range.end; chunks++) {
    const { sent, end } = range;
    if (end > file.bytes) return "again";
    if (chunks === CHUNKS_MAX) return goingOn(sent > upload.sent, io.now());
    const length = end - sent;
    const boundary = makeBoundary(io.random(16));
    const chunk = await openChunk(file, sent, length);
    const form = multipart(
      [
        { name: "upload_phase", value: "transfer" },
        { name: "upload_session_id", value: upload.session_id ?? "" },
        { name: "start_offset", value: String(sent) },
        {
          name: "video_file_chunk",
          fileName: "part",
          contentType: "application/octet-stream",
          bytes: length,
          open: async () => chunk,
        },
      ],
      boundary,
    );
    const sized = { "content-type": form.contentType, "content-length": String(form.bytes) };
    const body = io.sized(form.pieces(), form.bytes);
    const init = { method: "POST", headers: { ...headers, ...sized }, body };
    const answer = await ask((signal) => io.fetch(url, { ...init, signal }), CHUNK_TIMEOUT_MS);
    const offsets = readSuccess(answer, Offsets) ?? offsetsWanted(answer);
    if (offsets === undefined) return fileFailure(file, answer, io.now());
    range = { sent: offsets.start_offset, end: offsets.end_offset };
    await save({ ...upload, ...range });
  }
  return range.sent === file.bytes ? "done" : "again";
}

/** If more bytes have arrived, the upload continues, and this does not count as a failed try. */
function goingOn(progress: boolean, now: number): Retryable {
  const retryable: Retryable = { is: "retryable", error: "network_unavailable", detail: "the video is being uploaded" };
  return progress ? { ...retryable, retryAt: now } : retryable;
}

function offsetsWanted(answer: Answer): z.output<typeof Offsets> | undefined {
  if (answer.is === "silence" || readGraphError(answer)?.subcode !== OFFSET_ERROR) return undefined;
  return OffsetError.safeParse(answer.body).data?.error.error_data;
}
