// Files are uploaded before the post. The network then processes each file for a while. An unused file does no harm.
import * as z from "zod";
import { type Retryable, reasonFor } from "../../domain/delivery/outcome.ts";
import { growingWaitMs } from "../../domain/growing-wait.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext, Publication } from "../network.ts";
import { reasonOfFile } from "../shared/file-reason.ts";
import { type Answer, ask, readResult } from "../shared/http-call.ts";
import { callFor } from "./api.ts";
import { readProblem, readRejection, type Trouble } from "./errors.ts";
import type { Credential, Options, Upload } from "./rule.ts";
import { uploadVideo } from "./video.ts";

/** The time limit for uploading one image of at most 25 MB, or one document of at most 100 MB. */
const WHOLE_TIMEOUT_MS = 120_000;
/** If the token may not read the state of an image or document, the file counts as ready after this time. Postiz waits as long. */
const GRACE_MS = 20_000;
/** If the network confirmed an upload but still waits for the file after this time, the file never arrived. */
const ARRIVES_WITHIN_MS = 10 * MINUTE_MS;
/** The pause between two polls grows with the wait, because each poll counts against the day's quota. */
const POLL_MIN_MS = 3_000;
const POLL_MAX_MS = 60_000;

type Save = (publishKey: Upload) => Promise<void>;

/**
 * Uploads the missing files in order. Returns their URNs in publish order once the network has processed all files. Until
 * then, returns when to continue, or why a file cannot be used.
 */
export async function uploadAll(
  {
    media: files,
    thumbnail,
    captions: [captions] = [],
  }: Pick<Publication<Options>, "media" | "thumbnail" | "captions">,
  savedUpload: Upload | null,
  context: ConnectorContext<Credential>,
  save: Save,
): Promise<string[] | Trouble> {
  let upload: Upload = savedUpload ?? { step: "upload", media: [], done: 0, uploaded_at: 0, video: null };
  const keep = async (next: Partial<Upload>) => {
    upload = { ...upload, ...next };
    await save(upload);
  };
  for (const file of files.slice(upload.media.length)) {
    const urn =
      file.kind === "video"
        ? await uploadVideo({ file, thumbnail, captions }, upload.video, context, (video) => keep({ video }))
        : await uploadWhole(file, context);
    if (typeof urn !== "string") return urn;
    await keep({ media: [...upload.media, urn], video: null, uploaded_at: context.io.now() });
  }
  for (const file of files.slice(upload.done)) {
    const trouble = await working(file, upload, context);
    if (trouble === "missing") {
      await keep({ media: upload.media.slice(0, upload.done), video: null });
      return waiting(context.io.now());
    }
    if (trouble !== null) return trouble;
    await keep({ done: upload.done + 1 });
  }
  return upload.media;
}

/** The collection of each kind of file: images, videos and documents APIs. */
const COLLECTIONS = { image: "images", video: "videos", document: "documents" } as const;
/** Captions are uploaded with their video. */
const getCollection = ({ kind }: MediaFile) => (kind === "captions" ? "videos" : COLLECTIONS[kind]);

/** The answers for an image and for a document name the new file differently. */
const urn = z.string().min(1);
const Initialized = {
  image: z.object({ value: z.object({ uploadUrl: z.url(), image: urn }) }),
  document: z.object({ value: z.object({ uploadUrl: z.url(), document: urn }) }),
};

function readUpload(answer: Answer, kind: MediaFile["kind"]): { uploadUrl: string; urn: string } | undefined {
  if (kind === "document") {
    const upload = readResult(answer, Initialized.document)?.value;
    return upload && { uploadUrl: upload.uploadUrl, urn: upload.document };
  }
  const upload = readResult(answer, Initialized.image)?.value;
  return upload && { uploadUrl: upload.uploadUrl, urn: upload.image };
}

/** Uploads an image or a document, each in one call: images API; documents API, version 202411 as stored, read 2026-11-27. */
async function uploadWhole(file: MediaFile, context: ConnectorContext<Credential>): Promise<string | Trouble> {
  const { credential, io } = context;
  const body = { initializeUploadRequest: { owner: credential.author } };
  const path = `/rest/${getCollection(file)}?action=initializeUpload`;
  const answer = await callFor(context, "POST", path, { body });
  const upload = readUpload(answer, file.kind);
  if (upload === undefined) return readProblem(answer, context);
  const headers = {
    authorization: `Bearer ${credential.access_token}`,
    "content-type": file.contentType,
    "content-length": String(file.bytes),
  };
  const content = io.sized(await file.open(), file.bytes);
  const uploadAnswer = await ask(
    (signal) => io.fetch(upload.uploadUrl, { method: "PUT", headers, body: content, signal }),
    WHOLE_TIMEOUT_MS,
  );
  return uploadAnswer.is === "answer" && uploadAnswer.status >= 200 && uploadAnswer.status < 300
    ? upload.urn
    : aboutFile(file, uploadAnswer, context);
}

/** The problem of an upload. A permanent refusal is reported as a refusal of the file. */
function aboutFile(
  file: MediaFile,
  answer: Parameters<typeof readProblem>[0],
  context: ConnectorContext<Credential>,
): Trouble {
  const trouble = readProblem(answer, context);
  if (trouble.is !== "rejected" || trouble.error !== "content_refused") return trouble;
  return { is: "rejected", error: "media_refused", ...reasonOfFile(file, reasonFor(trouble)) };
}

/** Only videos have a documented reason: community-management/shares/videos-api and images-api, read 2026-11-22. */
const Status = z.object({ status: z.string(), processingFailureReason: z.string().optional() });

/** Why the next file cannot be used yet; null if the file is ready. `missing`: the file must be uploaded again. */
async function working(
  file: MediaFile,
  upload: Upload,
  context: ConnectorContext<Credential>,
): Promise<Trouble | "missing" | null> {
  const { media, done, uploaded_at } = upload;
  const now = context.io.now();
  const kind = getCollection(file);
  const answer = await callFor(context, "GET", `/rest/${kind}/${encodeURIComponent(media[done] ?? "")}`);
  const fileStatus = readResult(answer, Status);
  if (fileStatus === undefined) {
    const trouble = readRejection(answer, context);
    // A member's token may post images and documents, but not read them.
    const unreadable = kind !== "videos" && trouble?.is === "rejected" && trouble.error === "permission_missing";
    if (!unreadable) return readProblem(answer, context);
    return now >= uploaded_at + GRACE_MS ? null : waiting(uploaded_at + GRACE_MS);
  }
  if (fileStatus.status === "AVAILABLE") return null;
  if (fileStatus.status === "WAITING_UPLOAD" && now >= uploaded_at + ARRIVES_WITHIN_MS) return "missing";
  if (fileStatus.status !== "PROCESSING_FAILED") {
    const limits = { minMs: POLL_MIN_MS, maxMs: POLL_MAX_MS, share: 1 / 2 };
    return waiting(now + growingWaitMs(now - uploaded_at, limits));
  }
  const networkMessage = fileStatus.processingFailureReason;
  const reason = networkMessage === undefined ? { detail: "the network could not use it" } : { networkMessage };
  return { is: "rejected", error: "media_refused", ...reasonOfFile(file, reason) };
}

const waiting = (retryAt: number): Retryable => ({
  is: "retryable",
  error: "network_unavailable",
  detail: "the network is processing the file",
  retryAt,
});
