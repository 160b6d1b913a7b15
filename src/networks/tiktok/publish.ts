// The last chunk of a video publishes the video, and the video's `publish_id` is stored before that. Photos are published by
// the same call that creates their `publish_id`. So if the answer to that call is lost, Crier can reconcile the post only by
// its exact text.
import * as z from "zod";
import {
  type HandedOver,
  type Outcome,
  type PrepareOutcome,
  type Processing,
  type ReconcileOutcome,
  type Rejected,
  type Retryable,
  reasonFor,
  type Unauthorized,
  type Void,
} from "../../domain/delivery/outcome.ts";
import { growingWaitMs } from "../../domain/growing-wait.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import { type ConnectorContext, NOT_PUBLISHED, type Publication } from "../network.ts";
import { CALL_TIMEOUT_MS, unanswered, unavailable, unknown, unreadable } from "../shared/http-call.ts";
import { call, readData, readError } from "./api.ts";
import { askCreator, type Creator, judge, madeFor } from "./creator.ts";
import { FAIL_REASONS, LOST_CODES, readRejection } from "./errors.ts";
import { isPublic, photoRequest } from "./request.ts";
import { type Credential, isDraft, type Options, type Photos, type PublishKey, type Upload } from "./rule.ts";
import { findByText, Id, live } from "./timeline.ts";
import { CHUNK_TIMEOUT_MS, isComplete, isOver, openUpload, putChunk, sendChunks, upTo } from "./upload.ts";

/** The time for one chunk, and for a status call if TikTok refused the chunk. */
export const PUBLISH_TIMEOUT_MS = CHUNK_TIMEOUT_MS + CALL_TIMEOUT_MS;

export async function prepare(
  post: Publication<Options>,
  context: ConnectorContext<Credential>,
  publishKey: PublishKey | null,
  save: (publishKey: PublishKey) => Promise<void>,
): Promise<PrepareOutcome> {
  const [file] = post.media;
  if (file === undefined) return { is: "rejected", error: "content_refused", detail: "a post needs a file" };
  // If the file has changed since the upload began, the upload is abandoned: its last chunk was never sent.
  let upload =
    publishKey?.step === "upload" && publishKey.bytes === file.bytes ? await goOn(publishKey, context) : "anew";
  if (upload === "anew") {
    const creator = isDraft(post.options) ? null : await askCreator(context);
    if (creator !== null && "is" in creator) return creator;
    const against = judge(post, creator);
    if (against !== null) return against;
    if (file.kind === "image") return { is: "prepared", publishKey: photos(post, creator, context.io.now()) };
    const opened = await openUpload(post, file, creator, context);
    if ("is" in opened) return opened;
    await save(opened);
    upload = opened;
  }
  if ("is" in upload) return upload;
  const result = await sendChunks(context, file, upload, save);
  return "is" in result ? result : { is: "prepared", publishKey: result };
}

/**
 * Returns where the upload of an earlier session continues. Returns `anew` if that upload is over. Nothing of it was published
 * then, and nothing will be.
 */
async function goOn(
  upload: Upload,
  context: ConnectorContext<Credential>,
): Promise<Upload | "anew" | Retryable | Rejected | Unauthorized> {
  const publishStatus = await askStatus(upload.publish_id, context);
  if ("is" in publishStatus) return publishStatus.is === "lost" ? "anew" : publishStatus;
  if (publishStatus.status === "FAILED") {
    const failure = classifyFailure(publishStatus);
    return failure.is === "void" ? "anew" : failure;
  }
  // With any status except PROCESSING_UPLOAD, TikTok has all bytes, and only the final status is missing.
  if (publishStatus.status !== "PROCESSING_UPLOAD") return upTo(upload, upload.bytes);
  const uploaded = publishStatus.uploaded_bytes ?? upload.sent;
  if (uploaded < upload.bytes && isOver(upload, context.io.now())) return "anew";
  return upTo(upload, uploaded);
}

function photos(post: Publication<Options>, creator: Creator | null, now: number): Photos {
  return {
    step: "photos",
    request: photoRequest(post, creator),
    since: now,
    post: {
      kind: "photo",
      text: post.text,
      title: post.options.photo_title ?? null,
      public: isPublic(post.options),
      ...madeFor(creator),
    },
  };
}

export async function publish(
  post: Publication<Options>,
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  if (publishKey.step === "photos") return publishPhotos(publishKey, context);
  if (publishKey.step === "upload" && publishKey.sent < publishKey.bytes) {
    const [file] = post.media;
    if (file === undefined) throw new Error("a video is sent without its file");
    const answer = await putChunk(context, file, publishKey).catch(unreadable);
    if (answer.is === "retryable" || answer.is === "rejected") return answer;
    if (isComplete(answer, publishKey)) return processing(publishKey, context.io.now());
    if (answer.is === "silence" || !REFUSED_CHUNK.has(answer.status)) return unknown(answer, context.io.now());
  }
  return reconcileAfterRejection(publishKey, context);
}

/** 400 bad headers or length, 403 address expired, 404 unknown upload, 416 out of place: this call published nothing. */
const REFUSED_CHUNK = new Set([400, 403, 404, 416]);

/** The last chunk was not accepted: either it has already arrived, or the upload must be prepared again. */
async function reconcileAfterRejection(
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  const reconciled = await reconcile(publishKey, context);
  if (reconciled.is === "void") return { ...reconciled, is: "retryable" };
  if (reconciled.is === "retryable") return unanswered(reconciled);
  if (reconciled.is !== "not_published") return reconciled;
  return { is: "retryable", error: "network_unavailable", detail: "TikTok did not accept the last chunk of the video" };
}

