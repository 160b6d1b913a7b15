// Instagram and Threads publish in two steps: Crier creates an invisible container, and then publishes it at most once.
// This file has the differences between the two networks, the publish key that names the container, and the calls with
// their errors.
import * as z from "zod";
import {
  type Reason,
  type Rejected,
  type Retryable,
  reasonFor,
  type Unauthorized,
  type Unknown,
} from "../../../domain/delivery/outcome.ts";
import { MINUTE_MS } from "../../../domain/limits.ts";
import type { ConnectorContext, NetworkIO } from "../../network.ts";
import { type Meaning, toOutcome } from "../error-catalogue.ts";
import { type Answer, ask, CALL_TIMEOUT_MS, retryAt, unavailable, unknown } from "../http-call.ts";
import { findMeaning, type GraphEntry, type GraphError, readGraphError, regainAt, VERSION_ERRORS } from "./graph.ts";
import type { MetaCredential } from "./login.ts";

/**
 * A failure that a retry may overcome. `waitsMs`: the wait before each retry. `atLast`: the meaning of the failure once
 * all retries are used up.
 */
export interface Again {
  is: "again";
  waitsMs: readonly number[];
  atLast: Meaning;
}
export type ContainerMeaning = Meaning | Again;

/** The differences between networks with containers. */
export interface ContainerNetwork {
  /** Host and version, without a slash at the end. */
  api(io: NetworkIO, credential: MetaCredential): string;
  /** The last segment of each path under the account. `posts` both creates containers and lists the published posts. */
  paths: { posts: string; publish: string; quota: string };
  /** The names of the container's fields that hold its state and its problem. */
  state: { status: string; problem: string };
  /** The name of the published post's field that holds its text. */
  text: string;
  /** A character that the network may omit when it returns a post's text, so comparisons ignore it. */
  hiddenSign: string;
  /** How long to wait, in milliseconds, between the first report that a container is ready and publishing it. */
  readyDelayMs: number;
  /** The meaning of errors, separately for calls that cannot publish anything and for the one call that publishes. */
  errors: { harmless: readonly GraphEntry<ContainerMeaning>[]; publish: readonly GraphEntry<ContainerMeaning>[] };
  /** The meaning of a failed container's problem. */
  problem(text: string): ContainerMeaning;
}

/** The fields of a request. Undefined fields are not sent. */
export type Fields = Record<string, string | undefined>;

/** The containers that a post needs: one for each file of a carousel, in order, and `whole`, which is published. */
export interface Plan {
  /** The id of the post that this post replies to, on networks that have threads. */
  replyTo?: string;
  files: Fields[];
  whole(fileContainers: string[]): Fields;
}

const failed = z.number();
export const ContainerKey = z.discriminatedUnion("step", [
  /** There is no container yet, or the previous one was abandoned. `failed`: how many containers have failed. */
  z.object({ step: z.literal("start"), failed }),
  /**
   * The containers of a carousel's files, of which the first `done` are ready. `since`: when the newest was created
   * (epoch milliseconds).
   */
  z.object({ step: z.literal("files"), ids: z.array(z.string()), done: z.number(), since: z.number(), failed }),
  /** The container of the post, which the network is processing. */
  z.object({ step: z.literal("whole"), id: z.string(), since: z.number(), failed }),
  z.object({
    step: z.literal("ready"),
    /** The only container that is published. */
    id: z.string(),
    /** When it was last found ready, in epoch milliseconds. The published post cannot be older than that. */
    at: z.number(),
    /** How many times it was submitted for publishing: more than once if the network postponed it. */
    tries: z.number(),
    /** Finds the post in the account's own list, in case the network never reports its id. */
    text: z.string(),
    post_type: z.string(),
    /** The ids of the newest posts that were already listed before this one is published. */
    known: z.array(z.string()),
    /** The post that a thread part replies to: the part is listed among the replies to it. */
    reply_to: z.string().optional(),
    /** When the network itself ends the post, in epoch milliseconds; absent: never. */
    ends_at: z.number().optional(),
  }),
]);
export type ContainerKey = z.output<typeof ContainerKey>;
export type Ready = Extract<ContainerKey, { step: "ready" }>;

/** The container to publish. */
export function requireReady(publishKey: ContainerKey): Ready {
  if (publishKey.step !== "ready") throw new Error("a post is sent before its container is ready");
  return publishKey;
}

/** The path of the list that has the post: the account's own posts, or the replies to another post. */
export const listPath = (
  { paths }: ContainerNetwork,
  replyTo: string | undefined,
  { credential }: ConnectorContext<MetaCredential>,
): string => (replyTo === undefined ? `/${credential.user_id}/${paths.posts}` : `/${replyTo}/replies`);

/** Reads from the API; `path` begins with a slash. */
export function read(
  { api }: ContainerNetwork,
  context: ConnectorContext<MetaCredential>,
  path: string,
  fields: Fields,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  const query = parameters({ ...fields, access_token: context.credential.access_token });
  return ask(
    (signal) => context.io.fetch(`${api(context.io, context.credential)}${path}?${query}`, { signal }),
    timeoutMs,
  );
}

/** Posts a form to a path under the account. */
export function write(
  network: ContainerNetwork,
  context: ConnectorContext<MetaCredential>,
  path: string,
  fields: Fields,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  return writeAt(network, context, `/${context.credential.user_id}/${path}`, fields, timeoutMs);
}

