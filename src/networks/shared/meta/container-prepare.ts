// Prepares a post: creates its containers, and polls them until the network has processed them. None of this can publish
// anything: an unpublished container is invisible and expires after a day.
import * as z from "zod";
import type { PrepareOutcome, Reason, Retryable } from "../../../domain/delivery/outcome.ts";
import { growingWaitMs } from "../../../domain/growing-wait.ts";
import type { ConnectorContext, Publication } from "../../network.ts";
import type { Meaning } from "../error-catalogue.ts";
import { reasonOfFile } from "../file-reason.ts";
import type { Answer } from "../http-call.ts";
import {
  type ContainerKey,
  type ContainerMeaning,
  type ContainerNetwork,
  DAY_QUOTA,
  type Fields,
  harmless,
  listPath,
  NO_ANSWER,
  namedWait,
  outcome,
  type Plan,
  preparing,
  type Ready,
  read,
  readBody,
  UNAVAILABLE,
  write,
} from "./container.ts";
import { askedToWait, containerState, type Failure, Id, notDone } from "./container-state.ts";
import type { MetaCredential } from "./login.ts";

/**
 * Milliseconds between two polls of a container: often at first, then once a minute. Meta's advice is once a minute
 * (threads/troubleshooting, read 2026-11-20); open-source publishers poll every 2 to 30 s, and most
 * containers are ready within seconds.
 */
const POLL_MIN_MS = 1_000;
const POLL_MAX_MS = 60_000;
/**
 * A container that takes longer to process is replaced by a new one. Our own limit: most containers take seconds, and long
 * videos take minutes.
 */
const STUCK_MS = 60 * 60_000;
const STUCK: ContainerMeaning = { is: "again", waitsMs: [POLL_MIN_MS, POLL_MIN_MS], atLast: UNAVAILABLE };
/** How many times one container is submitted for publishing before a new one is created. */
const TRIES_MAX = 4;
/** How many earlier posts of the account are recorded before the next one is published. */
const KNOWN_MAX = 25;

/** The context of one call: the network, the plan of the post, and how to save its publish key. */
export interface Preparation {
  network: ContainerNetwork;
  plan: Plan;
  post: Publication<unknown>;
  context: ConnectorContext<MetaCredential>;
  save(publishKey: ContainerKey): Promise<void>;
}

/** Prepares the containers of a post, continuing from `publishKey`. */
export async function prepareContainers(
  preparation: Preparation,
  publishKey: ContainerKey | null,
): Promise<PrepareOutcome> {
  let progress: ContainerKey | Failure = publishKey ?? { step: "start", failed: 0 };
  if (progress.step === "ready") progress = await readyAgain(preparation, progress);
  for (;;) {
    if ("is" in progress) return progress;
    if (progress.step === "ready") return { is: "prepared", publishKey: progress };
    progress = await advance(preparation, progress);
  }
}

/** Takes one step, and saves it if it must survive a crash. A failure ends the whole preparation. */
async function advance(
  preparation: Preparation,
  publishKey: Exclude<ContainerKey, Ready>,
): Promise<ContainerKey | Failure> {
  const { plan, context, save } = preparation;
  const now = context.io.now();
  switch (publishKey.step) {
    case "start": {
      const full = await quotaUsedUp(preparation);
      if (full !== null) return full;
      return plan.files.length > 0
        ? { step: "files", ids: [], done: 0, since: now, failed: publishKey.failed }
        : makeWhole(preparation, [], publishKey);
    }
    case "files": {
      const next = plan.files[publishKey.ids.length];
      if (next !== undefined) {
        const container = await make(preparation, next, publishKey, publishKey.ids.length);
        if ("is" in container) return container;
        const files = { ...publishKey, ids: [...publishKey.ids, container.id], since: context.io.now() };
        await save(files);
        return files;
      }
      const waiting = publishKey.ids[publishKey.done];
      if (waiting === undefined) return makeWhole(preparation, publishKey.ids, publishKey);
      const answer = await poll(preparation, waiting, publishKey, publishKey.done);
      if (answer !== "ready") return answer;
      const files = { ...publishKey, done: publishKey.done + 1 };
      await save(files);
      return files;
    }
    case "whole": {
      const answer = await poll(preparation, publishKey.id, publishKey, plan.files.length === 0 ? 0 : null);
      return answer === "ready" ? makeReady(preparation, publishKey) : answer;
    }
  }
}

