// Uploads videos to the video service, which processes a video as a job and then passes a blob to the account's server. The id
// of the job is stored, so that a later session can continue with it.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import { growingWaitMs } from "../../domain/growing-wait.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS, unavailable } from "../shared/http-call.ts";
import { token as serviceToken } from "../shared/oauth2.ts";
import { onPds } from "./api.ts";
import type { Credential } from "./credential.ts";
import { harmless, readRejection, uploadBarred } from "./errors.ts";
import type { Blob } from "./record.ts";

const VIDEO_SERVICE = "https://video.bsky.app";
/** The time limit for a whole upload in one call. */
const UPLOAD_TIMEOUT_MS = 240_000;
/** Lifetime of the permission for one upload, in seconds. */
const PERMISSION_LIFE_S = 1_800;
/** Milliseconds between two polls of a job: often at first, then every half minute. */
const POLL_MIN_MS = 1_000;
const POLL_MAX_MS = 30_000;

const Status = z.object({
  jobId: z.string(),
  state: z.string(),
  blob: z.record(z.string(), z.json()).optional(),
  failureCode: z.string().optional(),
  message: z.string().optional(),
});
/** The service answers the bare status, although its lexicon wraps it: both are read. */
const StatusAnswer = z.union([Status, z.object({ jobStatus: Status }).transform(({ jobStatus }) => jobStatus)]);

/** Failures caused by the file; all others are the service's own. */
const FILE_FAILURES = new Set(["validation_failure", "encoding_failure", "pds_upload_unsupported_blob_size"]);

/** A token with which the video service may pass a blob to the account's server. */
export function permissionToUpload(
  context: ConnectorContext<Credential>,
): Promise<{ token: string } | Retryable | Rejected | Unauthorized> {
  // The permission is for the account's own server, not for the entryway.
  return permissionFor(context, `did:web:${new URL(context.credential.pds).hostname}`, "com.atproto.repo.uploadBlob");
}

async function permissionFor(
  context: ConnectorContext<Credential>,
  aud: string,
  lxm: string,
): Promise<{ token: string } | Retryable | Rejected | Unauthorized> {
  const permission = new URLSearchParams({
    aud,
    lxm,
    exp: String(Math.floor(context.io.now() / 1000) + PERMISSION_LIFE_S),
  });
  const granted = await onPds(context, `com.atproto.server.getServiceAuth?${permission}`);
  const token =
    granted.is === "answer" && granted.status === 200
      ? z.object({ token: serviceToken }).safeParse(granted.body).data?.token
      : undefined;
  return token === undefined ? harmless(granted, context.io.now()) : { token };
}

const Limits = z.object({ canUpload: z.boolean(), error: z.string().default(""), message: z.string().default("") });
const LIMITS = "app.bsky.video.getUploadLimits";

/**
 * Asks, before the bytes of a video are sent, why an account may not upload one: app.bsky.video.getUploadLimits of
 * bluesky-social/atproto, read 2026-11-24. null if it may, or if the answer is unclear.
 */
export async function whyNoUpload(context: ConnectorContext<Credential>): Promise<Rejected | null> {
  const permission = await permissionFor(context, `did:web:${new URL(VIDEO_SERVICE).hostname}`, LIMITS);
  if ("is" in permission) return null;
  const answer = await onVideoService(context, permission.token, LIMITS, {});
  const limits = answer.is === "answer" ? Limits.safeParse(answer.body).data : undefined;
  if (limits === undefined || limits.canUpload) return null;
  return uploadBarred(limits.error, limits.message || limits.error);
}

/** A call on the video service. */
export function onVideoService(
  context: ConnectorContext<Credential>,
  token: string,
  nsid: string,
  init: RequestInit,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return ask((signal) => context.io.fetch(`${VIDEO_SERVICE}/xrpc/${nsid}`, { ...init, headers, signal }), timeoutMs);
}

/** Classifies a refusal of the video service. Its refusal of our permission says nothing about the account's own token. */
export function serviceRejection(answer: Answer, now: number): Retryable | Rejected {
  const rejection = readRejection(answer, now);
  if (rejection?.is === "retryable" || (rejection?.is === "rejected" && rejection.error !== "token_revoked"))
    return rejection;
  return unavailable(answer, now);
}

const ENDINGS: Record<string, string> = { "video/mp4": "mp4", "video/quicktime": "mov", "video/webm": "webm" };

/**
 * The name under which a file is uploaded: its id with the extension of its type, or without one for an unknown type. The
 * service converts every video to MP4.
 */
export function videoName({ id, contentType }: MediaFile): string {
  const ending = ENDINGS[contentType];
  return ending === undefined ? id : `${id}.${ending}`;
}

/** Uploads a video in one call and returns its job. */
export async function uploadVideo(
  context: ConnectorContext<Credential>,
  file: MediaFile,
): Promise<{ jobId: string } | Retryable | Rejected | Unauthorized> {
  const permission = await permissionToUpload(context);
  if ("is" in permission) return permission;
  const target = new URLSearchParams({ did: context.credential.did, name: videoName(file) });
  const call = {
    method: "POST",
    headers: { "content-type": file.contentType, "content-length": String(file.bytes) },
    body: context.io.sized(await file.open(), file.bytes),
  };
  const nsid = `app.bsky.video.uploadVideo?${target}`;
  const answer = await onVideoService(context, permission.token, nsid, call, UPLOAD_TIMEOUT_MS);
  // If the same file was uploaded before, the answer is 409 with the job that has its blob.
  const status = answer.is === "answer" ? StatusAnswer.safeParse(answer.body) : null;
  if (status?.success) return { jobId: status.data.jobId };
  return serviceRejection(answer, context.io.now());
}

/**
 * Returns the blob of a finished job. A job that is still running is `retryable` with the time of the next poll, which
 * depends on how long the job has been running (`since`, epoch milliseconds). `again`: the video must be uploaded again.
 */
export async function videoBlob(
  context: ConnectorContext<Credential>,
  jobId: string,
  since: number,
): Promise<{ blob: Blob } | Retryable | Rejected | "again"> {
  const url = `${VIDEO_SERVICE}/xrpc/app.bsky.video.getJobStatus?jobId=${encodeURIComponent(jobId)}`;
  const answer = await ask((signal) => context.io.fetch(url, { signal }), CALL_TIMEOUT_MS);
  const parsed = answer.is === "answer" && answer.status === 200 ? StatusAnswer.safeParse(answer.body) : null;
  if (!parsed?.success) {
    const refused = readRejection(answer, context.io.now());
    return refused?.is === "rejected" ? "again" : unavailable(answer, context.io.now());
  }
  const { blob, state, failureCode = "generic_failure", message = failureCode } = parsed.data;
  if (blob !== undefined) return { blob: { ...blob } };
  if (state !== "JOB_STATE_FAILED") {
    const now = context.io.now();
    const retryAt = now + growingWaitMs(now - since, { minMs: POLL_MIN_MS, maxMs: POLL_MAX_MS });
    return { is: "retryable", error: "network_unavailable", detail: "the video is being processed", retryAt };
  }
  if (FILE_FAILURES.has(failureCode)) return { is: "rejected", error: "media_refused", networkMessage: message };
  return "again";
}
