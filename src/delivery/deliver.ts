// Takes one due delivery from its row to its next state: wait for a connection, ready the credential and the files, prepare,
// write the send intent, publish, record. No irrevocable call is made before a committed row announces it. A call without an
// answer has an unknown outcome.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import {
  type DeliveryDecision,
  decideFailure,
  decideOutcome,
  decideReconciliation,
  missedDeadline,
  type Recovery,
} from "../domain/delivery/decide-outcome.ts";
import type { HandedOver, Live, ReconcileOutcome, Retryable, Unknown } from "../domain/delivery/outcome.ts";
import { explain } from "../domain/delivery/reason.ts";
import { isEnded, maybeSent } from "../domain/delivery/transitions.ts";
import type { Json } from "../domain/json.ts";
import { findNetwork } from "../networks/index.ts";
import type { Network } from "../networks/network.ts";
import type { DueDelivery } from "../store/deliveries/due.ts";
import type { DeliveryRecord, Recorded } from "../store/deliveries/record.ts";
import type { ConnectionLimiter } from "./connection-limiter.ts";
import { ConnectorSteps } from "./connector-steps.ts";
import { type Credentials, whyNotPublishable } from "./credentials.ts";
import { DeliverySession, GuardLost, type SessionParts } from "./delivery-session.ts";
import type { NetworkHealth } from "./network-health.ts";
import type { OutcomeCounts } from "./outcome-counts.ts";
import { buildPublication, sendsFiles } from "./publication.ts";
import { unsealPublishKey } from "./publish-key.ts";
import { deleteCopies } from "./remote-copy.ts";

/** State that the sessions of one publisher share. */
export interface DeliveryTools extends SessionParts {
  limiter: ConnectionLimiter;
  health: NetworkHealth;
  credentials: Credentials;
  outcomes: OutcomeCounts;
}

/** How a session ended, and the result of writing that to the database. null if another writer has decided the delivery. */
export type Delivered = { record: DeliveryRecord; recorded: Promise<Recorded> } | null;

/** Links a delivery to the previous and the next one of its channel, so that their writes share a round trip. */
export interface Neighbours {
  /** The delivery has joined the sessions that write together, so no place is kept for it any more. */
  begun(): void;
  /** The delivery is about to be recorded, so the next one can begin. */
  records(): void;
}
const ALONE: Neighbours = { begun() {}, records() {} };

/** For a stopped post that an earlier call may have published. */
const STOPPED: Unknown = {
  is: "unknown",
  detail: "the post or its channel was stopped before it could be sent again",
};
const PAUSED: Retryable = {
  is: "retryable",
  error: "network_unavailable",
  detail: "the network did not answer calls for other posts",
};
/** The publish that was begun with the unreadable key may still finish, so no second one is started. */
const UNREADABLE: Retryable = {
  is: "retryable",
  error: "service_misconfigured",
  detail: "the stored publish key cannot be unsealed",
};

/**
 * Works one due delivery up to its next state and starts writing that state. By then all calls to its network have ended, and
 * the channel's next delivery may begin. Never throws for a failure of a network or a file. Throws `DatabaseAway` (here, or
 * as `recorded`) if the database does not answer; the result is then kept in the object's own storage.
 */
export async function deliver(tools: DeliveryTools, due: DueDelivery, neighbours = ALONE): Promise<Delivered> {
  const session = new DeliverySession(tools, due);
  const atWork: (() => void)[] = [];
  const leave = () => {
    for (const end of atWork.splice(0)) end();
  };
  try {
    const decision = await decide(tools, session, () => {
      atWork.push(tools.batcher.join());
      neighbours.begun();
    });
    if (decision === null) {
      leave();
      return null;
    }
    neighbours.records();
    return await write(tools, session, decision, leave);
  } catch (error) {
    leave();
    if (!(error instanceof GuardLost)) throw error;
    log("warn", "guard_lost", session.logFields());
    return null;
  }
}