const Begun = z.object({ publish_id: z.string().min(1) });

async function publishPhotos(
  { request, post, since }: Photos,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  const answer = await call(context, "post/publish/content/init/", request);
  const acceptance = readData(answer, Begun);
  if (acceptance === undefined) return readRejection(answer, context.io.now()) ?? unknown(answer, context.io.now());
  return processing({ step: "accepted", ...acceptance, since, post }, context.io.now());
}

/** Milliseconds between two status calls: short at first, then five minutes. TikTok allows 30 calls a minute. */
const POLL_MIN_MS = 2_000;
const POLL_MAX_MS = 5 * MINUTE_MS;

const Status = z.object({
  status: z.string(),
  fail_reason: z.string().optional(),
  // TikTok's spelling. Only filled for public posts, after moderation.
  publicaly_available_post_id: z.array(Id).nullish(),
  uploaded_bytes: z.int().nullish(),
});
type Status = z.output<typeof Status>;
/** The network does not know this account's `publish_id`. */
type Lost = { is: "lost"; networkMessage: string };

/** Asks for the status of a post. If TikTok refuses this call, the refusal says nothing about the post. */
export async function askStatus(
  publishId: string,
  context: ConnectorContext<Credential>,
): Promise<Status | Lost | Retryable | Unauthorized> {
  const answer = await call(context, "post/publish/status/fetch/", { publish_id: publishId });
  const status = readData(answer, Status);
  if (status !== undefined) return status;
  const error = readError(answer);
  if (error !== null && LOST_CODES.has(error.code)) return { is: "lost", networkMessage: error.message };
  const rejection = readRejection(answer, context.io.now());
  if (rejection?.is === "rejected") return { ...unavailable(answer, context.io.now()), ...reasonFor(rejection) };
  return rejection ?? unavailable(answer, context.io.now());
}

/** The id of a post that is public now; null if the post has no public id, or does not have it yet. */
export const publicId = ({ publicaly_available_post_id: ids }: Status): string | null => ids?.[0] ?? null;

type Named = Exclude<PublishKey, { step: "photos" }>;

/** A post that the network has and is processing; `askAt`: when to ask, if not at the usual time. */
function processing({ step, publish_id, post, since: before }: Named, now: number, askAt?: number): Processing {
  const since = step === "accepted" ? before : now;
  const wait = growingWaitMs(now - since, { minMs: POLL_MIN_MS, maxMs: POLL_MAX_MS });
  return { is: "processing", publishKey: { step: "accepted", publish_id, since, post }, askAt: askAt ?? now + wait };
}

/** Reconciles the post of a publish key. */
export async function reconcile(
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  if (publishKey.step === "photos") return findByText(publishKey.post, publishKey.since, context);
  const publishStatus = await askStatus(publishKey.publish_id, context);
  if ("is" in publishStatus)
    return publishStatus.is === "lost" ? findByText(publishKey.post, publishKey.since, context) : publishStatus;
  const now = context.io.now();
  switch (publishStatus.status) {
    case "SEND_TO_USER_INBOX":
      return publishKey.post.draft === true ? handedOver(publishKey) : processing(publishKey, now);
    case "PUBLISH_COMPLETE":
      // The owner of the draft has published it. Crier has nothing more to do.
      if (publishKey.post.draft === true) return handedOver(publishKey);
      return live(publishKey.publish_id, publishKey.post, publicId(publishStatus));
    case "FAILED":
      return failed(publishKey, publishStatus, now);
    case "PROCESSING_UPLOAD":
      return publishKey.step === "upload"
        ? uploading(publishKey, publishStatus.uploaded_bytes ?? null, now)
        : processing(publishKey, now);
    default:
      // Only PROCESSING_DOWNLOAD is documented besides these.
      return processing(publishKey, now);
  }
}

/** A draft in its owner's inbox. */
function handedOver({ publish_id, post }: Named): HandedOver {
  const isWithoutText = post.kind === "video" && post.text !== "";
  return {
    is: "handed_over",
    id: publish_id,
    note: `The draft is in the account's inbox: its owner can open the notification in the app and publish it there${
      isWithoutText ? ". TikTok accepts no text with a video draft, so the text must be pasted" : ""
    }`,
  };
}

/** Why a post failed. `rejected`: the failure is permanent. `void`: a new attempt may succeed. */
function classifyFailure({ fail_reason: reason = "failed without a reason" }: Status): Void | Rejected {
  const meaning = Object.hasOwn(FAIL_REASONS, reason) ? FAIL_REASONS[reason] : undefined;
  const { error, again } = meaning ?? { error: "content_refused", again: false };
  return { is: again ? "void" : "rejected", error, networkMessage: reason };
}

/**
 * A permanent failure ends a post only if TikTok is known to have accepted the post. Otherwise the failure may concern only the
 * status call. So the first such answer counts as acceptance, and the next such answer ends the post.
 */
function failed(publishKey: Named, status: Status, now: number): ReconcileOutcome {
  const failure = classifyFailure(status);
  return failure.is === "rejected" && publishKey.step === "upload" ? processing(publishKey, now, now) : failure;
}

/** The last chunk was sent, and it is unknown whether it arrived. It may be sent again while the upload address is valid. */
function uploading(upload: Upload, uploaded: number | null, now: number): ReconcileOutcome {
  if (uploaded !== null && uploaded >= upload.bytes) return processing(upload, now);
  if (!isOver(upload, now)) return NOT_PUBLISHED;
  if (uploaded === null) return { is: "unknown", detail: "TikTok does not report how much of the video it has" };
  const detail = "the upload was not complete within an hour";
  return { is: "void", error: "network_unavailable", detail };
}
