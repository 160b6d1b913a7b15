// Files are uploaded before the post; unused files expire by themselves. Images are sent whole, GIFs and videos in segments:
// docs.x.com/x-api/media/quickstart/media-upload-chunked, read 2026-11-20.
import * as z from "zod";
import { type Rejected, type Retryable, reasonFor, type Unauthorized } from "../../domain/delivery/outcome.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext } from "../network.ts";
import { reasonOfFile } from "../shared/file-reason.ts";
import { type Answer, readResult, unavailable } from "../shared/http-call.ts";
import { makeBoundary, multipart, type Part } from "../shared/multipart.ts";
import { call, readProblems } from "./api.ts";
import { readRejection } from "./errors.ts";
import type { Credential, Upload } from "./rule.ts";

const MIB = 1024 * 1024;
/**
 * 1 MiB, as in the documentation's samples and in production code (plhery/node-twitter-api-v2 and gitroomhq/postiz-app); 5
 * MiB got 431: abraham/twitteroauth issue 1257, read 2026-11-24.
 */
const SEGMENT_BYTES = MIB;
/** Segments between two checkpoints. Segments after the last one may be sent again and replace themselves. */
const SEGMENTS_PER_CHECKPOINT = 4;
/** `segment_index` is 0 to 999: AppendMediaUploadRequest in the OpenAPI description 2.167, read 2026-11-22. */
const SEGMENTS_MAX = 1_000;
const SEGMENT_TIMEOUT_MS = 120_000;
const POLL_DEFAULT_MS = 5_000;

/**
 * The size of each segment but the last. It grows with the file: the 16 GiB that `total_bytes` allows (same description) need
 * segments above 17 MB, so no smaller limit can apply to them.
 */
export function computeSegmentBytes(fileBytes: number, chunksDivisor = 1): number {
  const unit = MIB / chunksDivisor;
  return Math.max(SEGMENT_BYTES / chunksDivisor, Math.ceil(fileBytes / SEGMENTS_MAX / unit) * unit);
}

const Uploaded = z.object({ data: z.object({ id: z.string() }) });
const Worked = z.object({
  data: z.object({
    id: z.string(),
    processing_info: z
      .object({
        state: z.string(),
        check_after_secs: z.number().optional(),
        // From the old API (developer.x.com, media/upload STATUS); the OpenAPI description 2.167 has problems next to `data`.
        error: z.object({ message: z.string().optional() }).optional().catch(undefined),
      })
      .optional(),
  }),
});

type Trouble = Retryable | Rejected | Unauthorized;
type Save = (publishKey: Upload) => Promise<void>;
const describeFile = (file: MediaFile) => `file ${file.position + 1} (${file.id})`;
const inSegments = (file: MediaFile) => file.kind === "video" || file.contentType === "image/gif";

/** Uploads the missing files in order, each with what it warns of; returns the ids of all files, in publish order. */
export async function uploadAll(
  { files, warnings }: { files: MediaFile[]; warnings: readonly string[] },
  savedUpload: Upload | null,
  context: ConnectorContext<Credential>,
  save: Save,
): Promise<string[] | Trouble> {
  let upload: Upload = savedUpload ?? { step: "upload", media_ids: [], current: null };
  for (const file of files.slice(upload.media_ids.length)) {
    const id = inSegments(file)
      ? await uploadInSegments(file, upload, context, save)
      : await uploadImage(file, context);
    if (typeof id !== "string") return id;
    const metadata = buildMetadata(file, warnings);
    if (metadata !== null) {
      const described = await describe(id, metadata, context);
      if (described !== null) return described;
    }
    upload = { step: "upload", media_ids: [...upload.media_ids, id], current: null };
    await save(upload);
  }
  return upload.media_ids;
}

async function uploadImage(
  file: MediaFile,
  { credential, io }: ConnectorContext<Credential>,
): Promise<string | Trouble> {
  const form = buildForm([{ name: "media_category", value: "tweet_image" }, toFormPart(file)], io.random(16));
  const answer = await call(io, credential.access_token, "POST", "/2/media/upload", form, SEGMENT_TIMEOUT_MS);
  return readResult(answer, Uploaded)?.data.id ?? readProblem(answer, io.now(), file);
}

/** The description of a file, for images only, and what it warns of; null: neither. */
function buildMetadata({ alt, kind }: MediaFile, warnings: readonly string[]): JsonObject | null {
  const isDescribed = alt !== null && kind === "image";
  if (!isDescribed && warnings.length === 0) return null;
  const flags = Object.fromEntries(warnings.map((warning) => [warning, true]));
  return {
    ...(isDescribed && { alt_text: { text: alt } }),
    ...(warnings.length > 0 && { sensitive_media_warning: flags }),
  };
}

async function describe(
  id: string,
  metadata: JsonObject,
  { credential, io }: ConnectorContext<Credential>,
): Promise<Trouble | null> {
  const json = { id, metadata };
  const answer = await call(io, credential.access_token, "POST", "/2/media/metadata", { json });
  return answer.is === "answer" && answer.status === 200 ? null : readProblem(answer, io.now());
}

