// TikTok: a video's `publish_id` is fixed before its last chunk publishes it; photos are published by the very call that
// names them, so a lost answer can only be looked for.
import * as z from "zod";
import type { Busy, Outcome, Refused, StageOutcome, Stale } from "../../domain/delivery/outcome.ts";
import { network, type Publication, type Work } from "../network.ts";
import { CALL_TIMEOUT_MS, unreadable, unsure } from "../shared/http-call.ts";
import { handedOver } from "../shared/oauth2.ts";
import { call, dataOf, refusalOf } from "./api.ts";
import { connect, consent, refresh, refreshAt } from "./auth.ts";
import { askCreator, type Creator, judge } from "./creator.ts";
import { Credential, type Photos, Token, type Upload } from "./credential.ts";
import { askStatus, failureOf, processing, resolve } from "./fate.ts";
import { look, measure } from "./published.ts";
import { isPublic, photoRequest } from "./request.ts";
import { Options, rule } from "./rule.ts";
import { CHUNK_TIMEOUT_MS, isComplete, isOver, openUpload, putChunk, sendChunks, upTo } from "./upload.ts";

/** A chunk, and a question when it was refused. */
const SEND_TIMEOUT_MS = CHUNK_TIMEOUT_MS + CALL_TIMEOUT_MS;

async function stage(
  post: Publication<Options>,
  work: Work<Credential>,
  token: Token | null,
  save: (token: Token) => Promise<void>,
): Promise<StageOutcome> {
  const [file] = post.media;
  if (file === undefined) return { is: "refused", error: "content_refused", detail: "a post needs a file" };
  // An upload of other bytes than the file has now is not gone on with: its last chunk was never sent.
  let upload = token?.step === "upload" && token.bytes === file.bytes ? await goOn(token, work) : "anew";
  if (upload === "anew") {
    const creator = await askCreator(work);
    if ("is" in creator) return creator;
    const against = judge(post, creator);
    if (against !== null) return against;
    if (file.kind === "image") return { is: "staged", token: photos(post, creator, work.wire.now()) };
    const opened = await openUpload(post, file, creator, work);
    if ("is" in opened) return opened;
    await save(opened);
    upload = opened;
  }
  if ("is" in upload) return upload;
  const sent = await sendChunks(work, file, upload, save);
  return "is" in sent ? sent : { is: "staged", token: sent };
}

/** Where an upload of an earlier hand goes on; `anew`: it is over, and nothing of it was or will be published. */
async function goOn(upload: Upload, work: Work<Credential>): Promise<Upload | "anew" | Busy | Refused | Stale> {
  const found = await askStatus(upload.publish_id, work);
  if ("is" in found) return found.is === "lost" ? "anew" : found;
  if (found.status === "FAILED") {
    const failure = failureOf(found);
    return failure.is === "dead" ? "anew" : failure;
  }
  // Anything but a video that is still going up has all its bytes: only its fate is left to ask for.
  if (found.status !== "PROCESSING_UPLOAD") return upTo(upload, upload.bytes);
  const uploaded = found.uploaded_bytes ?? upload.sent;
  if (uploaded < upload.bytes && isOver(upload, work.wire.now())) return "anew";
  return upTo(upload, uploaded);
}

function photos(post: Publication<Options>, creator: Creator, now: number): Photos {
  return {
    step: "photos",
    request: photoRequest(post, creator),
    since: now,
    post: {
      kind: "photo",
      text: post.text,
      title: post.options.photo_title ?? null,
      public: isPublic(post.options),
      username: creator.creator_username,
    },
  };
}

async function send(post: Publication<Options>, token: Token, work: Work<Credential>): Promise<Outcome> {
  if (token.step === "photos") return sendPhotos(token, work);
  if (token.step === "upload" && token.sent < token.bytes) {
    const [file] = post.media;
    if (file === undefined) throw new Error("a video is sent without its file");
    const answer = await putChunk(work, file, token).catch(unreadable);
    if (answer.is === "busy" || answer.is === "refused") return answer;
    if (isComplete(answer, token)) return processing(token, work.wire.now());
    if (answer.is === "silence" || !REFUSED_CHUNK.has(answer.status)) return unsure(answer);
  }
  return fateAfterRefusal(token, work);
}

/** 400 bad headers or length, 403 address expired, 404 unknown upload, 416 out of place: this call published nothing. */
const REFUSED_CHUNK = new Set([400, 403, 404, 416]);

/** The last chunk was not taken: then it is in already, or the upload must be made ready again. */
async function fateAfterRefusal(token: Token, work: Work<Credential>): Promise<Outcome> {
  const fate = await resolve(token, work);
  if (fate.is === "dead") return { ...fate, is: "busy" };
  if (fate.is === "busy") return { is: "unsure", detail: fate.detail };
  if (fate.is !== "absent") return fate;
  return { is: "busy", error: "network_unavailable", detail: "TikTok did not take the last part of the video" };
}

const Begun = z.object({ publish_id: z.string().min(1) });

async function sendPhotos({ request, post, since }: Photos, work: Work<Credential>): Promise<Outcome> {
  const answer = await call(work, "post/publish/content/init/", request);
  const begun = dataOf(answer, Begun);
  if (begun === undefined) return refusalOf(answer, work.wire.now()) ?? unsure(answer);
  return processing({ step: "accepted", ...begun, since, post }, work.wire.now());
}

export const tiktok = network({
  rule,
  connectInput: handedOver,
  credential: Credential,
  options: Options,
  token: Token,
  sendTimeoutMs: SEND_TIMEOUT_MS,
  // Only the last chunk of a video is ever sent again, and by then no earlier one of ours can still arrive.
  resendAfterMs: SEND_TIMEOUT_MS + 120_000,
  connect,
  consent,
  refreshAt,
  refresh,
  stage,
  send,
  resolve,
  look,
  measure,
});
