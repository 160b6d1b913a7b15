// Publishes a ready container: the one irrevocable call, and its reconciliation if it had no answer.
import * as z from "zod";
import type { Live, Outcome, ReconcileOutcome, Retryable, Unauthorized } from "../../../domain/delivery/outcome.ts";
import { type ConnectorContext, NOT_PUBLISHED } from "../../network.ts";
import { type Answer, unanswered, unknown } from "../http-call.ts";
import {
  type ContainerKey,
  type ContainerNetwork,
  harmless,
  listPath,
  namedWait,
  outcome,
  preparing,
  published,
  type Ready,
  read,
  readBody,
  requireReady,
  write,
} from "./container.ts";
import { askedToWait, type ContainerState, containerState, Id, notDone } from "./container-state.ts";
import type { MetaCredential } from "./login.ts";

/** Meta may take a long time to publish, and waiting is better than an unknown outcome. */
export const PUBLISH_CALL_TIMEOUT_MS = 60_000;
/** The time limit of reads after a publish, whose results are optional. */
const AFTER_TIMEOUT_MS = 10_000;
export const PUBLISH_TIMEOUT_MS = PUBLISH_CALL_TIMEOUT_MS + 2 * AFTER_TIMEOUT_MS;
/** The time limit of a publish plus two minutes: by then no earlier call of ours can still arrive. */
export const REPUBLISH_AFTER_MS = PUBLISH_CALL_TIMEOUT_MS + 120_000;

/** How far the network's clock may be behind ours, in milliseconds. Our own value. */
const CLOCK_SKEW_MS = 60_000;
/** A container that is not published within a day expires: threads/troubleshooting, read 2026-11-20. */
const CONTAINER_LIFE_MS = 24 * 3_600_000;
/** How many of the newest posts are searched for the post that we published. */
const LISTED_MAX = 50;
/** Marks an id as that of the container, because the network has not reported the post's own id. */
export const BY_CONTAINER = "container:";

/** Publishes the container. A refusal is not believed if the container reports that it is published. */
export async function publishContainer(
  network: ContainerNetwork,
  publishKey: ContainerKey,
  context: ConnectorContext<MetaCredential>,
): Promise<Outcome> {
  const ready = requireReady(publishKey);
  const answer = await write(
    network,
    context,
    network.paths.publish,
    { creation_id: ready.id },
    PUBLISH_CALL_TIMEOUT_MS,
  );
  const id = readBody(answer, Id)?.id;
  if (id !== undefined) return live(network, id, context);
  const { meaning, reason } = published(network, answer, context);
  const now = context.io.now();
  if (meaning.is === "unauthorized") return { is: "unauthorized", ...reason };
  if (meaning.is === "unknown") return { ...unknown(answer, now), ...reason };
  const notBefore = namedWait(answer, now);
  // While the network asks for a pause, it is not called. A rate limit says nothing about the container anyway.
  const mustWait = notBefore !== undefined && (meaning.is === "retryable" || meaning.is === "again");
  // Publishing the same container twice may be answered with any refusal (undocumented), so check whether it is published.
  if (!mustWait) {
    const state = await containerState(network, ready.id, context, AFTER_TIMEOUT_MS);
    if (isPublished(state)) return find(network, ready, context);
  }
  if (meaning.is !== "again") return outcome(meaning, reason, answer, now);
  const wait = meaning.waitsMs[ready.tries - 1];
  if (wait === undefined) return outcome(meaning.atLast, reason, answer, now);
  return preparing(reason, now + wait, notBefore);
}

const isPublished = (state: ContainerState) => state.is === "answered" && state.status === "PUBLISHED";

/** Reads from the container whether it was published. With `ERROR` and `EXPIRED`, it never will be. */
export async function reconcileContainer(
  network: ContainerNetwork,
  publishKey: ContainerKey,
  context: ConnectorContext<MetaCredential>,
): Promise<ReconcileOutcome> {
  const ready = requireReady(publishKey);
  const state = await containerState(network, ready.id, context);
  if (state.is === "unread") {
    const failed = notDone(state, context);
    return failed.is === "unauthorized" ? failed : unanswered(failed);
  }
  switch (state.status) {
    case "PUBLISHED":
      return find(network, ready, context);
    case "FINISHED":
      return NOT_PUBLISHED;
    case "ERROR":
    case "EXPIRED":
      return { is: "void", error: "network_unavailable", ...state.reason };
    default:
      return { is: "unknown", detail: `the container is ${state.status}` };
  }
}

