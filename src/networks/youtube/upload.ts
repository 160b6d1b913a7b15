// Resumable upload: developers.google.com/youtube/v3/guides/using_resumable_upload_protocol, read 2026-11-20. A session makes
// one video at most, and its address always reports how much it has, or which video it became.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import { type MediaFile, MediaUnavailable } from "../media-file.ts";
import type { ConnectorContext, Publication } from "../network.ts";
import { openChunk } from "../shared/chunked-upload.ts";
import { type Answer, CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import { call, UPLOAD_API } from "./api.ts";
import { harmless, naming } from "./errors.ts";
import type { Credential, Options, PublishKey } from "./rule.ts";

/** A multiple of 256 KiB, as required for every chunk but the last. */
const CHUNK_BYTES = 8 * 1024 * 1024;
const CHUNK_TIMEOUT_MS = 120_000;
/** The time limit for sending the whole rest of a file that cannot be read in chunks. */
const REST_TIMEOUT_MS = 240_000;
/** Default category "People & Blogs". */
const CATEGORY = "22";

export type Upload = Extract<PublishKey, { step: "upload" }>;
export type Failure = Retryable | Rejected | Unauthorized;

export const Video = z.object({
  id: z.string().min(1),
  status: z.object({ uploadStatus: z.string().optional(), privacyStatus: z.string().optional() }).optional(),
});
export type Video = z.output<typeof Video>;

/** The progress of a session. */
export type Progress =
  | { is: "received"; bytes: number }
  | { is: "complete"; video: Video }
  /** The session does not exist (any more). */
  | { is: "gone" }
  /** An answer that does not report progress. */
  | { is: "other"; answer: Answer };

/** Begins a session for the video, which does not exist before its last byte. */
export async function start(
  context: ConnectorContext<Credential>,
  { text, options, postType }: Publication<Options>,
  file: MediaFile,
): Promise<Upload | Failure> {
  // Without a privacy the network chooses one, and chooses differently by account.
  const { paid_promotion, recorded_at, language, notify_subscribers = true, privacy = "public" } = options;
  const parts = [
    ...["snippet", "status"],
    ...(paid_promotion === undefined ? [] : ["paidProductPlacementDetails"]),
    ...(recorded_at === undefined ? [] : ["recordingDetails"]),
  ];
  const target = new URLSearchParams({
    uploadType: "resumable",
    part: parts.join(),
    notifySubscribers: String(notify_subscribers),
  });
  const resource = {
    snippet: {
      title: options.title,
      description: text,
      tags: options.tags,
      categoryId: options.category_id ?? CATEGORY,
      // The language of the texts and that of the sound: videos resource, read 2026-11-20.
      defaultLanguage: language,
      defaultAudioLanguage: language,
    },
    status: {
      privacyStatus: privacy,
      selfDeclaredMadeForKids: options.made_for_kids,
      embeddable: options.embeddable,
      license: options.license,
      containsSyntheticMedia: options.contains_synthetic_media,
    },
    // YouTube shows the day: videos resource, recordingDetails.recordingDate, read 2026-11-20.
    recordingDetails: recorded_at === undefined ? undefined : { recordingDate: new Date(recorded_at).toISOString() },
    paidProductPlacementDetails: paid_promotion === undefined ? undefined : { hasPaidProductPlacement: paid_promotion },
  };
  const answer = await call(context, `${UPLOAD_API}/videos?${target}`, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "x-upload-content-length": String(file.bytes),
      "x-upload-content-type": file.contentType,
    },
    body: JSON.stringify(resource),
  });
  const session = answer.is === "answer" && answer.status === 200 ? answer.headers.get("location") : null;
  if (session === null || !isGoogle(session)) return naming(file.id, harmless(answer, context.io.now()));
  const short = postType === "short";
  return { step: "upload", session, media_id: file.id, bytes: file.bytes, received: 0, short, privacy };
}