async function uploadInSegments(
  file: MediaFile,
  upload: Upload,
  context: ConnectorContext<Credential>,
  save: Save,
): Promise<string | Trouble> {
  const { credential, io } = context;
  const post = (path: string, body?: Parameters<typeof call>[4]) =>
    call(io, credential.access_token, "POST", path, body, SEGMENT_TIMEOUT_MS);
  const segmentBytes = computeSegmentBytes(file.bytes, io.chunksDivisor);
  let current = upload.current;
  const keep = async (next: NonNullable<Upload["current"]>) => {
    current = next;
    await save({ ...upload, current });
  };
  if (current === null) {
    const media_category = file.kind === "video" ? "tweet_video" : "tweet_gif";
    const json = { media_type: file.contentType, total_bytes: file.bytes, media_category };
    const answer = await post("/2/media/upload/initialize", { json });
    const id = readResult(answer, Uploaded)?.data.id;
    if (id === undefined) return readProblem(answer, io.now(), file);
    await keep({ media_id: id, sent: 0, closed: false });
  }
  for (;;) {
    const { media_id, sent, closed }: NonNullable<Upload["current"]> = current ?? {
      media_id: "",
      sent: 0,
      closed: false,
    };
    const offset = sent * segmentBytes;
    if (closed) return worked(media_id, file, context);
    if (offset >= file.bytes) break;
    const length = Math.min(segmentBytes, file.bytes - offset);
    const segment = { ...toFormPart(file), bytes: length, open: () => file.open({ offset, length }) };
    const form = buildForm([{ name: "segment_index", value: String(sent) }, segment], io.random(16));
    const answer = await post(`/2/media/upload/${media_id}/append`, form);
    if (answer.is === "silence" || answer.status >= 300) return startedAnew(answer, context, upload, save, file);
    current = { media_id, sent: sent + 1, closed: false };
    if (current.sent % SEGMENTS_PER_CHECKPOINT === 0) await save({ ...upload, current });
  }
  const id = current?.media_id ?? "";
  const answer = await post(`/2/media/upload/${id}/finalize`);
  const closed = readResult(answer, Worked)?.data;
  if (closed === undefined) return startedAnew(answer, context, upload, save, file);
  if (closed.processing_info === undefined) return id;
  await keep({ media_id: id, sent: Math.ceil(file.bytes / segmentBytes), closed: true });
  return waiting(closed.processing_info.check_after_secs, io.now());
}

/** If the network refuses to continue an upload, the next try begins a new one. If an answer is lost, it continues. */
async function startedAnew(
  answer: Answer,
  { io }: ConnectorContext<Credential>,
  upload: Upload,
  save: Save,
  file: MediaFile,
): Promise<Trouble> {
  const trouble = readProblem(answer, io.now(), file);
  if (trouble.is !== "rejected") return trouble;
  await save({ ...upload, current: null });
  // An expired upload is refused as a bad request, and so is a bad file. A second refusal shows that it was the file.
  return upload.current === null
    ? trouble
    : { is: "retryable", error: "network_unavailable", detail: `the upload of ${describeFile(file)} starts again` };
}

async function worked(
  mediaId: string,
  file: MediaFile,
  { credential, io }: ConnectorContext<Credential>,
): Promise<string | Trouble> {
  const path = `/2/media/upload?command=STATUS&media_id=${mediaId}`;
  const answer = await call(io, credential.access_token, "GET", path);
  const mediaStatus = readResult(answer, Worked)?.data;
  if (mediaStatus === undefined) return readProblem(answer, io.now(), file);
  const { state = "succeeded", check_after_secs, error } = mediaStatus.processing_info ?? {};
  if (state === "succeeded") return mediaId;
  if (state !== "failed") return waiting(check_after_secs, io.now());
  const [problem] = readProblems(answer);
  const networkMessage = error?.message ?? problem?.detail ?? problem?.title;
  const reason = networkMessage === undefined ? { detail: "processing failed" } : { networkMessage };
  return { is: "rejected", error: "media_refused", ...reasonOfFile(file, reason) };
}

const waiting = (seconds = POLL_DEFAULT_MS / 1000, now: number): Retryable => ({
  is: "retryable",
  error: "network_unavailable",
  detail: "the network is processing the file",
  retryAt: now + Math.min(Math.max(seconds, 1), 300) * 1000,
});

function toFormPart({ position, contentType, bytes, open }: MediaFile): Extract<Part, { bytes: number }> {
  return { name: "media", fileName: `file${position}`, contentType, bytes, open: () => open() };
}

function buildForm(parts: Part[], random: Uint8Array) {
  const boundary = makeBoundary(random);
  const form = multipart(parts, boundary);
  return { pieces: form.pieces(), type: form.contentType, bytes: form.bytes };
}

/** A media call publishes nothing, so unclear answers are retried. A permanent refusal concerns the file. */
function readProblem(answer: Answer, now: number, file?: MediaFile): Trouble {
  const rejection = readRejection(answer, now);
  if (rejection === null || rejection.is === "unknown") return unavailable(answer, now);
  if (rejection.is !== "rejected" || rejection.error !== "content_refused" || file === undefined) return rejection;
  return { is: "rejected", error: "media_refused", ...reasonOfFile(file, reasonFor(rejection)) };
}
