// What one session knows of the delivery that it works: its guard, its facts, and how they change with what is written.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { firstCommentOf } from "../domain/delivery/first-comment.ts";
import { type DeliveryFacts, fail, type Moment, type Transition } from "../domain/delivery/settle.ts";
import { type DeliveryState, mayFollow, TransitionNotAllowed } from "../domain/delivery/transitions.ts";
import { firstSearchAt, nextVerificationAt } from "../domain/delivery/verification.ts";
import { base64Url } from "../domain/encoding.ts";
import { deliveryEvent } from "../domain/event-body.ts";
import type { Json } from "../domain/json.ts";
import { outcomeName } from "../domain/lateness.ts";
import { usesFiles } from "../domain/posts/post.ts";
import { networkOf } from "../networks/index.ts";
import { DatabaseAway, untilKnown } from "../store/db/until-known.ts";
import { type DueDelivery, guardOf } from "../store/deliveries/due.ts";
import type { DeliveryGuard } from "../store/deliveries/guard.ts";
import { recoverSend, saveHandle, withdrawIntent } from "../store/deliveries/send-intent.ts";
import type { FollowUp, Settlement } from "../store/deliveries/settle.ts";
import { cancelUnsent, isDisconnected } from "../store/deliveries/stop-unsent.ts";
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

  constructor(parts: SessionParts, due: DueDelivery) {
    this.#parts = parts;
    this.due = due;
    this.#skewMs = due.now - parts.ctx.now();
    this.#guard = guardOf(due, base64Url(parts.ctx.entropy(9)));
    this.#state = due.delivery.state;
    this.#attempts = due.delivery.attempts;
    this.#sentAt = due.delivery.sentAt;
    this.#hasOpenSend = due.delivery.hasOpenSend;
  }

  get facts(): DeliveryFacts {
    const { retries, scheduledFor } = this.due.delivery;
    return {
      hasOpenSend: this.#hasOpenSend,
      attempts: this.#attempts,
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

  /** Makes a publish handle durable. Throws `GuardLost`. */
  async saveHandle(handle: Json): Promise<void> {
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
   * After a send intent that was not allowed: the delivery ends as cancelled or disconnected. null: it did, or somebody
   * else has it now.
   */
  async stopUnsent(): Promise<Transition | null> {
    const guard = { ...this.#guard };
    await untilKnown(this.#parts.ctx, () => cancelUnsent(this.#db, guard));
    if (!(await untilKnown(this.#parts.ctx, () => isDisconnected(this.#db, guard)))) return null;
    return fail(this.facts, "channel_disconnected", "the channel was disconnected before anything was sent");
  }

  /**
   * A transition with its event, as it is to be written. Throws `TransitionNotAllowed` for one that the table does not have:
   * the row stays as it is, and what may be out is asked for again. Proof that the post is live is never held up.
   */
  async settlementOf(transition: Transition): Promise<Settlement> {
    const { handle, live } = transition;
    if (!mayFollow(this.#state, transition.state)) {
      const error = new TransitionNotAllowed(this.#state, transition.state);
      if (live === undefined) throw error;
      log("error", "transition_not_allowed", { ...this.logFields(), error: error.message });
    }
    const sealed = {
      ...transition,
      handle: handle === undefined || handle === null ? handle : await this.#seal(handle),
    };
    const event = this.#eventOf(transition);
    return { guard: { ...this.#guard }, transition: sealed, event, followUp: this.#followUpOf(transition) };
  }

  /** What a settlement counts as; null: as nothing. */
  outcomeOf({ transition }: Settlement): string | null {
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
    if (live === undefined) {
      const canAsk = state === "outcome_unknown" && network?.reconcile !== undefined;
      return { checkAt: canAsk ? firstSearchAt(this.#sentAt ?? now, now) : null, hasComment: false, hasFiles };
    }
    const hasComment =
      network?.firstComment !== undefined && firstCommentOf(post.overrides[delivery.channelId]) !== null;
    const checkAt = hasComment ? now : nextVerificationAt(now, live.urlState === "pending", now);
    return { checkAt, hasComment, hasFiles };
  }

  #eventOf({ event, live, error, nextAt }: Transition) {
    if (event === null) return null;
    const { delivery, post } = this.due;
    const { metadata } = post;
    const news = { event, attempt: this.#attempts, url: live?.url ?? null, error, nextAttemptAt: nextAt, metadata };
    return deliveryEvent({ now: this.now(), entropy: this.#parts.ctx.entropy }, delivery, news);
  }
}

/** Tells in the log what a settlement came to. */
export function logSettled(
  session: DeliverySession,
  { transition: { state, error } }: Settlement,
  written: boolean,
): void {
  if (!written) {
    log("warn", "guard_lost", session.logFields());
    return;
  }
  // What went well is counted; its event says the rest.
  if (error === null) return;
  const level = state === "failed" || state === "outcome_unknown" ? "warn" : "info";
  log(level, "delivery_settled", { ...session.logFields(), outcome: error });
}