type Underway = Exclude<ContainerKey, Ready>;

async function makeWhole(
  preparation: Preparation,
  ids: string[],
  publishKey: Underway,
): Promise<ContainerKey | Failure> {
  const container = await make(preparation, preparation.plan.whole(ids), publishKey, ids.length === 0 ? 0 : null);
  if ("is" in container) return container;
  const whole = {
    step: "whole",
    id: container.id,
    since: preparation.context.io.now(),
    failed: publishKey.failed,
  } as const;
  await preparation.save(whole);
  return whole;
}

/**
 * Records the container that will be published. Some networks need a short wait before that, because a ready container is
 * not ready on all of their servers at once.
 */
async function makeReady(preparation: Preparation, { id }: { id: string }): Promise<Ready | Failure> {
  const { network, plan, post, context, save } = preparation;
  const { text, postType: post_type } = post;
  const knownIds = await newestPosts(preparation);
  if ("is" in knownIds) return knownIds;
  const reply = plan.replyTo === undefined ? {} : { reply_to: plan.replyTo };
  const ready: Ready = {
    step: "ready",
    id,
    at: context.io.now(),
    tries: 0,
    text,
    post_type,
    known: knownIds,
    ...reply,
  };
  if (network.readyDelayMs === 0) return { ...ready, tries: 1 };
  await save(ready);
  return preparing({ detail: "the container is almost ready" }, context.io.now() + network.readyDelayMs);
}

/** Continues with a container that was found ready in an earlier session. Its state may have changed since. */
async function readyAgain(preparation: Preparation, publishKey: Ready): Promise<ContainerKey | Failure> {
  const { context, save } = preparation;
  const state = await containerState(preparation.network, publishKey.id, context);
  if (state.is === "answered" && state.status === "PUBLISHED") return publishKey;
  if (state.is === "answered" && state.status === "FINISHED" && publishKey.tries < TRIES_MAX) {
    return { ...publishKey, at: context.io.now(), tries: publishKey.tries + 1 };
  }
  if (state.is === "answered" && state.status === "IN_PROGRESS") return waiting(publishKey.at, context);
  if (state.is === "unread") return notDone(state, context);
  // The container expired, failed, or was refused repeatedly. A new one is safe: each publish of the old container was
  // answered, and it is never submitted again.
  const start = { step: "start", failed: 0 } as const;
  await save(start);
  return start;
}

/**
 * Returns why the account must wait: its posts of the last 24 hours use up its quota, or the network asks for a pause.
 * Returns null if the quota has room or is unknown.
 */
export async function quotaUsedUp({
  network,
  plan,
  context,
}: Pick<Preparation, "network" | "context"> & { plan?: Plan }): Promise<Retryable | null> {
  // Replies have a separate quota: threads/reply-management, read 2026-11-22.
  const [used, config, noun] =
    plan?.replyTo === undefined
      ? (["quota_usage", "config", "posts"] as const)
      : (["reply_quota_usage", "reply_config", "replies"] as const);
  const Quota = z.object({
    data: z.array(z.object({ [used]: z.number(), [config]: z.object({ quota_total: z.number() }) })).min(1),
  });
  const path = `/${context.credential.user_id}/${network.paths.quota}`;
  const answer = await read(network, context, path, { fields: `${used},${config}` });
  const quota = readBody(answer, Quota)?.data[0];
  if (quota === undefined) return askedToWait(network, answer, context);
  const [count, total] = [Number(quota[used]), Object(quota[config]).quota_total];
  if (count < total) return null;
  const detail = `${count} of ${total} ${noun} of the last 24 hours are used`;
  const full = outcome(DAY_QUOTA, { detail }, NO_ANSWER, context.io.now());
  return full.is === "retryable" ? full : null;
}

