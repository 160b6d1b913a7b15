// A resumable session is made durable before its first byte, and its last chunk publishes the video, which is then processed
// until it can be watched.
import * as z from "zod";
import type { Commented, Outcome, PrepareOutcome, ReconcileOutcome, Retryable } from "../../domain/delivery/outcome.ts";
import type { MediaFile } from "../media-file.ts";
import { type ConnectorContext, type FirstComment, NOT_PUBLISHED, type Publication } from "../network.ts";
import { readResult, unknown, unreadable } from "../shared/http-call.ts";
import { API, call } from "./api.ts";
import { harmless, naming, notMade, readRejection, says } from "./errors.ts";
import type { Credential, Options, PublishKey } from "./rule.ts";
import { probe, put, putAllButLast, start, type Upload } from "./upload.ts";
import { processed, uploaded } from "./video.ts";

function requireFile({ media: [file] }: Publication<Options>): MediaFile {
  if (file === undefined) throw new Error("a video is published without its file");
  return file;
}

function requireUpload(publishKey: PublishKey): Upload {
  if (publishKey.step !== "upload") throw new Error("a video is sent before it has a session");
  return publishKey;
}

export async function prepare(
  post: Publication<Options>,
  context: ConnectorContext<Credential>,
  publishKey: PublishKey | null,
  save: (publishKey: PublishKey) => Promise<void>,
): Promise<PrepareOutcome> {
  const file = requireFile(post);
  let upload = publishKey?.step === "upload" ? await resumed(publishKey, context) : null;
  if (upload === null) {
    upload = await start(context, post, file);
    if ("is" in upload) return upload;
    await save(upload);
  }
  if ("is" in upload) return naming(file.id, upload);
  const result = await putAllButLast(context, upload, file, save);
  if (result === "again") {
    await save({ step: "start" });
    return lost("the upload session is gone; the video is uploaded again");
  }
  return "is" in result ? result : { is: "prepared", publishKey: result };
}

/** The current state of a session; null if it is gone: its last chunk was never sent, so a new one may begin. */
async function resumed(upload: Upload, context: ConnectorContext<Credential>) {
  const progress = await probe(context, upload);
  switch (progress.is) {
    case "received":
      return { ...upload, received: progress.bytes };
    case "complete":
      return { ...upload, received: upload.bytes };
    case "gone":
      return null;
    case "other":
      return harmless(progress.answer, context.io.now());
  }
}

function lost(detail: string): Retryable {
  return { is: "retryable", error: "network_unavailable", detail };
}

/**
 * Sends the missing bytes of the session. The session is asked first: it may have more or fewer bytes than at its last
 * answer.
 */
export async function publish(
  post: Publication<Options>,
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  const upload = requireUpload(publishKey);
  const file = requireFile(post);
  const { now } = context.io;
  const before = await probe(context, upload);
  if (before.is === "complete") return uploaded(before.video, upload, now());
  // None of these answers published anything.
  if (before.is === "gone") return lost("the upload session is gone");
  if (before.is === "other") return naming(file.id, harmless(before.answer, now()));
  if (before.bytes === upload.bytes)
    return { is: "unknown", detail: "the session has received every byte but has no video yet" };
  const after = await put(context, upload, file, before.bytes, upload.bytes - before.bytes).catch(unreadable);
  switch (after.is) {
    case "complete":
      return uploaded(after.video, upload, now());
    case "received":
      return lost("the upload session did not accept the last bytes");
    case "gone":
      return { is: "unknown", detail: "the upload session was gone after the last bytes" };
    case "other":
      return naming(file.id, notMade(after.answer, now()));
    default:
      return after;
  }
}

export async function reconcile(
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  if (publishKey.step === "video") return processed(publishKey, context);
  const upload = requireUpload(publishKey);
  const progress = await probe(context, upload);
  switch (progress.is) {
    case "complete":
      return uploaded(progress.video, upload, context.io.now());
    case "received":
      return NOT_PUBLISHED;
    case "gone":
      return { is: "unknown", detail: "the upload session is gone and may have created a video" };
    case "other": {
      const rejection = readRejection(progress.answer, context.io.now());
      return rejection === null || rejection.is === "rejected" ? unknown(progress.answer, context.io.now()) : rejection;
    }
  }
}

/**
 * The first comment under a video: commentThreads.insert, 50 units a call, discovery revision 20260427. The call
 * needs the same scope as a takedown: MANAGE in rule.ts.
 */
export const firstComment: FirstComment<Credential, PublishKey> = {
  async publish({ id: videoId }, textOriginal, _ready, context): Promise<Commented> {
    const answer = await call(context, `${API}/commentThreads?part=snippet`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ snippet: { videoId, topLevelComment: { snippet: { textOriginal } } } }),
    });
    if (readResult(answer, z.object({ id: z.string().min(1) })) !== undefined) return { is: "commented" };
    if (says(answer, "videoNotFound"))
      return { is: "rejected", error: "content_refused", detail: "YouTube does not know this video." };
    return notMade(answer, context.io.now());
  },
};
