// What one session knows of the delivery that it works: its guard, its facts, and how they change with what is written.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { DatabaseAway } from "../domain/database-fault.ts";
import { dueAdditions, isHeldBack } from "../domain/delivery/additions.ts";
import { firstCommentOf } from "../domain/delivery/first-comment.ts";
import { type DeliveryFacts, fail, type Moment, type Transition } from "../domain/delivery/settle.ts";
import {
  type LivePart,
  livePartsOf,
  stepLeaves,
  type ThreadPlace,
  type ThreadStep,
  threadStep,
} from "../domain/delivery/thread.ts";
import { type DeliveryState, mayFollow, TransitionNotAllowed } from "../domain/delivery/transitions.ts";
import { firstSearchAt, nextVerificationAt } from "../domain/delivery/verification.ts";
import { base64Url } from "../domain/encoding.ts";
import { deliveryEvent } from "../domain/event-body.ts";
import type { Json } from "../domain/json.ts";
import { outcomeName } from "../domain/lateness.ts";
import { usesFiles } from "../domain/posts/post.ts";
import { threadOf } from "../domain/posts/thread.ts";
import { networkOf, readRechecks } from "../networks/index.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { type DueDelivery, guardOf } from "../store/deliveries/due.ts";
import type { DeliveryGuard } from "../store/deliveries/guard.ts";
import { recoverSend, saveHandle, withdrawIntent } from "../store/deliveries/send-intent.ts";
import type { FollowUp, ProvenPart, Settlement } from "../store/deliveries/settle.ts";
import { cancelUnsent, whyStopped } from "../store/deliveries/stop-unsent.ts";
import { sealHandle } from "./publish-handle.ts";
import type { Unwritten } from "./unwritten.ts";
import type { WriteBatcher } from "./write-batcher.ts";