/** Ends a delivery that has repeatedly crashed its object, with the outcome known so far. */
export async function giveUp(tools: DeliveryTools, due: DueDelivery): Promise<Delivered> {
  const session = new DeliverySession(tools, due);
  const facts = maybeSent(due.delivery.state) ? { ...session.facts, hasOpenSend: true } : session.facts;
  return write(
    tools,
    session,
    decideFailure(facts, "internal_error", { detail: "our own work on it failed again and again" }),
  );
}

/** Writes the proof that a delivery with an unknown outcome is live, or was handed over. */
export async function proveLive(tools: DeliveryTools, due: DueDelivery, proof: Live | HandedOver): Promise<void> {
  const session = new DeliverySession(tools, due);
  const recovery: Recovery = { canAsk: true, republishAfterMs: null };
  const { recorded } = await write(tools, session, decideOutcome(session.facts, proof, recovery, session.moment()));
  await recorded;
}

/** Calls `leave` when the write has ended. */
async function write(tools: DeliveryTools, session: DeliverySession, decision: DeliveryDecision, leave = () => {}) {
  const record = await session.toRecord(decision);
  return { record, recorded: writeRecord(tools, session, record).finally(leave) };
}

async function writeRecord(
  { ctx, batcher, unwritten, outcomes }: DeliveryTools,
  session: DeliverySession,
  record: DeliveryRecord,
): Promise<Recorded> {
  const recorded = await batcher.record(record);
  unwritten.forgetRecord(record);
  logRecorded(session, record, recorded.written);
  const outcome = recorded.written ? session.outcomeOf(record) : null;
  if (outcome !== null) outcomes.add(outcome);
  const { delivery, media } = session.due;
  // The delivery has ended, so its copied files are not needed any more.
  if (recorded.written && isEnded(record.decision.state)) ctx.later(deleteCopies(ctx, delivery, media));
  const { endpointsToNotify } = recorded;
  if (endpointsToNotify.length > 0) {
    ctx.later(ctx.webhooks.wake(record.guard.key.workspaceId, endpointsToNotify));
  }
  if (recorded.written && record.event?.event === "delivery.failed" && ctx.mail !== null) {
    ctx.later(ctx.queue.send([{ kind: "notify", workspace: record.guard.key.workspaceId }]));
  }
  return recorded;
}

/** Logs the result of a record. */
function logRecorded(
  session: DeliverySession,
  { decision: { state, error } }: DeliveryRecord,
  isWritten: boolean,
): void {
  if (!isWritten) {
    log("warn", "guard_lost", session.logFields());
    return;
  }
  // Successes are only counted: their event has the details.
  if (error === null) return;
  const level = state === "failed" || state === "outcome_unknown" ? "warn" : "info";
  log(level, "delivery_recorded", { ...session.logFields(), outcome: error });
}

/**
 * Decides the next state of a delivery. Returns null if another writer has decided it. Calls `begins` when the delivery has
 * its connection.
 */
async function decide(
  tools: DeliveryTools,
  session: DeliverySession,
  begins: () => void,
): Promise<DeliveryDecision | null> {
  const { delivery, channel, post } = session.due;
  const network = findNetwork(delivery.platform);
  const mayBeOut = maybeSent(delivery.state);
  if (network === undefined) {
    const facts = mayBeOut ? { ...session.facts, hasOpenSend: true } : session.facts;
    return decideFailure(facts, "service_misconfigured", { detail: "this deployment has no such network" });
  }
  if (delivery.state === "sending") await session.recover();
  if (!mayBeOut) {
    if (post.cancelledAt !== null) return session.stopUnsent();
    if (missedDeadline(session.facts, session.now())) {
      return decideFailure(session.facts, "missed_deadline", { detail: "it was more than 24 hours late" });
    }
  }
  // A post that the network has accepted may still go live, even if the channel was disconnected since.
  const unusable = whyNotPublishable(channel, session.now());
  if (unusable !== null) {
    const facts = mayBeOut ? { ...session.facts, hasOpenSend: true } : session.facts;
    return decideFailure(facts, unusable, {
      detail: "the channel was not connected when its time came",
    });
  }
  const platform = delivery.platform;
  const hasFiles = !mayBeOut && sendsFiles(network, session.due, session.place.position);
  const need = { network: platform, hasFiles, isFollowUp: false };
  return tools.limiter.use(need, async () => {
    begins();
    if (!mayBeOut && tools.health.isPaused(platform)) return decideUnasked(session, network, PAUSED);
    const io = tools.health.watch(platform, tools.ctx.networkIO(platform));
    const current = await tools.credentials.ready(network, channel, io);
    if (current.is === "rejected") {
      return decideFailure(mayBeOut ? { ...session.facts, hasOpenSend: true } : session.facts, current.error, current);
    }
    if (current.is === "retryable") return decideUnasked(session, network, current);
    const unsealed = await unsealPublishKey(tools.ctx, delivery);
    if (unsealed === "unreadable") return decideUnasked(session, network, UNREADABLE);
    session.knowPublishKey(unsealed.publishKey);
    const steps = new ConnectorSteps({ ctx: tools.ctx, session, network, io, credentials: tools.credentials }, current);
    return work(tools.ctx, session, network, steps, unsealed.publishKey);
  });
}

