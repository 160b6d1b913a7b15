// A session's view of the delivery that it works on: its guard, its facts, and how they change with each write.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { DatabaseAway } from "../domain/database-fault.ts";
import {
  type DeliveryDecision,
  type DeliveryFacts,
  decideFailure,
  type Moment,
} from "../domain/delivery/decide-outcome.ts";
import { requestedFollowUps } from "../domain/delivery/follow-up.ts";
import {
  decideThreadStep,
  type LivePart,
  parseLiveParts,
  stepLeaves,
  type ThreadPlace,
  type ThreadStep,
} from "../domain/delivery/thread.ts";
import { type DeliveryState, mayFollow, TransitionNotAllowed } from "../domain/delivery/transitions.ts";
import { firstSearchAt, nextVerificationAt } from "../domain/delivery/verification.ts";
import { base64Url } from "../domain/encoding.ts";
import { deliveryEvent } from "../domain/event-body.ts";
import type { Json } from "../domain/json.ts";
import { outcomeName } from "../domain/lateness.ts";
import { usesFiles } from "../domain/posts/post.ts";
import { getThread } from "../domain/posts/thread.ts";
import { findNetwork, listFollowUpKinds, readRechecks } from "../networks/index.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { type DueDelivery, makeGuard } from "../store/deliveries/due.ts";
import type { DeliveryGuard } from "../store/deliveries/guard.ts";
import type { DeliveryRecord, FollowUp, ProvenPart } from "../store/deliveries/record.ts";
import { recoverSend, savePublishKey, withdrawIntent } from "../store/deliveries/send-intent.ts";
import { cancelUnsent, whyStopped } from "../store/deliveries/stop-unsent.ts";
import type { WriteBatcher } from "./group-commit.ts";
import { sealPublishKey } from "./publish-key.ts";
import type { Unwritten } from "./unwritten.ts";

/** Another writer has changed the delivery, so this session must not touch it any more. */
export class GuardLost extends Error {
  override name = "GuardLost";
}

export interface SessionParts {
  ctx: Context;
  batcher: WriteBatcher;
  unwritten: Unwritten;
  /** How many milliseconds the database's clock is ahead of ours, as of its last answer. */
  skewMs(): number;
}

export class DeliverySession {
  readonly due: DueDelivery;
  readonly #parts: SessionParts;
  readonly #skewMs: number;
  readonly #guard: DeliveryGuard;
  /** The row's state, as this session read it or wrote it last. */
  #state: DeliveryState;
  #attempts: number;
  #sentAt: number | null;
  #hasOpenSend: boolean;
  /** The publish key, once the session knows it. */
  #publishKey: Json = null;
  /** The thread parts that were live when the session began. */
  readonly liveParts: LivePart[];
  readonly place: ThreadPlace;

  constructor(parts: SessionParts, due: DueDelivery) {
    this.#parts = parts;
    this.due = due;
    // Uses the current skew. The skew at the time of the read may be old, because the delivery may have waited for other work.
    this.#skewMs = parts.skewMs();
    this.#guard = makeGuard(due, base64Url(parts.ctx.entropy(9)));
    this.#state = due.delivery.state;
    this.#attempts = due.delivery.attempts;
    this.#sentAt = due.delivery.sentAt;
    this.#hasOpenSend = due.delivery.hasOpenSend;
    this.liveParts = parseLiveParts(due.delivery);
    this.place = {
      position: this.liveParts.length,
      last: getThread(due.post, due.delivery.channelId).length,
      isHeldBack: due.delivery.isHeldBack,
    };
  }

  get facts(): DeliveryFacts {
    const { retries, scheduledFor } = this.due.delivery;
    return {
      hasOpenSend: this.#hasOpenSend,
      // In a thread, only the attempts of the current part.
      attempts: this.#attempts - (this.liveParts.at(-1)?.attempts ?? 0),
      retries,
      scheduledFor: scheduledFor ?? this.due.now,
      sentAt: this.#sentAt,
    };
  }

  /** Epoch milliseconds by the database's clock. */
  now(): number {
    return this.#parts.ctx.now() + this.#skewMs;
  }

  moment(): Moment {
    const [byte = 128] = this.#parts.ctx.entropy(1);
    return { now: this.now(), jitter: byte / 256 };
  }

