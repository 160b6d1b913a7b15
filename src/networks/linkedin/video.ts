// Uploads a video in chunks of 4 MiB, each to a separate address, and closes it with the network's tags for them.
import * as z from "zod";
import { reasonFor } from "../../domain/delivery/outcome.ts";
import type { CaptionsFile, MediaFile } from "../media-file.ts";
import type { ConnectorContext } from "../network.ts";
import { type Answer, ask, readResult } from "../shared/http-call.ts";
import { makeBoundary, multipart } from "../shared/multipart.ts";
import { callFor } from "./api.ts";
import { readProblem, type Trouble } from "./errors.ts";
import type { Credential, Video } from "./rule.ts";

const CHUNK_TIMEOUT_MS = 120_000;

const Initialized = z.object({
  value: z.object({
    video: z.string().min(1),
    uploadToken: z.string().default(""),
    thumbnailUploadUrl: z.url().optional(),
    captionsUploadUrl: z.url().optional(),
    uploadInstructions: z.array(z.object({ uploadUrl: z.url(), firstByte: z.int(), lastByte: z.int() })).min(1),
  }),
});

interface VideoFiles {
  file: MediaFile;
  thumbnail: MediaFile | undefined;
  captions: CaptionsFile | undefined;
}

/** Uploads a video with its thumbnail and captions, or the rest of one; each chunk is a checkpoint. Returns its URN. */
export async function uploadVideo(
  { file, thumbnail, captions }: VideoFiles,
  savedVideo: Video | null,
  context: ConnectorContext<Credential>,
  save: (video: Video | null) => Promise<void>,
): Promise<string | Trouble> {
  let upload = savedVideo;
  if (upload === null) {
    const started = await start({ file, thumbnail, captions }, context);
    if ("is" in started) return started;
    upload = started;
    await save(upload);
  }
  for (let [chunk, ...remainingChunks] = upload.rest; chunk !== undefined; [chunk, ...remainingChunks] = upload.rest) {
    const length = chunk.last - chunk.first + 1;
    const content = await file.open(length === file.bytes ? undefined : { offset: chunk.first, length });
    const { url } = chunk;
    // The address itself is the permission.
    const headers = { "content-type": "application/octet-stream", "content-length": String(length) };
    const body = context.io.sized(content, length);
    const answer = await ask(
      (signal) => context.io.fetch(url, { method: "PUT", headers, body, signal }),
      CHUNK_TIMEOUT_MS,
    );
    const etag = answer.is === "answer" && answer.status < 300 ? answer.headers.get("etag") : null;
    if (etag === null) return lost(answer, context, save);
    upload = { ...upload, rest: remainingChunks, etags: [...upload.etags, etag] };
    await save(upload);
  }
  if (thumbnail !== undefined && upload.thumbnail_url !== undefined) {
    const { thumbnail_url: url, ...otherFields } = upload;
    const refused = await sendThumbnail(thumbnail, url, context);
    if (refused !== null) return refused;
    upload = otherFields;
    await save(upload);
  }
  if (captions !== undefined && upload.captions_url !== undefined) {
    const { captions_url: url, ...otherFields } = upload;
    const refused = await sendCaptions(captions, url, context);
    if (refused !== null) return refused;
    upload = otherFields;
    await save(upload);
  }
  const { urn, upload_token, etags } = upload;
  const body = { finalizeUploadRequest: { video: urn, uploadToken: upload_token, uploadedPartIds: etags } };
  const answer = await callFor(context, "POST", "/rest/videos?action=finalizeUpload", { body });
  if (answer.is === "answer" && answer.status >= 200 && answer.status < 300) return urn;
  // It may have been closed by a call whose answer was lost.
  const statusAnswer = await callFor(context, "GET", `/rest/videos/${encodeURIComponent(urn)}`);
  return readResult(statusAnswer, Closed) === undefined ? lost(answer, context, save) : urn;
}

/** Permanent errors of an upload address, in addition to the documented ones (errors.ts). */
const REFUSING = new Set([404, 405, 410, 411, 413, 415]);

/**
 * Uploads the thumbnail before the video is closed, with the header of pictures in the older assets API. null: it is
 * uploaded. Temporary errors are retried, and the uploaded chunks of the video are kept.
 */
async function sendThumbnail(
  file: MediaFile,
  url: string,
  context: ConnectorContext<Credential>,
): Promise<Trouble | null> {
  const { credential, io } = context;
  const headers = {
    authorization: `Bearer ${credential.access_token}`,
    "content-type": file.contentType,
    "content-length": String(file.bytes),
    "media-type-family": "STILLIMAGE",
  };
  const body = io.sized(await file.open(), file.bytes);
  const answer = await ask((signal) => io.fetch(url, { method: "PUT", headers, body, signal }), CHUNK_TIMEOUT_MS);
  return readSideUpload(answer, `the thumbnail (\`thumbnail_media\`, ${file.id})`, context);
}