/** The access token is sent there too. */
export function isGoogle(address: string): boolean {
  return URL.canParse(address) && /^https:\/\/[a-z0-9-]+\.googleapis\.com$/.test(new URL(address).origin);
}

/** Asks a session for its progress. Changes nothing. */
export async function probe(context: ConnectorContext<Credential>, { session, bytes }: Upload): Promise<Progress> {
  const headers = { "content-range": `bytes */${bytes}` };
  const answer = await call(context, session, { method: "PUT", headers, body: new Uint8Array(0) });
  return readProgress(answer, bytes);
}

/** Sends `length` bytes of the file from `from` on. Throws `MediaUnavailable`. */
export async function put(
  context: ConnectorContext<Credential>,
  { session, bytes }: Upload,
  file: MediaFile,
  from: number,
  length: number,
): Promise<Progress> {
  const init = {
    method: "PUT",
    headers: {
      "content-type": file.contentType,
      "content-length": String(length),
      "content-range": `bytes ${from}-${from + length - 1}/${bytes}`,
    },
    body: context.io.sized(await open(file, from, length), length),
  };
  const timeoutMs = length <= CHUNK_BYTES / context.io.chunksDivisor ? CHUNK_TIMEOUT_MS : REST_TIMEOUT_MS;
  return readProgress(await call(context, session, init, timeoutMs), bytes);
}

/**
 * Sends all but the last chunk, and makes each chunk durable. `again`: the session and its bytes are gone. For a file that
 * cannot be read in chunks nothing is sent here: its rest is sent in one call.
 */
export async function putAllButLast(
  context: ConnectorContext<Credential>,
  upload: Upload,
  file: MediaFile,
  save: (upload: Upload) => Promise<void>,
): Promise<Upload | Failure | "again"> {
  const chunkBytes = CHUNK_BYTES / context.io.chunksDivisor;
  let currentUpload = upload;
  while (currentUpload.bytes - currentUpload.received > chunkBytes) {
    const progress = await put(context, currentUpload, file, currentUpload.received, chunkBytes).catch(whole);
    if (progress === "whole") break;
    if (progress.is === "gone") return "again";
    if (progress.is === "other") return naming(file.id, harmless(progress.answer, context.io.now()));
    const received = progress.is === "complete" ? currentUpload.bytes : progress.bytes;
    if (received <= currentUpload.received) {
      return { is: "retryable", error: "network_unavailable", detail: "the upload session accepted none of the bytes" };
    }
    currentUpload = { ...currentUpload, received };
    await save(currentUpload);
  }
  return currentUpload;
}

function whole(error: unknown): "whole" {
  if (error instanceof MediaUnavailable && !error.retry) return "whole";
  throw error;
}

/** A third-party host may only serve a file whole: to read its end, the beginning is discarded. */
function open(file: MediaFile, from: number, length: number): Promise<ReadableStream<Uint8Array>> {
  return from + length < file.bytes ? file.open({ offset: from, length }) : openChunk(file, from, length);
}

function readProgress(answer: Answer, bytes: number): Progress {
  const fallback: Progress = { is: "other", answer };
  if (answer.is === "silence") return fallback;
  switch (answer.status) {
    case 200:
    case 201: {
      const video = Video.safeParse(answer.body);
      return video.success ? { is: "complete", video: video.data } : fallback;
    }
    case 308: {
      const range = answer.headers.get("range");
      if (range === null) return { is: "received", bytes: 0 };
      const received = Number(/^bytes=0-(\d{1,15})$/.exec(range)?.[1]) + 1;
      return received <= bytes ? { is: "received", bytes: received } : fallback;
    }
    case 404:
    case 410:
      return { is: "gone" };
    default:
      return fallback;
  }
}

/** Milliseconds of a probe and the longest call after it. */
export const PUBLISH_TIMEOUT_MS = CALL_TIMEOUT_MS + REST_TIMEOUT_MS;
