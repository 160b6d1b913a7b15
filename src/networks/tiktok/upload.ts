// Uploads a video in chunks, in order. All but the last are harmless checkpoints; the last one publishes.
// developers.tiktok.com/doc/content-posting-api-media-transfer-guide, read 2026-11-20.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import { HOUR_MS, MINUTE_MS } from "../../domain/limits.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext, Publication } from "../network.ts";
import { opensInChunks } from "../shared/chunked-upload.ts";
import { type Answer, ask, unavailable } from "../shared/http-call.ts";
import { call, readData } from "./api.ts";
import { type Creator, madeFor } from "./creator.ts";
import { harmless } from "./errors.ts";
import { isPublic, videoDraftRequest, videoRequest } from "./request.ts";
import type { Credential, Options, Upload } from "./rule.ts";

/** A chunk may have 5 to 64 MB; whether a MB is 10^6 or 2^20 bytes is not documented, and this size suits both. */
const CHUNK_BYTES = 10_000_000;
/** The most bytes in a single chunk; larger files must be split. */
const SINGLE_BYTES_MAX = 64_000_000;
/** The last chunk takes the remainder and is nearly twice as long. */
export const CHUNK_TIMEOUT_MS = 120_000;
/** The address of an upload is valid for an hour; after that and more than a chunk's time, no byte can arrive any more. */
const ADDRESS_LIFE_MS = HOUR_MS + 5 * MINUTE_MS;
/** How often the network may correct where an upload continues. */
const CORRECTIONS_MAX = 3;

const Opened = z.object({ publish_id: z.string().min(1), upload_url: z.url() });

/**
 * Opens an upload; `creator` is null for a draft. An open upload publishes nothing, so if the answer was lost, the upload may
 * be opened again.
 */
export async function openUpload(
  post: Publication<Options>,
  file: MediaFile,
  creator: Creator | null,
  context: ConnectorContext<Credential>,
): Promise<Upload | Retryable | Rejected | Unauthorized> {
  // The number of chunks is rounded down; a single chunk is declared as such.
  const { chunksDivisor } = context.io;
  const usual = CHUNK_BYTES / chunksDivisor;
  const rounded = Math.max(1, Math.floor(file.bytes / usual));
  const mayBeOne = file.bytes <= SINGLE_BYTES_MAX / chunksDivisor;
  const chunks = rounded > 1 && mayBeOne && !(await opensInChunks(file)) ? 1 : rounded;
  const chunkBytes = chunks === 1 ? file.bytes : usual;
  const since = context.io.now();
  const answer =
    creator === null
      ? await call(context, "post/publish/inbox/video/init/", videoDraftRequest(file, { chunkBytes, chunks }))
      : await call(context, "post/publish/video/init/", videoRequest(post, creator, file, { chunkBytes, chunks }));
  const opened = readData(answer, Opened);
  if (opened === undefined) return harmless(answer, context.io.now());
  return {
    step: "upload",
    ...opened,
    bytes: file.bytes,
    chunk_bytes: chunkBytes,
    sent: 0,
    since,
    post: {
      kind: "video",
      text: post.text,
      title: null,
      public: isPublic(post.options),
      ...madeFor(creator),
    },
  };
}

/** Whether the address of an upload has certainly expired: bytes that have not arrived by now never will. */
export function isOver(upload: Upload, now: number): boolean {
  return now > upload.since + ADDRESS_LIFE_MS;
}

/** Where the last chunk begins. */
function lastChunkAt({ bytes, chunk_bytes }: Upload): number {
  return (Math.max(1, Math.floor(bytes / chunk_bytes)) - 1) * chunk_bytes;
}

/** Rounds the progress that the network reports down to whole chunks, and returns the upload with that progress. */
export function upTo(upload: Upload, uploaded: number): Upload {
  if (uploaded >= upload.bytes) return { ...upload, sent: upload.bytes };
  const whole = Math.floor(uploaded / upload.chunk_bytes) * upload.chunk_bytes;
  return { ...upload, sent: Math.min(whole, lastChunkAt(upload)) };
}

/** Sends all chunks except the last, and saves each. In the returned upload at most the last chunk is missing. */
export async function sendChunks(
  context: ConnectorContext<Credential>,
  file: MediaFile,
  from: Upload,
  save: (upload: Upload) => Promise<void>,
): Promise<Upload | Retryable> {
  let upload = from;
  let corrections = 0;
  while (upload.sent < lastChunkAt(upload)) {
    const answer = await putChunk(context, file, upload);
    const corrected = progressIn(answer, upload);
    if (isTaken(answer)) upload = { ...upload, sent: upload.sent + upload.chunk_bytes };
    else if (corrected !== null && corrected !== upload.sent && corrections++ < CORRECTIONS_MAX)
      upload = { ...upload, sent: corrected };
    else return unavailable(answer, context.io.now());
    await save(upload);
  }
  return upload;
}

/** Sends the next chunk. */
export async function putChunk(
  context: ConnectorContext<Credential>,
  file: MediaFile,
  upload: Upload,
): Promise<Answer> {
  const { sent: offset, bytes, chunk_bytes } = upload;
  const end = offset < lastChunkAt(upload) ? offset + chunk_bytes : bytes;
  const length = end - offset;
  const init = {
    method: "PUT",
    headers: {
      "content-type": file.contentType,
      "content-length": String(length),
      "content-range": `bytes ${offset}-${end - 1}/${bytes}`,
    },
    body: context.io.sized(await file.open(length === bytes ? undefined : { offset, length }), length),
  };
  return ask((signal) => context.io.fetch(upload.upload_url, { ...init, signal }), CHUNK_TIMEOUT_MS);
}

/**
 * Whether a chunk was accepted. TikTok answers 206 if it expects more, and 201 if the video is complete
 * (doc/content-posting-api-media-transfer-guide, read 2026-11-22). gitroomhq/postiz-app also accepts 200 for either (read
 * 2026-11-20). If that is wrong and the chunk was not accepted, the next chunk is refused as out of place.
 */
function isTaken(answer: Answer): boolean {
  return answer.is === "answer" && [200, 201, 206].includes(answer.status);
}

/**
 * Whether the network has the whole video now. A 200 does not count, because it is not documented and any proxy could send
 * it. The caller then requests the status.
 */
export function isComplete(answer: Answer, upload: Upload): boolean {
  return answer.is === "answer" && (answer.status === 201 || progressIn(answer, upload) === upload.bytes);
}

/**
 * How many bytes the network reports when it refuses a chunk as out of place (416, `Content-Range: bytes
 * 0-{uploaded}/{total}`); null if it does not report them. It is unclear whether that is the number of bytes or the position
 * of the last one, but only one of the two ends a chunk.
 */
function progressIn(answer: Answer, upload: Upload): number | null {
  if (answer.is === "silence" || answer.status !== 416) return null;
  const digits = /^bytes 0-(\d{1,12})\//.exec(answer.headers.get("content-range") ?? "")?.[1];
  if (digits === undefined) return null;
  const reportedBytes = Number(digits);
  return [reportedBytes, reportedBytes + 1].find((bytes) => upTo(upload, bytes).sent === bytes) ?? null;
}
