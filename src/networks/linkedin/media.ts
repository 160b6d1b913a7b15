// Files are uploaded before the post and belong to its author; what no post names is harmless. An image goes whole, a
// video in the parts that the network names.
import * as z from "zod";
import type { Busy, Refused, Stale } from "../../domain/outcome.ts";
import type { MediaFile, Work } from "../network.ts";
import { type Answer, ask, unavailable } from "../protocols/send.ts";
import { call, refusalOf, resultOf } from "./api.ts";
import type { Credential, Upload } from "./rule.ts";

const UPLOAD_TIMEOUT_MS = 120_000;
const POLL_MS = 5_000;

const ImageBegun = z.object({ value: z.object({ uploadUrl: z.string(), image: z.string() }) });
const VideoBegun = z.object({
  value: z.object({
    video: z.string(),
    uploadToken: z.string().default(""),
    uploadInstructions: z.array(z.object({ uploadUrl: z.string(), firstByte: z.int(), lastByte: z.int() })).min(1),
  }),
});
const Status = z.object({ status: z.string(), processingFailureReason: z.string().optional() });

type Trouble = Busy | Refused | Stale;
type Current = NonNullable<Upload["current"]>;
type Save = (token: Upload) => Promise<void>;
const named = (file: MediaFile) => `file ${file.position + 1} (${file.id})`;

/** Uploads what is not there yet, in order; returns the URNs of all files, in publish order. */
export async function uploadAll(
  files: MediaFile[],
  begun: Upload | null,
  work: Work<Credential>,
  save: Save,
): Promise<string[] | Trouble> {
  let at: Upload = begun ?? { step: "upload", assets: [], current: null };
  for (const file of files.slice(at.assets.length)) {
    const upload = file.kind === "video" ? uploadVideo : uploadImage;
    const asset = await upload(file, at, work, save);
    if (typeof asset !== "string") return asset;
    at = { step: "upload", assets: [...at.assets, asset], current: null };
    await save(at);
  }
  return at.assets;
}

async function uploadImage(file: MediaFile, _at: Upload, work: Work<Credential>): Promise<string | Trouble> {
  const { credential, wire } = work;
  const json = { initializeUploadRequest: { owner: credential.author } };
  const begun = await call(wire, credential.access_token, "POST", "/rest/images?action=initializeUpload", { json });
  const value = resultOf(begun, ImageBegun)?.value;
  if (value === undefined) return troubleOf(begun, wire.now());
  const put = await putBytes(work, value.uploadUrl, file, { offset: 0, length: file.bytes }, file.contentType);
  return put.is === "answer" && put.status < 300 ? value.image : refusedBytes(put, file);
}

async function uploadVideo(file: MediaFile, at: Upload, work: Work<Credential>, save: Save): Promise<string | Trouble> {
  const { credential, wire } = work;
  const post = (path: string, json: object) => call(wire, credential.access_token, "POST", path, { json });
  let current = at.current;
  const keep = async (next: Current) => {
    current = next;
    await save({ ...at, current: next });
    return next;
  };
  if (current === null) {
    const { author: owner } = credential;
    const initializeUploadRequest = { owner, fileSizeBytes: file.bytes, uploadCaptions: false, uploadThumbnail: false };
    const answer = await post("/rest/videos?action=initializeUpload", { initializeUploadRequest });
    const value = resultOf(answer, VideoBegun)?.value;
    if (value === undefined) return troubleOf(answer, wire.now());
    const parts = value.uploadInstructions.map(({ uploadUrl: url, firstByte: first, lastByte: last }) => ({
      url,
      first,
      last,
    }));
    current = await keep({ asset: value.video, upload_token: value.uploadToken, parts, etags: [], closed: false });
  }
  for (const { url, first, last } of current.parts.slice(current.etags.length)) {
    const range = { offset: first, length: last - first + 1 };
    const put = await putBytes(work, url, file, range, "application/octet-stream");
    const etag = put.is === "answer" && put.status < 300 ? put.headers.get("etag") : null;
    if (etag === null) {
      // An address that has expired is of no use: the next hand begins a new upload; the old one is never named.
      if (put.is === "answer" && put.status >= 400 && put.status < 500) await save({ ...at, current: null });
      return refusedBytes(put, file);
    }
    current = await keep({ ...current, etags: [...current.etags, etag] });
  }
  if (!current.closed) {
    const { asset: video, upload_token: uploadToken, etags: uploadedPartIds } = current;
    const finalizeUploadRequest = { video, uploadToken, uploadedPartIds };
    const answer = await post("/rest/videos?action=finalizeUpload", { finalizeUploadRequest });
    if (answer.is === "silence" || answer.status !== 200) return troubleOf(answer, wire.now());
    current = await keep({ ...current, closed: true });
  }
  const answer = await call(wire, credential.access_token, "GET", `/rest/videos/${encodeURIComponent(current.asset)}`);
  const found = resultOf(answer, Status);
  if (found === undefined) return troubleOf(answer, wire.now());
  if (found.status === "AVAILABLE") return current.asset;
  if (found.status === "PROCESSING_FAILED") {
    const detail = `${named(file)}: ${found.processingFailureReason ?? "processing failed"}`;
    return { is: "refused", error: "media_refused", detail };
  }
  const detail = "the network works on the video";
  return { is: "busy", error: "network_unavailable", detail, retryAt: wire.now() + POLL_MS };
}

async function putBytes(
  { credential, wire }: Work<Credential>,
  url: string,
  file: MediaFile,
  range: { offset: number; length: number },
  contentType: string,
): Promise<Answer> {
  const whole = range.length === file.bytes;
  const body = wire.sized(await file.open(whole ? undefined : range), range.length);
  const headers = {
    authorization: `Bearer ${credential.access_token}`,
    "content-type": contentType,
    "content-length": String(range.length),
  };
  return ask((signal) => wire.fetch(url, { method: "PUT", headers, body, signal }), UPLOAD_TIMEOUT_MS);
}

/** Storage does not say why in the API's words. */
function refusedBytes(answer: Answer, file: MediaFile): Busy {
  const why = answer.is === "silence" ? answer.detail : `HTTP ${answer.status}`;
  return { is: "busy", error: "network_unavailable", detail: `${named(file)} was not taken: ${why}` };
}

/** A media call publishes nothing, so whatever is unclear is tried again. */
function troubleOf(answer: Answer, now: number): Trouble {
  const refusal = refusalOf(answer, now);
  return refusal === null || refusal.is === "unsure" ? unavailable(answer) : refusal;
}