/** Posts a form to the API, with the token in the body rather than the URL. `path` begins with a slash. */
export function writeAt(
  { api }: ContainerNetwork,
  context: ConnectorContext<MetaCredential>,
  path: string,
  fields: Fields,
  timeoutMs: number,
): Promise<Answer> {
  const { access_token } = context.credential;
  const init = {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: parameters({ ...fields, access_token }).toString(),
  };
  return ask(
    (signal) => context.io.fetch(`${api(context.io, context.credential)}${path}`, { ...init, signal }),
    timeoutMs,
  );
}

function parameters(fields: Fields): URLSearchParams {
  const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(present);
}

/** The body of a success; undefined for anything else. */
export function readBody<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> | undefined {
  return answer.is === "answer" && answer.status === 200 ? schema.safeParse(answer.body).data : undefined;
}

/** The error of an answer. Meta repeats a token that it cannot read, so the token is removed from the message. */
export function readError(answer: Answer, context: ConnectorContext<MetaCredential>): GraphError | null {
  const error = readGraphError(answer);
  if (error === null) return null;
  const message = error.message.replaceAll(context.credential.access_token, "…");
  return { ...error, message };
}

/** Stands in for an answer when no call was made. */
export const NO_ANSWER: Answer = { is: "silence", detail: "" };

/** The outcome of a documented error. If the network's headers name a time, it takes precedence over our own wait. */
export function outcome(
  meaning: Meaning,
  reason: Reason,
  answer: Answer,
  now: number,
): Retryable | Rejected | Unauthorized | Unknown {
  return toOutcome(meaning, reason, now, namedWait(answer, now));
}

/**
 * Continues at `retryAt`. If the network asked for a pause, no call is made for the account before `notBefore`, when the
 * pause ends (both in epoch milliseconds).
 */
export const preparing = (reason: Reason, retryAt: number, notBefore?: number): Retryable => ({
  is: "retryable",
  error: "network_unavailable",
  ...reason,
  retryAt,
  ...(notBefore === undefined ? {} : { notBefore }),
});

/** The end of the pause that the network's headers ask for, in epoch milliseconds. */
export const namedWait = (answer: Answer, now: number): number | undefined =>
  answer.is === "answer" ? (regainAt(answer.headers, now) ?? retryAt(answer.headers, now)) : undefined;

const saidBy = ({ message }: GraphError): Reason => ({ networkMessage: message });

/** Classifies an unsuccessful answer to a call that publishes nothing. `reason` holds the network's message. */
export function harmless(
  network: ContainerNetwork,
  answer: Answer,
  context: ConnectorContext<MetaCredential>,
): { meaning: ContainerMeaning; reason: Reason } {
  const error = readError(answer, context);
  if (answer.is === "answer" && answer.status === 429) {
    return { meaning: QUOTA, reason: error === null ? { detail: "HTTP 429" } : saidBy(error) };
  }
  const knownMeaning = error === null ? undefined : findMeaning(error, network.errors.harmless);
  if (error !== null && knownMeaning !== undefined) return { meaning: knownMeaning, reason: saidBy(error) };
  const refused = error !== null && !error.transient && answer.is === "answer" && answer.status < 500;
  if (refused) return { meaning: { is: "rejected", error: "content_refused" }, reason: saidBy(error) };
  return {
    meaning: { is: "retryable", error: "network_unavailable" },
    reason: error === null ? reasonFor(unavailable(answer, context.io.now())) : saidBy(error),
  };
}

/**
 * Classifies an unsuccessful answer to the publishing call. The post may have been published, unless the error is documented
 * as a refusal.
 */
export function published(
  network: ContainerNetwork,
  answer: Answer,
  context: ConnectorContext<MetaCredential>,
): { meaning: ContainerMeaning; reason: Reason } {
  const error = readError(answer, context);
  const reason = error === null ? reasonFor(unknown(answer, context.io.now())) : saidBy(error);
  if (answer.is === "silence" || answer.status >= 500) return { meaning: { is: "unknown" }, reason };
  if (answer.status === 429) return { meaning: QUOTA, reason };
  const knownMeaning = error === null ? undefined : findMeaning(error, network.errors.publish);
  return { meaning: knownMeaning ?? { is: "unknown" }, reason };
}

/** Our own waits, in case the network names no time: for the quota of calls, and for the daily quota of posts. */
const QUOTA_WAIT_MS = 15 * MINUTE_MS;
const DAY_QUOTA_WAIT_MS = 60 * MINUTE_MS;

const QUOTA: Meaning = { is: "retryable", error: "network_quota", waitMs: QUOTA_WAIT_MS };
export const DAY_QUOTA: Meaning = { is: "retryable", error: "network_quota", waitMs: DAY_QUOTA_WAIT_MS, isOfDay: true };
export const UNAVAILABLE: Meaning = { is: "retryable", error: "network_unavailable" };
export const MEDIA_REFUSED: Meaning = { is: "rejected", error: "media_refused" };
export const CONTENT_REFUSED: Meaning = { is: "rejected", error: "content_refused" };
export const PERMISSION_MISSING: Meaning = { is: "rejected", error: "permission_missing" };

/**
 * The meaning of Graph API codes on all networks: developers.facebook.com/docs/graph-api/guides/error-handling and
 * overview/rate-limiting, read 2026-11-20. Codes 1 and 2 (problems at Meta) are in each network's own list.
 */
export const PLATFORM_ERRORS: readonly GraphEntry<ContainerMeaning>[] = [
  ...[4, 17, 32, 613].map((code) => ({ code, means: QUOTA })),
  ...[190, 102].map((code) => ({ code, means: { is: "unauthorized" } as const })),
  ...[3, 10, [200, 299] as const].map((code) => ({ code, means: PERMISSION_MISSING })),
  ...VERSION_ERRORS,
];