export const Permalink = z.object({ permalink: z.string().optional() });

async function live(network: ContainerNetwork, id: string, context: ConnectorContext<MetaCredential>): Promise<Live> {
  const answer = await read(network, context, `/${id}`, { fields: "id,permalink" }, AFTER_TIMEOUT_MS);
  const permalink = readBody(answer, Permalink)?.permalink;
  return { ...liveAt(id, permalink), ...(permalink === undefined ? waitIn(answer, context) : {}) };
}

const liveAt = (id: string, url: string | undefined): Live =>
  url === undefined ? { is: "live", id, url: null, urlState: "pending" } : { is: "live", id, url, urlState: "none" };

/** The pause that the network asks for in an answer that should have described a published post. */
function waitIn(answer: Answer, { io }: ConnectorContext<MetaCredential>): Pick<Live, "notBefore"> {
  const notBefore = namedWait(answer, io.now());
  return notBefore === undefined ? {} : { notBefore };
}

/**
 * Finds a published post whose id the network has not reported. No API call returns the post of a container, so the
 * account's own list is searched. If several posts match, none is assumed to be the post.
 */
async function find(network: ContainerNetwork, ready: Ready, context: ConnectorContext<MetaCredential>): Promise<Live> {
  const searchResult = await findListed(network, ready, context);
  if (searchResult.is === "found") return liveAt(searchResult.id, searchResult.permalink);
  const id = `${BY_CONTAINER}${ready.id}`;
  const wait = searchResult.is === "unread" ? waitIn(searchResult.answer, context) : {};
  return { is: "live", id, url: null, urlState: searchResult.is === "alike" ? "not_reported" : "pending", ...wait };
}

type Listed =
  | { is: "found"; id: string; permalink: string | undefined }
  | { is: "alike" }
  | { is: "not_there" }
  | { is: "unread"; answer: Answer };

/** The one post with exactly this text that appeared after the container was ready. Without a text, any post could match. */
export async function findListed(
  network: ContainerNetwork,
  ready: Ready,
  context: ConnectorContext<MetaCredential>,
): Promise<Listed> {
  if (ready.text === "") return { is: "alike" };
  const { text } = network;
  const Posts = z.object({
    data: z.array(z.looseObject({ id: z.string(), timestamp: z.string(), ...Permalink.shape })),
  });
  const fields = { fields: `id,permalink,timestamp,${text}`, limit: String(LISTED_MAX) };
  const answer = await read(network, context, listPath(network, ready.reply_to, context), fields, AFTER_TIMEOUT_MS);
  const inTime = (postedAt: number) => postedAt >= ready.at - CLOCK_SKEW_MS && postedAt <= ready.at + CONTAINER_LIFE_MS;
  const posts = readBody(answer, Posts)?.data;
  if (posts === undefined) return { is: "unread", answer };
  const candidates = posts.filter(
    (post) => post[text] === ready.text && inTime(Date.parse(post.timestamp)) && !ready.known.includes(post.id),
  );
  const [only, ...otherCandidates] = candidates;
  if (only === undefined) return { is: "not_there" };
  return otherCandidates.length > 0 ? { is: "alike" } : { is: "found", id: only.id, permalink: only.permalink };
}

/**
 * Returns the network's own id of a post. If the network never reported the id, the post is searched for: the result is null
 * if it is not found, and a failure if it cannot be searched for now.
 */
export async function knownId(
  network: ContainerNetwork,
  { id, publishKey }: { id: string; publishKey: ContainerKey | null },
  context: ConnectorContext<MetaCredential>,
): Promise<string | Retryable | Unauthorized | null> {
  if (!id.startsWith(BY_CONTAINER)) return id;
  const searchResult = publishKey?.step === "ready" ? await findListed(network, publishKey, context) : null;
  if (searchResult?.is === "unread") {
    const { answer } = searchResult;
    const failed = notDone({ ...harmless(network, answer, context), answer }, context);
    return failed.is === "unauthorized" ? failed : askedToWait(network, answer, context);
  }
  return searchResult?.is === "found" ? searchResult.id : null;
}