  logFields() {
    const { workspaceId, postId, channelId, platform } = this.due.delivery;
    return { workspace: workspaceId, post: postId, channel: channelId, platform };
  }

  /** If an earlier session ended while it was sending, its call has no answer. Throws `GuardLost`. */
  async recover(): Promise<void> {
    await this.#write((guard) => recoverSend(this.#db, guard));
    this.#state = "reconciling";
    this.#hasOpenSend = true;
  }

  /** Takes note of the stored publish key. */
  knowPublishKey(publishKey: Json): void {
    this.#publishKey = publishKey;
  }

  /** Makes a publish key durable. Throws `GuardLost`. */
  async savePublishKey(publishKey: Json): Promise<void> {
    this.#publishKey = publishKey;
    const sealed = await this.#seal(publishKey);
    await this.#write((guard) => savePublishKey(this.#db, guard, sealed));
    this.#state = "staged";
  }

  /**
   * Writes the send intent. Returns the age of its instant in milliseconds, by the database's clock when it answered, or null
   * if the delivery may not be sent any more.
   */
  async intend(publishKey: Json, payloadHash: string): Promise<number | null> {
    const guard = { ...this.#guard };
    this.#publishKey = publishKey;
    try {
      const intent = await this.#parts.batcher.intend({ guard, publishKey: await this.#seal(publishKey), payloadHash });
      if (intent === null) return null;
      this.#guard.version++;
      this.#state = "sending";
      this.#attempts++;
      this.#sentAt = intent.sentAt;
      return intent.ageMs;
    } catch (error) {
      // The call never left, even if the row now says that it was announced.
      if (error instanceof DatabaseAway) this.#parts.unwritten.keepUnsent(guard);
      throw error;
    }
  }

  /** Takes the send intent back because its call published nothing or never left. Throws `GuardLost`. */
  async withdraw(outcome: "unauthorized" | "unsent", reason: string): Promise<void> {
    const before = { ...this.#guard, version: this.#guard.version - 1 };
    try {
      await this.#write((guard) => withdrawIntent(this.#db, guard, outcome, reason));
    } catch (error) {
      if (error instanceof DatabaseAway) this.#parts.unwritten.keepUnsent(before);
      throw error;
    }
    this.#guard.fencingToken++;
    this.#state = this.#hasOpenSend ? "reconciling" : "staged";
  }

  /**
   * Ends a delivery whose send intent was not allowed: it is cancelled or disconnected, or its thread stops. Returns null if
   * that is already written, or if another writer has taken the delivery.
   */
  async stopUnsent(): Promise<DeliveryDecision | null> {
    const guard = { ...this.#guard };
    await untilKnown(this.#parts.ctx, () => cancelUnsent(this.#db, guard));
    switch (await untilKnown(this.#parts.ctx, () => whyStopped(this.#db, guard))) {
      case "disconnected":
        return decideFailure(this.facts, "channel_disconnected", {
          detail: "the channel was disconnected before anything was sent",
        });
      case "cancelled":
        return decideFailure(this.facts, "thread_stopped", { detail: "the post was cancelled" });
      case null:
        return null;
    }
  }

  /**
   * Returns a decision and its event, ready to be written. Throws `TransitionNotAllowed` if the table does not list the
   * decision: the row stays as it is, and a call that may have published is reconciled again. Proof that the post is live
   * is never held up.
   */
  async toRecord(proof: DeliveryDecision): Promise<DeliveryRecord> {
    const step = decideThreadStep(proof, this.place, this.#state, this.now());
    const decision = step?.decision ?? proof;
    const { live } = decision;
    const isAllowed =
      step === null || step.decision === proof ? mayFollow(this.#state, decision.state) : stepLeaves(step, this.#state);
    if (!isAllowed) {
      const error = new TransitionNotAllowed(this.#state, decision.state);
      if (live === undefined) throw error;
      log("error", "transition_not_allowed", { ...this.logFields(), error: error.message });
    }
    const record = await this.#toRecord(decision, step);
    if (step?.move !== "part_live" && step?.move !== "part_found") return record;
    // Before this is written, another session may have given the delivery up, or its owner may have retried it.
    const alternativeStep = decideThreadStep(
      proof,
      this.place,
      step.move === "part_live" ? "outcome_unknown" : "reconciling",
      this.now(),
    );
    return alternativeStep === null
      ? record
      : { ...record, otherwise: await this.#toRecord(alternativeStep.decision, alternativeStep) };
  }

  async #toRecord(decision: DeliveryDecision, step: ThreadStep | null): Promise<DeliveryRecord> {
    const { publishKey } = decision;
    const sealed = {
      ...decision,
      publishKey: publishKey === undefined || publishKey === null ? publishKey : await this.#seal(publishKey),
    };
    const event = this.#eventOf(decision);
    const provenPart = step === null || this.place.last === 0 ? undefined : await this.#provenPart(step);
    const followUp = this.#followUpOf(decision);
    return {
      guard: { ...this.#guard },
      decision: sealed,
      event,
      followUp,
      ...(provenPart === undefined ? {} : { part: provenPart }),
    };
  }

  async #provenPart({ move, decision: { live } }: ThreadStep): Promise<ProvenPart | undefined> {
    if (live === undefined) return undefined;
    const { id, url, urlState } = live;
    const { position } = this.place;
    // If the address is unknown, the id may be unknown too, and the publish key finds both. The key of the first part also
    // records the files that were sent, for the comparison with the live post.
    const publishKey = urlState === "none" && position > 0 ? null : this.#publishKey;
    const sealed = publishKey === null ? {} : { publishKey: await this.#seal(publishKey) };
    const out: LivePart = { id, url, urlState, at: this.now(), attempts: this.#attempts, ...sealed };
    return { proof: move, position, live: out };
  }

  /** The name under which a record is counted, or null if it is not counted. */
  outcomeOf({ decision, part }: DeliveryRecord): string | null {
    // A thread counts once, when its first part goes live.
    if (part !== undefined && part.position > 0) return null;
    const { platform } = this.due.delivery;
    const { scheduledFor, sentAt } = this.facts;
    return outcomeName({ platform, state: this.#state, scheduledFor, sentAt, now: this.now() }, decision);
  }

  /** Makes a guarded write outside any batch. */
  async #write(act: (guard: DeliveryGuard) => Promise<boolean>): Promise<void> {
    const guard = { ...this.#guard };
    if (!(await untilKnown(this.#parts.ctx, () => act(guard)))) throw new GuardLost();
    this.#guard.version++;
  }

  get #db() {
    return this.#parts.ctx.databaseOf(this.due.delivery.workspaceId);
  }

  #seal(publishKey: Json): Promise<string> {
    return sealPublishKey(this.#parts.ctx, this.due.delivery, publishKey);
  }

  #followUpOf({ state, live }: DeliveryDecision): FollowUp {
    const { delivery, post } = this.due;
    const now = this.now();
    const network = findNetwork(delivery.platform);
    const hasFiles = usesFiles(post);
    if (live === undefined || state !== "live") {
      const canAsk = state === "outcome_unknown" && network?.reconcile !== undefined;
      return { checkAt: canAsk ? firstSearchAt(this.#sentAt ?? now, now) : null, kinds: [], hasFiles };
    }
    const kinds = requestedFollowUps(listFollowUpKinds(network), post.overrides[delivery.channelId]);
    const rechecks = readRechecks(delivery.platform, delivery.rechecks);
    const recheckAt = nextVerificationAt({ publishedAt: now, urlState: live.urlState, rechecks }, now);
    const checkAt = kinds.length > 0 ? now : recheckAt;
    return { checkAt, kinds, hasFiles };
  }

  #eventOf({ event, live, error, nextAt, networkMessage }: DeliveryDecision) {
    if (event === null) return null;
    const { delivery, post } = this.due;
    const { metadata, author } = post;
    // The address of a thread is the address of its first part, even while this address is unknown.
    const [out = live] = this.liveParts;
    const url = live === undefined ? null : (out?.url ?? null);
    const attempt = this.#attempts;
    const news = { event, attempt, url, error, networkMessage, nextAttemptAt: nextAt, metadata, author };
    return deliveryEvent({ now: this.now(), entropy: this.#parts.ctx.entropy }, delivery, news);
  }
}
