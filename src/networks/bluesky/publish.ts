// A post is a record. Its key and exact content are fixed before it is written, so that writing it twice has the effect of
// one write, and reading the key shows the result.
import * as z from "zod";
import type {
  NotPublished,
  Outcome,
  PrepareOutcome,
  ReconcileOutcome,
  Retryable,
  Unauthorized,
  Unknown,
} from "../../domain/delivery/outcome.ts";
import { canonicalJson, type JsonObject } from "../../domain/json.ts";
import { type ConnectorContext, NOT_PUBLISHED, type Publication } from "../network.ts";
import { CALL_TIMEOUT_MS, unknown, unreadable } from "../shared/http-call.ts";
import { errorName, json, onPds } from "./api.ts";
import type { Credential } from "./credential.ts";
import { readRejection, writeRejection } from "./errors.ts";
import { buildGates } from "./gates.ts";
import { buildRecord, type Failure, isFailure, makeTid, uploadBlob, uploadImages } from "./record.ts";
import type { Options, PublishKey } from "./rule.ts";
import { videoBlob } from "./video.ts";
import { uploadWhole } from "./video-upload.ts";

export const COLLECTION = "app.bsky.feed.post";
type Ready = Extract<PublishKey, { step: "ready" }>;

/** The live post. Its permanent address names the account by DID, because handles change. */
export function live(did: string, rkey: string): Outcome & { is: "live" } {
  const url = `https://bsky.app/profile/${did}/post/${rkey}`;
  return { is: "live", id: buildUri(did, rkey), url, urlState: "none" };
}

export async function prepare(
  post: Publication<Options>,
  context: ConnectorContext<Credential>,
  publishKey: PublishKey | null,
  save: (publishKey: PublishKey) => Promise<void>,
): Promise<PrepareOutcome> {
  if (publishKey?.step === "ready") return { is: "prepared", publishKey };
  const [file] = post.media;
  let blobs: JsonObject[] | Failure = [];
  if (file?.kind === "image") {
    const uploaded = publishKey?.step === "images" ? publishKey.blobs : [];
    blobs = await uploadImages(context, post.media, uploaded, (blobs) => save({ step: "images", blobs }));
    if ("is" in blobs) return blobs;
  } else if (file?.kind === "video") {
    let job = publishKey?.step === "video" ? publishKey : null;
    if (job === null) {
      const uploaded = await uploadWhole(context, file, publishKey?.step === "chunks" ? publishKey : null, save);
      if (uploaded === "again") return startOver(save);
      if ("is" in uploaded) return uploaded;
      job = { step: "video", job_id: uploaded.jobId, since: context.io.now() };
      await save(job);
    }
    const video = await videoBlob(context, job.job_id, job.since);
    if (video === "again") return startOver(save);
    if ("is" in video) return video;
    blobs = [video.blob];
  }
  const reply = await buildReply(post, context);
  if (isFailure(reply)) return reply;
  const record = await buildRecord(context, post.replyTo === undefined ? post : asThreadPart(post), blobs);
  if (isFailure(record)) return record;
  const rkey = makeTid(context.io.now(), context.io.random(3));
  // The rules for replies and quotes belong to the first post of a thread, and apply to the whole thread.
  const isFirst = post.replyTo === undefined;
  const gates = isFirst ? await buildGates(post.options, buildUri(context.credential.did, rkey), context) : [];
  if ("is" in gates) return gates;
  const ready: Ready = { step: "ready", rkey, record: { ...record, ...reply } };
  return { is: "prepared", publishKey: gates.length === 0 ? ready : { ...ready, gates } };
}

const buildUri = (did: string, rkey: string): string => `at://${did}/${COLLECTION}/${rkey}`;

/** Only the first post of a thread has tags, a quote and a card from the caller. */
const asThreadPart = (post: Publication<Options>): Publication<Options> => {
  const { link_card: card, langs, labels } = post.options;
  const options = { langs, labels, link_card: typeof card === "object" ? ("auto" as const) : card };
  return { ...post, options: { ...options, quote_rules: "everybody" } };
};

/**
 * The member of a record that makes it a reply, with the address and content id of the thread's first post and of the parent.
 */
async function buildReply(
  { replyTo }: Publication<Options>,
  context: ConnectorContext<Credential>,
): Promise<JsonObject | Failure> {
  if (replyTo === undefined) return {};
  const ends: Record<string, JsonObject> = {};
  for (const [end, { id }] of [["root", replyTo.root] as const, ["parent", replyTo.parent] as const]) {
    const readOutcome = await read(parseRecordKey(id), context);
    if (readOutcome.is === "not_published")
      return { is: "rejected", error: "content_refused", detail: "the previous part no longer exists" };
    if (readOutcome.is === "unknown") return { ...readOutcome, is: "retryable", error: "network_unavailable" };
    if (readOutcome.is !== "found") return readOutcome;
    ends[end] = { uri: id, cid: readOutcome.cid };
  }
  return { reply: ends };
}

