// Builds the record of a decision: everything that one transaction writes when a session ends.
import { log } from "../adapters/log.ts";
import type { DeliveryDecision } from "../domain/delivery/decide-outcome.ts";
import { requestedFollowUps } from "../domain/delivery/follow-up.ts";
import { firstSearchAt, nextRecheckAt } from "../domain/delivery/recheck.ts";
import { decideThreadStep, type LiveThreadPart, stepLeaves, type ThreadStep } from "../domain/delivery/thread.ts";
import { mayFollow, TransitionNotAllowed } from "../domain/delivery/transitions.ts";
import { deliveryEvent } from "../domain/event-body.ts";
import { usesFiles } from "../domain/posts/post.ts";
import { listFollowUpKinds, readRechecks } from "../networks/index.ts";
import type { DeliveryRecord, FollowUp, ProvenThreadPart } from "../store/deliveries/record.ts";
import type { DeliverySession } from "./delivery-session.ts";

/**
 * Returns the record of a decision. Throws `TransitionNotAllowed` if the table does not list the transition: the row stays as
 * it is, and a call that may have published is reconciled again. Proof that the post is live is never held up.
 */
export async function buildRecord(session: DeliverySession, proof: DeliveryDecision): Promise<DeliveryRecord> {
  const { state, threadPosition } = session;
  const step = decideThreadStep(proof, threadPosition, state, session.now());
  const decision = step?.decision ?? proof;
  const isAllowed =
    step === null || step.decision === proof ? mayFollow(state, decision.state) : stepLeaves(step, state);
  if (!isAllowed) {
    const error = new TransitionNotAllowed(state, decision.state);
    if (decision.live === undefined) throw error;
    log("error", "transition_not_allowed", { ...session.logFields(), error: error.message });
  }
  const record = await toRecord(session, decision, step);
  if (step?.move !== "part_live" && step?.move !== "part_found") return record;
  // Before this is written, another session may have given the delivery up, or its owner may have retried it.
  const stateSince = step.move === "part_live" ? "outcome_unknown" : "reconciling";
  const otherStep = decideThreadStep(proof, threadPosition, stateSince, session.now());
  return otherStep === null ? record : { ...record, otherwise: await toRecord(session, otherStep.decision, otherStep) };
}

async function toRecord(
  session: DeliverySession,
  decision: DeliveryDecision,
  step: ThreadStep | null,
): Promise<DeliveryRecord> {
  const { publishKey } = decision;
  const sealed = publishKey === undefined || publishKey === null ? publishKey : await session.seal(publishKey);
  const event = buildEvent(session, decision);
  const threadPart =
    step === null || session.threadPosition.last === 0 ? undefined : await proveThreadPart(session, step);
  return {
    guard: { ...session.guard },
    decision: { ...decision, publishKey: sealed },
    event,
    followUp: planFollowUp(session, decision),
    ...(threadPart === undefined ? {} : { threadPart }),
  };
}

async function proveThreadPart(
  session: DeliverySession,
  { move, decision: { live } }: ThreadStep,
): Promise<ProvenThreadPart | undefined> {
  if (live === undefined) return undefined;
  const { id, url, urlState } = live;
  const { position } = session.threadPosition;
  // If the address is unknown, the id may be unknown too, and the publish key finds both. The key of the first part also
  // records the files that were sent, for the comparison with the live post.
  const publishKey = urlState === "none" && position > 0 ? null : session.publishKey;
  const out: LiveThreadPart = {
    position,
    id,
    url,
    urlState,
    publishedAt: session.now(),
    attempts: session.attempts,
    publishKey: publishKey === null ? null : await session.seal(publishKey),
    missingSince: null,
    isRemoved: false,
  };
  return { proof: move, live: out };
}

function planFollowUp(session: DeliverySession, { state, live }: DeliveryDecision): FollowUp {
  const { network } = session;
  const { delivery, post } = session.due;
  const now = session.now();
  const hasFiles = usesFiles(post);
  if (live === undefined || state !== "live") {
    const canAsk = state === "outcome_unknown" && network?.reconcile !== undefined;
    return { checkAt: canAsk ? firstSearchAt(session.sentAt ?? now, now) : null, kinds: [], hasFiles };
  }
  const kinds = requestedFollowUps(listFollowUpKinds(network), post.overrides[delivery.channelId]);
  const rechecks = readRechecks(delivery.platform, delivery.terms?.rechecks ?? null);
  const recheckAt = nextRecheckAt({ publishedAt: now, urlState: live.urlState, rechecks }, now);
  return { checkAt: kinds.length > 0 ? now : recheckAt, kinds, hasFiles };
}

function buildEvent(session: DeliverySession, { event, live, error, nextAt, networkMessage }: DeliveryDecision) {
  if (event === null) return null;
  const { delivery, post } = session.due;
  const { metadata, author } = post;
  // The address of a thread is the address of its first part, even while this address is unknown.
  const [out = live] = session.liveThreadParts;
  const url = live === undefined ? null : (out?.url ?? null);
  const attempt = session.attempts;
  const news = { event, attempt, url, error, networkMessage, nextAttemptAt: nextAt, metadata, author };
  return deliveryEvent({ now: session.now(), entropy: session.ctx.entropy }, delivery, news);
}