/** Ids of the account's newest posts; empty if they cannot be read, unless the network asks to wait. */
async function newestPosts({ network, plan, context }: Preparation): Promise<string[] | Retryable> {
  const path = listPath(network, plan.replyTo, context);
  const answer = await read(network, context, path, { fields: "id", limit: String(KNOWN_MAX) });
  const listed = readBody(answer, z.object({ data: z.array(Id) }));
  return listed?.data.slice(0, KNOWN_MAX).map(({ id }) => id) ?? askedToWait(network, answer, context) ?? [];
}

/** Creates a container. `index` is the index of its file, or null for the container of a whole carousel. */
async function make(
  preparation: Preparation,
  fields: Fields,
  publishKey: Underway,
  index: number | null,
): Promise<{ id: string } | Failure> {
  const { network, context } = preparation;
  const answer = await write(network, context, network.paths.posts, fields);
  const container = readBody(answer, Id);
  if (container !== undefined) return container;
  const { meaning, reason } = harmless(network, answer, context);
  return fail(preparation, { meaning, reason, answer }, publishKey, index, publishKey);
}

/** Returns `ready`, or why the container is not ready. A failed container is abandoned. */
async function poll(
  preparation: Preparation,
  id: string,
  publishKey: Extract<Underway, { since: number }>,
  index: number | null,
): Promise<"ready" | Failure> {
  const { network, context } = preparation;
  const state = await containerState(network, id, context);
  // A new container may not be visible to reads yet, so a network that does not find it counts as still processing it.
  if (state.is === "unread" && state.meaning.is !== "again") return notDone(state, context);
  const restart = { step: "start", failed: publishKey.failed } as const;
  const status = state.is === "unread" ? "IN_PROGRESS" : state.status;
  switch (status) {
    case "FINISHED":
    case "PUBLISHED":
      return "ready";
    case "ERROR": {
      const { reason } = state;
      const meaning = network.problem(reason.networkMessage ?? "");
      return fail(preparation, { meaning, reason, answer: NO_ANSWER }, publishKey, index, restart);
    }
    case "EXPIRED": {
      const expired = { meaning: STUCK, reason: { detail: "the container expired" }, answer: NO_ANSWER };
      return fail(preparation, expired, publishKey, index, restart);
    }
    default: {
      if (context.io.now() - publishKey.since <= STUCK_MS) return waiting(publishKey.since, context);
      const stuck = { meaning: STUCK, reason: { detail: "the network did not finish a file" }, answer: NO_ANSWER };
      return fail(preparation, stuck, publishKey, index, restart);
    }
  }
}

/**
 * Decides how to continue after a failure. `next`: the step to continue from, which is stored with the number of failed
 * tries.
 */
async function fail(
  { post, context, save }: Preparation,
  { meaning, reason, answer }: { meaning: ContainerMeaning; reason: Reason; answer: Answer },
  publishKey: Underway,
  index: number | null,
  next: Underway,
): Promise<Failure> {
  const last: Meaning = meaning.is === "again" ? meaning.atLast : meaning;
  const file = index === null || !isOfFile(last) ? undefined : post.media[index];
  const fileReason = file === undefined ? reason : reasonOfFile(file, reason);
  const now = context.io.now();
  if (meaning.is === "again") {
    const wait = meaning.waitsMs[publishKey.failed];
    if (wait !== undefined) {
      await save({ ...next, failed: publishKey.failed + 1 });
      return preparing(fileReason, now + wait, namedWait(answer, now));
    }
  }
  // Saving fails if another session has written the delivery, but the wait that the network asks for must be reported even
  // then, so an unchanged key is not saved first.
  if (last.is === "retryable" && next !== publishKey) await save(next);
  const failure = outcome(last, fileReason, answer, now);
  return failure.is === "unknown" ? { is: "retryable", error: "network_unavailable", ...fileReason } : failure;
}

/** Whether a failure may come from a file; other failures come from the text, the options or the account. */
const isOfFile = (last: Meaning) =>
  "error" in last && (last.error === "media_refused" || last.error === "network_unavailable");

function waiting(since: number, { io }: ConnectorContext<MetaCredential>): Retryable {
  const now = io.now();
  const wait = growingWaitMs(now - since, { minMs: POLL_MIN_MS, maxMs: POLL_MAX_MS });
  return preparing({ detail: "the network is processing the post" }, now + wait);
}
