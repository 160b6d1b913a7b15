// A session is one attempt to process a delivery. It holds the row as this attempt read it or wrote it last, and the guard
// that every one of its writes carries. The steps of the pipeline (-> deliver.ts) read it, and note what they have written.
import type { Context } from "../context.ts";
import { DatabaseAway } from "../domain/database-fault.ts";
import {
  type DeliveryDecision,
  type DeliveryFacts,
  decideFailure,
  decideOutcome,
  type Moment,
  type Recovery,
} from "../domain/delivery/decide-outcome.ts";
import { decideReconciliation, type Reconciliation } from "../domain/delivery/decide-reconciliation.ts";
import type { FailureCode } from "../domain/delivery/failure.ts";
import type { Reason, Retryable } from "../domain/delivery/outcome.ts";
import { getLastTry, lastSentAt } from "../domain/delivery/stored-facts.ts";
import type { LiveThreadPart, ThreadPosition } from "../domain/delivery/thread.ts";
import { type DeliveryState, maybeSent } from "../domain/delivery/transitions.ts";
import { base64Url } from "../domain/encoding.ts";
import type { Json } from "../domain/json.ts";
import { getThread } from "../domain/posts/thread.ts";
import { findNetwork } from "../networks/index.ts";
import type { Network } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { type DueDelivery, makeGuard } from "../store/deliveries/due.ts";
import type { DeliveryGuard } from "../store/deliveries/guard.ts";
import { sealPublishKey } from "./publish-key.ts";
import { StorageLost } from "./unwritten.ts";

/** Another writer has changed the delivery, so this session must not touch it any more. */
export class GuardLost extends Error {
  override name = "GuardLost";
}

/** Whether an error means that this session must stop. */
export const endsSession = (error: unknown): boolean =>
  error instanceof GuardLost || error instanceof DatabaseAway || error instanceof StorageLost;

/** The result of a step that ends the session early. null: another writer has decided the delivery. */
export interface Decided {
  decision: DeliveryDecision | null;
}

export interface SessionTools {
  ctx: Context;
  /** How many milliseconds the database's clock is ahead of ours, as of its last answer. */
  skewMs(): number;
}

export class DeliverySession {
  readonly due: DueDelivery;
  readonly ctx: Context;
  /** The delivery's network; undefined if this deployment does not have it. */
  readonly network: Network | undefined;
  /** Whether the network may have had the post before this session began. It is then asked before anything is sent. */
  readonly maybeSent: boolean;
  /** The guard of the next write. */
  readonly guard: DeliveryGuard;
  /** The row's state, as this session read it or wrote it last. */
  state: DeliveryState;
  attempts: number;
  sentAt: number | null;
  hasOpenSend: boolean;
  /** The publish key, once the session knows it. */
  publishKey: Json = null;
  /** The thread parts that were live when the session began. */
  readonly liveThreadParts: LiveThreadPart[];
  readonly threadPosition: ThreadPosition;
  readonly #skewMs: number;

  constructor({ ctx, skewMs }: SessionTools, due: DueDelivery) {
    const { delivery } = due;
    this.due = due;
    this.ctx = ctx;
    this.network = findNetwork(delivery.platform);
    this.maybeSent = maybeSent(delivery.state);
    // Uses the current skew. The skew at the time of the read may be old, because the delivery may have waited for other work.
    this.#skewMs = skewMs();
    this.guard = makeGuard(due, base64Url(ctx.entropy(9)));
    this.state = delivery.state;
    this.attempts = delivery.sends.length;
    this.sentAt = lastSentAt(delivery);
    this.hasOpenSend = delivery.hasOpenSend;
    this.liveThreadParts = due.threadParts;
    this.threadPosition = {
      position: this.liveThreadParts.length,
      last: getThread(due.post, delivery.channelId).length,
      isHeldBack: delivery.isHeldBack,
    };
  }

  get facts(): DeliveryFacts {
    const { delivery } = this.due;
    const { scheduledFor } = delivery;
    return {
      hasOpenSend: this.hasOpenSend,
      // In a thread, only the attempts of the current part.
      attempts: this.attempts - (this.liveThreadParts.at(-1)?.attempts ?? 0),
      retries: getLastTry(delivery).retries,
      scheduledFor: scheduledFor ?? this.due.now,
      sentAt: this.sentAt,
    };
  }

  /**
   * How a call without an answer can be reconciled. If the post was cancelled, or the delivery was set back with its database,
   * calls are still reconciled, but nothing is sent again.
   */
  get #recovery(): Recovery {
    const { post, delivery } = this.due;
    return {
      canAsk: this.network?.reconcile !== undefined,
      republishAfterMs:
        post.cancelledAt === null && !delivery.isHeldBack ? (this.network?.republishAfterMs ?? null) : null,
    };
  }

  /** Epoch milliseconds by the database's clock. */
  now(): number {
    return this.ctx.now() + this.#skewMs;
  }

  #moment(): Moment {
    const [byte = 128] = this.ctx.entropy(1);
    return { now: this.now(), jitter: byte / 256 };
  }

  /** Decides from an answer to `prepare` or `publish`. */
  decide(outcome: Parameters<typeof decideOutcome>[1]): DeliveryDecision {
    return decideOutcome(this.facts, outcome, this.#recovery, this.#moment());
  }

  /** Decides from the reconciliation of a delivery that may have been sent. `resend`: it is published again. */
  decideReconciled(reconciliation: Reconciliation): DeliveryDecision | "resend" {
    const state = this.due.delivery.state === "processing" ? "processing" : "reconciling";
    return decideReconciliation({ ...this.facts, state }, reconciliation, this.#recovery, this.#moment());
  }

  /** Decides about a delivery that cannot be worked now, without asking its network about it. */
  putOff(retryable: Retryable): DeliveryDecision | null {
    if (!this.maybeSent) return this.decide(retryable);
    const next = this.decideReconciled({ ...retryable, isUnasked: true });
    return next === "resend" ? null : next;
  }

  /** Ends the delivery for a reason of our own. A post that may be out is not called failed. */
  fail(error: FailureCode, reason: Reason): DeliveryDecision {
    return decideFailure(this.maybeSent ? { ...this.facts, hasOpenSend: true } : this.facts, error, reason);
  }

  logFields() {
    const { workspaceId, postId, channelId, platform } = this.due.delivery;
    return { workspace: workspaceId, post: postId, channel: channelId, platform };
  }

  get db() {
    return this.ctx.databaseOf(this.due.delivery.workspaceId);
  }

  /** Makes a guarded write of its own, and waits until its result is known. Throws `GuardLost`. */
  async write(act: (guard: DeliveryGuard) => Promise<boolean>): Promise<void> {
    const guard = { ...this.guard };
    if (!(await untilKnown(this.ctx, () => act(guard)))) throw new GuardLost();
    this.guard.version++;
  }

  seal(publishKey: Json): Promise<string> {
    return sealPublishKey(this.ctx, this.due.delivery, publishKey);
  }
}
