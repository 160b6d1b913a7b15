// Step 6. Writes what the session has decided: the delivery, its event, the webhook messages and the post's status, in one
// transaction. The send intents of step 4 are written here, too.
//
// The sessions of one publisher share their round trips to the database (-> group-commit.ts), so a write waits a little for
// the sessions that will also write soon: those that have a connection, until their record is written. While a channel has
// another delivery, its place is kept as soon as the previous one is decided, so that the record of the one and the send
// intent of the next share a round trip. If the database does not answer, a record is kept in the object's own storage
// before the write is repeated, and so is the fact that an announced call was never made (-> unwritten.ts).
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { DatabaseAway } from "../domain/database-fault.ts";
import type { DeliveryDecision } from "../domain/delivery/decide-outcome.ts";
import { isEnded } from "../domain/delivery/transitions.ts";
import { outcomeName } from "../domain/lateness.ts";
import type { DeliveryGuard } from "../store/deliveries/guard.ts";
import type { DeliveryRecord, Recorded } from "../store/deliveries/record.ts";
import type { SendIntent, WrittenIntent } from "../store/deliveries/send-intent.ts";
import { buildRecord } from "./delivery-record.ts";
import type { DeliverySession } from "./delivery-session.ts";
import { GroupCommit } from "./group-commit.ts";
import { deleteCopies } from "./remote-copy.ts";
import type { Unwritten } from "./unwritten.ts";

/** How a session ended, and the result of writing that to the database. */
export interface Delivered {
  record: DeliveryRecord;
  recorded: Promise<Recorded>;
}

export class Recorder {
  /** The outcomes of the recorded deliveries since the last `takeOutcomes`, by name (-> domain/lateness.ts). */
  #outcomes: Record<string, number> = {};
  readonly #ctx: Context;
  readonly #unwritten: Unwritten;
  readonly #commit: GroupCommit;

  constructor(ctx: Context, unwritten: Unwritten, workspaceId: string) {
    this.#ctx = ctx;
    this.#unwritten = unwritten;
    this.#commit = new GroupCommit({ ctx, unwritten, workspaceId });
  }

  /** Expects writes of a session, which takes the place that was kept for its channel. */
  expect({ guard: { session, key } }: DeliverySession): void {
    this.#commit.expect(session);
    this.#commit.dismiss(key.channelId);
  }

  /** Expects no further writes of a session. */
  dismiss({ guard }: DeliverySession): void {
    this.#commit.dismiss(guard.session);
  }

  /** Notes that no other delivery of a channel begins now. */
  endChannel(channelId: string): void {
    this.#commit.dismiss(channelId);
  }

  /** Returns the counted outcomes, and counts anew; null if nothing was counted. */
  takeOutcomes(): Record<string, number> | null {
    const outcomes = this.#outcomes;
    this.#outcomes = {};
    return Object.keys(outcomes).length === 0 ? null : outcomes;
  }

  /**
   * Writes a send intent. Returns null if the delivery must not be sent. Throws `DatabaseAway` if it is unknown whether the
   * intent was written.
   */
  async announce(intent: SendIntent): Promise<WrittenIntent> {
    try {
      return await this.#commit.announce(intent);
    } catch (error) {
      // The call never left, even if the row now says that it was announced.
      if (error instanceof DatabaseAway) this.keepUnsent(intent.guard);
      throw error;
    }
  }

  /** Notes that a send intent may be in the database although its call was not made. `guard`: before the intent. */
  keepUnsent(guard: DeliveryGuard): void {
    this.#unwritten.keepUnsent(guard);
  }

  /**
   * Starts writing a decision. `hasNext`: another delivery of the channel begins while this one is written. Throws
   * `TransitionNotAllowed`. Throws `DatabaseAway` (as `recorded`) if the database does not answer.
   */
  async record(session: DeliverySession, decision: DeliveryDecision, hasNext = false): Promise<Delivered> {
    if (hasNext) this.#commit.expect(session.guard.key.channelId);
    const record = await buildRecord(session, decision);
    return { record, recorded: this.#write(session, record) };
  }

  async #write(session: DeliverySession, record: DeliveryRecord): Promise<Recorded> {
    try {
      const recorded = await this.#commit.record(record);
      this.#unwritten.forgetRecord(record);
      if (recorded.written) this.#announceOutcome(session, record);
      else log("warn", "guard_lost", session.logFields());
      const { endpointsToNotify } = recorded;
      if (endpointsToNotify.length > 0) {
        this.#ctx.later(this.#ctx.webhooks.wake(record.guard.key.workspaceId, endpointsToNotify));
      }
      return recorded;
    } finally {
      this.dismiss(session);
    }
  }

  /** Counts and logs a written record, and does what may follow it only then. */
  #announceOutcome(session: DeliverySession, { guard, decision, event, threadPart }: DeliveryRecord): void {
    const ctx = this.#ctx;
    const { delivery, media } = session.due;
    const { state, error } = decision;
    // Successes are only counted: their event has the details.
    if (error !== null) {
      const level = state === "failed" || state === "outcome_unknown" ? "warn" : "info";
      log(level, "delivery_recorded", { ...session.logFields(), outcome: error });
    }
    // A thread counts once, when its first part goes live.
    if (threadPart === undefined || threadPart.live.position === 0) {
      const { platform } = delivery;
      const { scheduledFor, sentAt } = session.facts;
      const name = outcomeName({ platform, state: session.state, scheduledFor, sentAt, now: session.now() }, decision);
      if (name !== null) this.#outcomes[name] = (this.#outcomes[name] ?? 0) + 1;
    }
    // The delivery has ended, so its copied files are not needed any more.
    if (isEnded(state)) ctx.later(deleteCopies(ctx, delivery, media));
    if (event?.event === "delivery.failed" && ctx.mail !== null) {
      ctx.later(ctx.queue.send([{ kind: "notify", workspace: guard.key.workspaceId }]));
    }
  }
}