/** Somebody else has written the delivery: nothing more of it is touched. */
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
  /** Of the row, as this session found or left it. */
  #state: DeliveryState;
  #attempts: number;
  #sentAt: number | null;
  #hasOpenSend: boolean;
  /** The publish handle, once the session knows it. */
  #handle: Json = null;
  /** The parts of a thread that were out when it began. */
  readonly liveParts: LivePart[];
  readonly place: ThreadPlace;

  constructor(parts: SessionParts, due: DueDelivery) {
    this.#parts = parts;
    this.due = due;
    // Not by when the delivery was read: it may have waited for others since.
    this.#skewMs = parts.skewMs();
    this.#guard = guardOf(due, base64Url(parts.ctx.entropy(9)));
    this.#state = due.delivery.state;
    this.#attempts = due.delivery.attempts;
    this.#sentAt = due.delivery.sentAt;
    this.#hasOpenSend = due.delivery.hasOpenSend;
    this.liveParts = livePartsOf(due.delivery);
    this.place = {
      position: this.liveParts.length,
      last: threadOf(due.post, due.delivery.channelId).length,
      isHeldBack: isHeldBack(due.delivery),
    };
  }

  get facts(): DeliveryFacts {
    const { retries, scheduledFor } = this.due.delivery;
    return {
      hasOpenSend: this.#hasOpenSend,
      // Of a thread those of the part that is under way.
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

  /** What another session was sending when it ended is a send without an answer. Throws `GuardLost`. */
  async recover(): Promise<void> {
    await this.#write((guard) => recoverSend(this.#db, guard));
    this.#state = "verifying";
    this.#hasOpenSend = true;
  }

  /** The stored publish handle, as this session found it. */
  knowHandle(handle: Json): void {
    this.#handle = handle;
  }

  /** Makes a publish handle durable. Throws `GuardLost`. */
  async saveHandle(handle: Json): Promise<void> {
    this.#handle = handle;
    const sealed = await this.#seal(handle);
    await this.#write((guard) => saveHandle(this.#db, guard, sealed));
    this.#state = "staged";
  }

  /**
   * Writes the send intent. Returns how long ago its instant is, in milliseconds, by the database's clock when it answered;
   * null: the delivery may not be sent any more.
   */
  async intend(handle: Json, payloadHash: string): Promise<number | null> {
    const guard = { ...this.#guard };
    this.#handle = handle;
    try {
      const written = await this.#parts.batcher.intend({ guard, handle: await this.#seal(handle), payloadHash });
      if (written === null) return null;
      this.#guard.version++;
      this.#state = "sending";
      this.#attempts++;
      this.#sentAt = written.sentAt;
      return written.ageMs;
    } catch (error) {
      // Nothing has left, whatever the row says by now.
      if (error instanceof DatabaseAway) this.#parts.unwritten.keepUnsent(guard);
      throw error;
    }
  }

  /** Takes the send intent back: its call published nothing, or never left. Throws `GuardLost`. */
  async withdraw(outcome: "unauthorized" | "unsent", why: string): Promise<void> {
    const before = { ...this.#guard, version: this.#guard.version - 1 };
    try {
      await this.#write((guard) => withdrawIntent(this.#db, guard, outcome, why));
    } catch (error) {
      if (error instanceof DatabaseAway) this.#parts.unwritten.keepUnsent(before);
      throw error;
    }
    this.#guard.fencingToken++;
    this.#state = this.#hasOpenSend ? "verifying" : "staged";
  }

  /**
   * After a send intent that was not allowed: the delivery ends as cancelled or disconnected, or its thread stops. null: it
   * did, or somebody else has it now.
   */
  async stopUnsent(): Promise<Transition | null> {
    const guard = { ...this.#guard };
    await untilKnown(this.#parts.ctx, () => cancelUnsent(this.#db, guard));
    switch (await untilKnown(this.#parts.ctx, () => whyStopped(this.#db, guard))) {
      case "disconnected":
        return fail(this.facts, "channel_disconnected", {
          detail: "the channel was disconnected before anything was sent",
        });
      case "cancelled":
        return fail(this.facts, "thread_stopped", { detail: "the post was cancelled" });
      case null:
        return null;
    }
  }

  /**
   * A transition with its event, as it is to be written. Throws `TransitionNotAllowed` for one that the table does not have:
   * the row stays as it is, and what may be out is asked for again. Proof that the post is live is never held up.
   */
  async settlementOf(proof: Transition): Promise<Settlement> {
    const step = threadStep(proof, this.place, this.#state, this.now());
    const transition = step?.transition ?? proof;
    const { live } = transition;
    const isAllowed =
      step === null || step.transition === proof
        ? mayFollow(this.#state, transition.state)
        : stepLeaves(step, this.#state);
    if (!isAllowed) {
      const error = new TransitionNotAllowed(this.#state, transition.state);
      if (live === undefined) throw error;
      log("error", "transition_not_allowed", { ...this.logFields(), error: error.message });
    }
    const settlement = await this.#toSettlement(transition, step);
    if (step?.move !== "part_live" && step?.move !== "part_found") return settlement;
    // By the time that it is written, another session may have given the delivery up, or its owner may have retried it.
    const other = threadStep(
      proof,
      this.place,
      step.move === "part_live" ? "outcome_unknown" : "verifying",
      this.now(),
    );
    return other === null
      ? settlement
      : { ...settlement, otherwise: await this.#toSettlement(other.transition, other) };
  }

  async #toSettlement(transition: Transition, step: ThreadStep | null): Promise<Settlement> {
    const { handle } = transition;
    const sealed = {
      ...transition,
      handle: handle === undefined || handle === null ? handle : await this.#seal(handle),
    };
    const event = this.#eventOf(transition);
    const part = step === null || this.place.last === 0 ? undefined : await this.#provenPart(step);
    const followUp = this.#followUpOf(transition);
    return { guard: { ...this.#guard }, transition: sealed, event, followUp, ...(part === undefined ? {} : { part }) };
  }

  async #provenPart({ move, transition: { live } }: ThreadStep): Promise<ProvenPart | undefined> {
    if (live === undefined) return undefined;
    const { id, url, urlState } = live;
    const { position } = this.place;
    // Where the address is not known, neither may be the id: the handle is what finds both. That of the first part says what
    // files it was sent with, and is compared with what its network shows.
    const handle = urlState === "none" && position > 0 ? null : this.#handle;
    const sealed = handle === null ? {} : { handle: await this.#seal(handle) };
    const out: LivePart = { id, url, urlState, at: this.now(), attempts: this.#attempts, ...sealed };
    return { proof: move, position, live: out };
  }

  /** What a settlement counts as; null: as nothing. */
  outcomeOf({ transition, part }: Settlement): string | null {
    // A thread went out when its first part did.
    if (part !== undefined && part.position > 0) return null;
    const { platform } = this.due.delivery;
    const { scheduledFor, sentAt } = this.facts;
    return outcomeName({ platform, state: this.#state, scheduledFor, sentAt, now: this.now() }, transition);
  }

  /** A guarded write that stands by itself. */
  async #write(act: (guard: DeliveryGuard) => Promise<boolean>): Promise<void> {
    const guard = { ...this.#guard };
    if (!(await untilKnown(this.#parts.ctx, () => act(guard)))) throw new GuardLost();
    this.#guard.version++;
  }

  get #db() {
    return this.#parts.ctx.databaseOf(this.due.delivery.workspaceId);
  }

  #seal(handle: Json): Promise<string> {
    return sealHandle(this.#parts.ctx, this.due.delivery, handle);
  }

  #followUpOf({ state, live }: Transition): FollowUp {
    const { delivery, post } = this.due;
    const now = this.now();
    const network = networkOf(delivery.platform);
    const hasFiles = usesFiles(post);
    if (live === undefined || state !== "live") {
      const canAsk = state === "outcome_unknown" && network?.reconcile !== undefined;
      return { checkAt: canAsk ? firstSearchAt(this.#sentAt ?? now, now) : null, hasComment: false, hasFiles };
    }
    const hasComment =
      network?.firstComment !== undefined && firstCommentOf(post.overrides[delivery.channelId]) !== null;
    const additions = dueAdditions(Object.keys(network?.additions ?? {}), post.overrides[delivery.channelId]);
    const isMoreDue = hasComment || additions !== null;
    const checkAt = isMoreDue
      ? now
      : nextVerificationAt(
          { publishedAt: now, urlState: live.urlState, rechecks: readRechecks(delivery.platform, delivery.rechecks) },
          now,
        );
    return { checkAt, hasComment, additions, hasFiles };
  }

  #eventOf({ event, live, error, nextAt, networkMessage }: Transition) {
    if (event === null) return null;
    const { delivery, post } = this.due;
    const { metadata, author } = post;
    // The address of a thread is that of its first part, known or not.
    const [out = live] = this.liveParts;
    const url = live === undefined ? null : (out?.url ?? null);
    const attempt = this.#attempts;
    const news = { event, attempt, url, error, networkMessage, nextAttemptAt: nextAt, metadata, author };
    return deliveryEvent({ now: this.now(), entropy: this.#parts.ctx.entropy }, delivery, news);
  }
}