async function work(
  ctx: Context,
  session: DeliverySession,
  network: Network,
  steps: ConnectorSteps,
  stored: Json,
): Promise<DeliveryDecision | null> {
  const { delivery } = session.due;
  const recovery = getRecovery(network, session);
  const mayBeOut = maybeSent(delivery.state);
  let publishKey = stored;
  if (mayBeOut) {
    const reconciliation = heldBack(delivery, await steps.reconcile(publishKey));
    const state = delivery.state === "processing" ? "processing" : "reconciling";
    const next = decideReconciliation({ ...session.facts, state }, reconciliation, recovery, session.moment());
    if (next !== "resend") return next;
  }
  const publication = await buildPublication(ctx, network, session.due, session.place.position);
  if ("is" in publication) return decideOutcome(session.facts, publication, recovery, session.moment());
  if (!mayBeOut) {
    const prepared = await steps.prepare(publication, publishKey);
    if (prepared.is !== "prepared") return decideOutcome(session.facts, prepared, recovery, session.moment());
    publishKey = prepared.publishKey;
  }
  const outcome = await steps.publish(publication, publishKey);
  if (outcome !== null) return decideOutcome(session.facts, outcome, recovery, session.moment());
  return mayBeOut ? decideOutcome(session.facts, STOPPED, recovery, session.moment()) : session.stopUnsent();
}

/** Decides about a delivery that cannot be worked now, without asking its network about it. */
function decideUnasked(session: DeliverySession, network: Network, retryable: Retryable): DeliveryDecision | null {
  const { state } = session.due.delivery;
  const recovery = getRecovery(network, session);
  if (!maybeSent(state)) return decideOutcome(session.facts, retryable, recovery, session.moment());
  const reconciledState = state === "processing" ? "processing" : "reconciling";
  const unasked = { ...retryable, isUnasked: true } as const;
  const next = decideReconciliation({ ...session.facts, state: reconciledState }, unasked, recovery, session.moment());
  return next === "resend" ? null : next;
}

/**
 * How a call without an answer can be reconciled. If the post was cancelled, or the delivery was set back with its database,
 * calls are still reconciled, but nothing is sent again.
 */
const getRecovery = (network: Network, { due: { post, delivery } }: DeliverySession): Recovery => ({
  canAsk: network.reconcile !== undefined,
  republishAfterMs: post.cancelledAt === null && !delivery.isHeldBack ? network.republishAfterMs : null,
});

/**
 * A delivery that was set back with its database may have lost its last publish key, and that key may have published the
 * post. So the answer for an earlier key cannot prove that the post was not published.
 */
function heldBack<Answer extends Exclude<ReconcileOutcome, { is: "unauthorized" }>>(
  delivery: DueDelivery["delivery"],
  answer: Answer,
): Answer | Unknown {
  const isLastWord = answer.is === "void" || (answer.is === "rejected" && delivery.state === "processing");
  if (!isLastWord || !delivery.isHeldBack) return answer;
  return { is: "unknown", ...explain("another try may have followed", answer), final: true };
}