/** The key of a record from its address. */
export const parseRecordKey = (uri: string): string => uri.slice(uri.lastIndexOf("/") + 1);

async function startOver(save: (publishKey: PublishKey) => Promise<void>): Promise<Retryable> {
  await save({ step: "start" });
  return {
    is: "retryable",
    error: "network_unavailable",
    detail: "the video service failed; the video is uploaded again",
  };
}

function requireReady(publishKey: PublishKey): Ready {
  if (publishKey.step !== "ready") throw new Error("a post is sent before its record is fixed");
  return publishKey;
}

/**
 * Writes the post: alone under its key, which must be free, or in one commit with its gates. A commit that would create a record
 * under a used key is refused as a whole (atproto packages/pds and packages/repo, read 2026-11-27).
 */
function put({ rkey, record, gates = [] }: Ready, context: ConnectorContext<Credential>) {
  if (gates.length > 0) {
    const writes = [{ collection: COLLECTION, record }, ...gates].map(({ collection, record: value }) => ({
      $type: "com.atproto.repo.applyWrites#create",
      ...{ collection, rkey, value },
    }));
    const batch = { repo: context.credential.did, validate: true, writes };
    return onPds(context, "com.atproto.repo.applyWrites", json(batch), CALL_TIMEOUT_MS);
  }
  const body = { repo: context.credential.did, collection: COLLECTION, rkey, record, validate: true, swapRecord: null };
  return onPds(context, "com.atproto.repo.putRecord", json(body), CALL_TIMEOUT_MS);
}

const Written = z.object({ uri: z.string() });
/** The answer to a commit: a result for each record, that of the post first. */
const Committed = z
  .object({ results: z.tuple([Written], z.unknown()) })
  .transform(({ results: [first] }): z.output<typeof Written> => first);

export async function publish(
  post: Publication<Options>,
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  const ready = requireReady(publishKey);
  let answer = await put(ready, context);
  if (errorName(answer) === "BlobNotFound") {
    // Unreferenced blobs are deleted after a while; the same bytes get the same reference again. A video's blob is made by
    // the video service, not from these bytes.
    const captions = (post.captions ?? []).map(({ file }) => file);
    for (const file of [...post.media.filter(({ kind }) => kind === "image"), ...captions]) {
      const blob = await uploadBlob(context, file).catch(unreadable);
      if (isFailure(blob)) return blob;
    }
    answer = await put(ready, context);
  }
  const { did } = context.credential;
  const readWritten = (body: unknown) => (ready.gates === undefined ? Written : Committed).safeParse(body).data;
  // A 200 that does not name our record is not the server's answer: it may come from a proxy.
  const uri = answer.is === "answer" && answer.status === 200 ? readWritten(answer.body)?.uri : undefined;
  if (uri?.endsWith(`/${ready.rkey}`)) return live(did, ready.rkey);
  const isTaken = errorName(answer) === "InvalidSwap";
  if (isTaken || ready.gates !== undefined) {
    // The key is taken, or may be: the refusal of a commit does not say so. If it holds this very record, an earlier try of ours
    // succeeded.
    const readOutcome = await read(ready.rkey, context);
    if (readOutcome.is === "found")
      return canonicalJson(readOutcome.record) === canonicalJson(ready.record)
        ? live(did, ready.rkey)
        : { is: "rejected", error: "content_refused", detail: "another record has this key" };
    if (isTaken) return { is: "unknown", detail: "the record key is in use, and its record cannot be read" };
  }
  return writeRejection(answer, context.io.now()) ?? unknown(answer, context.io.now());
}

const Found = z.object({ cid: z.string().default(""), value: z.record(z.string(), z.json()) });

/** Reads the record under a key; `not_published` only if the account's server says that it does not exist. */
export async function read(
  rkey: string,
  context: ConnectorContext<Credential>,
): Promise<{ is: "found"; record: JsonObject; cid: string } | NotPublished | Unauthorized | Retryable | Unknown> {
  const query = new URLSearchParams({ repo: context.credential.did, collection: COLLECTION, rkey });
  const answer = await onPds(context, `com.atproto.repo.getRecord?${query}`);
  if (errorName(answer) === "RecordNotFound") return NOT_PUBLISHED;
  const foundRecord = answer.is === "answer" && answer.status === 200 ? Found.safeParse(answer.body).data : undefined;
  if (foundRecord !== undefined) return { is: "found", record: { ...foundRecord.value }, cid: foundRecord.cid };
  const rejection = readRejection(answer, context.io.now());
  // The call needs no token, but a server may refuse one that has expired.
  return rejection === null || rejection.is === "rejected" ? unknown(answer, context.io.now()) : rejection;
}

export async function reconcile(
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  const { rkey } = requireReady(publishKey);
  const readOutcome = await read(rkey, context);
  return readOutcome.is === "found" ? live(context.credential.did, rkey) : readOutcome;
}
