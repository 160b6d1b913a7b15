// A video from its upload to the moment it is public.
import * as z from "zod";
import type { Live, Outcome, PrepareOutcome, ReconcileOutcome, Retryable } from "../../domain/delivery/outcome.ts";
import { growingWaitMs } from "../../domain/growing-wait.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ConnectorContext, Publication } from "../network.ts";
import { post, readSuccess, WEBSITE } from "./api.ts";
import { failure, isMissing, publishFailure } from "./errors.ts";
import { failureToRead, live, liveStory, reconcileStory, resolvePostUrl } from "./reconcile.ts";
import type { Credential, Options, PublishKey, Step, VideoKind } from "./rule.ts";
import { type VideoStatus, videoStatus } from "./video-status.ts";
import { EDGES, onVideos, uploadVideo } from "./video-upload.ts";

/** Waiting is better than an unknown outcome. */
export const PUBLISH_TIMEOUT_MS = 60_000;
/** Milliseconds between two polls of a video: often at first, then every half minute. */
const POLL_MIN_MS = 1_000;
const POLL_MAX_MS = 30_000;

type Whole = Step<"video">;

/** Uploads a video and, for a story, waits until the network has all of it. */
export async function prepareVideo(
  requestedKind: VideoKind,
  { media }: Publication<Options>,
  context: ConnectorContext<Credential>,
  publishKey: PublishKey | null,
  save: (publishKey: PublishKey) => Promise<void>,
): Promise<PrepareOutcome> {
  const [file] = media;
  if (file === undefined) throw new Error("a video is published without a file");
  if (publishKey?.step === "video") return { is: "prepared", publishKey };
  const resume = publishKey?.step === "upload" ? publishKey : null;
  // A video keeps the kind with which it was begun, even if later facts about the file would choose another.
  const kind = resume?.kind ?? requestedKind;
  const uploaded = await uploadVideo(kind, file, context, resume, save);
  if (uploaded === "again") return startOver(save);
  if ("is" in uploaded) return uploaded;
  const { video_id, session_id } = uploaded.upload;
  if (kind === "story") {
    const waiting = await waitForUpload(video_id, context, save);
    if (waiting !== null) return waiting;
  }
  return { is: "prepared", publishKey: { step: "video", kind, video_id, session_id, finished: null } };
}

async function startOver(save: (publishKey: PublishKey) => Promise<void>): Promise<Retryable> {
  await save({ step: "start" });
  return { is: "retryable", error: "network_unavailable", detail: "the upload failed; the video is uploaded again" };
}

/** Returns null if the story can be published. The guide for stories requires reading the status first. */
async function waitForUpload(
  videoId: string,
  context: ConnectorContext<Credential>,
  save: (publishKey: PublishKey) => Promise<void>,
): Promise<PrepareOutcome | null> {
  const status = await videoStatus(context, videoId);
  if ("is" in status) return isMissing(status) ? startOver(save) : failure(status, context.io.now());
  if (status.publishing === "lost") return startOver(save);
  if (status.publishing === "failed") return { is: "rejected", error: "media_refused", networkMessage: status.message };
  if (status.uploaded) return null;
  const retryAt = context.io.now() + POLL_MIN_MS;
  return { is: "retryable", error: "network_unavailable", detail: "the video is being ingested", retryAt };
}

const Taken = z.object({ success: z.literal(true), post_id: z.string().min(1).optional() });

/** Publishes an uploaded video. */
export async function publishVideo(
  publication: Publication<Options>,
  publishKey: Whole,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  const answer = await finish(publication, publishKey, context);
  const result = readSuccess(answer, Taken);
  const now = context.io.now();
  if (result === undefined) return publishFailure(answer, now);
  if (publishKey.kind === "story" && result.post_id !== undefined) return liveStory(result.post_id, context);
  return { is: "processing", publishKey: { ...publishKey, finished: now }, askAt: now + POLL_MIN_MS };
}

function finish({ text, options }: Publication<Options>, publishKey: Whole, context: ConnectorContext<Credential>) {
  const { credential, io } = context;
  const { kind, video_id } = publishKey;
  const texts = {
    ...(text === "" ? {} : { description: text }),
    ...(options.title === undefined ? {} : { title: options.title }),
  };
  if (kind === "video") {
    const session = { upload_phase: "finish", upload_session_id: publishKey.session_id ?? "" };
    return onVideos(context, { ...session, ...texts, published: "true" }, PUBLISH_TIMEOUT_MS);
  }
  const ending = { upload_phase: "finish", video_id };
  const body: JsonObject = kind === "reel" ? { ...ending, video_state: "PUBLISHED", ...texts } : ending;
  return post(io, credential.page_token, `/${credential.page_id}/${EDGES[kind]}`, body, PUBLISH_TIMEOUT_MS);
}

/** Reconciles a video, by its id. */
export async function reconcileVideo(
  publishKey: Whole,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  const status = await videoStatus(context, publishKey.video_id);
  const now = context.io.now();
  if ("is" in status) {
    if (!isMissing(status)) return failureToRead(status, now);
    return { is: "unknown", detail: "the network no longer knows the video" };
  }
  const since = publishKey.finished ?? now;
  const wait = growingWaitMs(now - since, { minMs: POLL_MIN_MS, maxMs: POLL_MAX_MS });
  const goingOn: ReconcileOutcome = {
    is: "processing",
    publishKey: { ...publishKey, finished: since },
    askAt: now + wait,
  };
  switch (status.publishing) {
    case "published":
      return publishKey.kind === "story"
        ? resolveStory(publishKey, status, context)
        : liveVideo(publishKey, status, context);
    case "publishing":
      return goingOn;
    case "waiting":
      return publishKey.finished === null ? { is: "not_published" } : goingOn;
    case "lost":
      return { is: "void", error: "network_unavailable", networkMessage: status.message };
    case "draft":
      // A reel that was not published yet may be called a draft too.
      if (publishKey.finished === null && publishKey.kind !== "video") return { is: "not_published" };
      return publishKey.finished === null ? goingOn : { is: "rejected", error: "media_refused", detail: DRAFT };
    case "failed":
      // Published or not, the video will never go live: it counts as processing now, and the next question finds it refused.
      if (publishKey.finished === null) return goingOn;
      return { is: "rejected", error: "media_refused", networkMessage: status.message };
  }
}

/** postiz-app, pull request 1740. */
const DRAFT =
  "Facebook kept the video as the draft of a reel and did not publish it; set `video_as` to `reel`, or publish the draft on Facebook";

function resolveStory(
  publishKey: Whole,
  { postId }: VideoStatus,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  return postId === null ? reconcileStory(publishKey.video_id, context) : liveStory(postId, context);
}

function liveVideo(publishKey: Whole, { postId, permalink }: VideoStatus, context: ConnectorContext<Credential>): Live {
  const id = toPostId(postId ?? publishKey.video_id, context);
  const defaultUrl =
    publishKey.kind === "reel" ? `${WEBSITE}/reel/${publishKey.video_id}` : resolvePostUrl(id, undefined);
  return live(id, permalink ?? defaultUrl);
}

/** A post is named by its Page and its number; the video's number is used if the post's is not given. */
const toPostId = (id: string, { credential }: ConnectorContext<Credential>) =>
  id.includes("_") ? id : `${credential.page_id}_${id}`;