/** The answer to an upload that accompanies the video; null if it succeeded. */
function readSideUpload(answer: Answer, detail: string, context: ConnectorContext<Credential>): Trouble | null {
  if (answer.is === "answer" && answer.status >= 200 && answer.status < 300) return null;
  const trouble = readProblem(answer, context);
  const isRefused = trouble.is === "rejected" || (answer.is === "answer" && REFUSING.has(answer.status));
  if (!isRefused) return trouble;
  const error = trouble.is === "rejected" && trouble.error !== "content_refused" ? trouble.error : "media_refused";
  return { is: "rejected", error, ...reasonFor(trouble), detail };
}

/**
 * Uploads the captions before the video is closed, as a form with the metadata that clients of the videos API send: the LinkedIn
 * services of two public repositories, found by `captionsUploadUrl`, read 2026-11-27. A country is optional in a locale: "Locale"
 * of the API's object types, from memory.
 */
async function sendCaptions(
  { lang, file }: CaptionsFile,
  url: string,
  context: ConnectorContext<Credential>,
): Promise<Trouble | null> {
  const { credential, io } = context;
  const [language = lang, region] = lang.split("-");
  const locale = { language: language.toUpperCase(), ...(region?.length === 2 && { country: region.toUpperCase() }) };
  const metadata = {
    format: "SRT",
    formattedForEasyReader: true,
    largeText: true,
    source: "USER_PROVIDED",
    locale,
    transcriptType: "CLOSED_CAPTION",
  };
  const { contentType, bytes, pieces } = multipart(
    [
      { name: "metadata", value: JSON.stringify(metadata) },
      { name: "file", fileName: `${file.id}.srt`, contentType: file.contentType, bytes: file.bytes, open: file.open },
    ],
    makeBoundary(io.random(16)),
  );
  const headers = {
    authorization: `Bearer ${credential.access_token}`,
    "content-type": contentType,
    "content-length": String(bytes),
  };
  const body = io.sized(pieces(), bytes);
  const answer = await ask((signal) => io.fetch(url, { method: "POST", headers, body, signal }), CHUNK_TIMEOUT_MS);
  return readSideUpload(answer, `the captions (\`captions\`, ${file.id})`, context);
}

const Closed = z.object({ status: z.enum(["PROCESSING", "AVAILABLE"]) });

const NOT_WHOLE: Trouble = {
  is: "retryable",
  error: "network_unavailable",
  detail: "LinkedIn requested chunks that the video does not have",
};

async function start(
  { file, thumbnail, captions }: VideoFiles,
  context: ConnectorContext<Credential>,
): Promise<Video | Trouble> {
  const request = {
    owner: context.credential.author,
    fileSizeBytes: file.bytes,
    uploadCaptions: captions !== undefined,
    uploadThumbnail: thumbnail !== undefined,
  };
  const body = { initializeUploadRequest: request };
  const answer = await callFor(context, "POST", "/rest/videos?action=initializeUpload", { body });
  const started = readResult(answer, Initialized)?.value;
  if (started === undefined) return readProblem(answer, context);
  const chunks = started.uploadInstructions
    .map(({ uploadUrl, firstByte, lastByte }) => ({ url: uploadUrl, first: firstByte, last: lastByte }))
    .sort((a, b) => a.first - b.first);
  const isWhole =
    chunks.every(({ first, last }, i) => first <= last && first === (i === 0 ? 0 : (chunks[i - 1]?.last ?? 0) + 1)) &&
    chunks.at(-1)?.last === file.bytes - 1;
  if (!isWhole) return NOT_WHOLE;
  const { video: urn, uploadToken: upload_token, thumbnailUploadUrl, captionsUploadUrl } = started;
  if (thumbnail !== undefined && thumbnailUploadUrl === undefined) return withoutAddress("thumbnail");
  if (captions !== undefined && captionsUploadUrl === undefined) return withoutAddress("captions");
  return {
    urn,
    upload_token,
    rest: chunks,
    etags: [],
    ...(thumbnailUploadUrl === undefined ? {} : { thumbnail_url: thumbnailUploadUrl }),
    ...(captionsUploadUrl === undefined ? {} : { captions_url: captionsUploadUrl }),
  };
}

const withoutAddress = (thing: string): Trouble => ({
  is: "rejected",
  error: "media_refused",
  detail: `LinkedIn returned no upload address for the ${thing}`,
});

/**
 * If the network refuses to continue an upload, for example because its addresses have expired, a new upload begins. If
 * there was no answer, the upload continues.
 */
async function lost(
  answer: Parameters<typeof readProblem>[0],
  context: ConnectorContext<Credential>,
  save: (video: null) => Promise<void>,
): Promise<Trouble> {
  const trouble = readProblem(answer, context);
  const over = answer.is === "answer" && answer.status < 500 && trouble.is !== "unauthorized" && answer.status !== 429;
  if (!over) return trouble;
  await save(null);
  return { is: "retryable", error: "network_unavailable", detail: "the upload of the video starts again" };
}
