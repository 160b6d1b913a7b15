// What one hand holds of one delivery, and the one place where its outcome is written.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { type DeliveryFacts, fail, type Moment, type Transition } from "../domain/delivery.ts";
import { FAILURES } from "../domain/failure.ts";
import { firstCommentOf } from "../domain/first-comment.ts";
import { makeId } from "../domain/ids.ts";
import { isoInstant, isoOrNull } from "../domain/instant.ts";
import type { Json } from "../domain/json.ts";
import { nextLookAt, nextSearchAt } from "../domain/recheck.ts";
import { networkOf } from "../networks/index.ts";
import { type Claim, holdOf } from "../store/claims.ts";
import type { Database } from "../store/db.ts";
import { cancelUnsent, isDisconnected } from "../store/deliveries.ts";
import { type Afterwards, type Ended, type Ending, settleDelivery } from "../store/endings.ts";
import type { EventRow } from "../store/events.ts";
import type { Hold } from "../store/hold.ts";
import { sendChecks } from "./channel-jobs.ts";
import type { Crew } from "./crew.ts";
import { sealToken } from "./token.ts";

/** Somebody else has the delivery now: touch nothing more. */
export class LostHold extends Error {
  override name = "LostHold";
}

export class Hand {
  readonly holder: string;
  readonly database: Database;
  readonly #crew: Crew;
  readonly #ctx: Context;
  readonly #claim: Claim;
  readonly #skewMs: number;
  readonly #hold: Hold;
  #attempts: number;
  #sentAt: number | null;

  constructor(crew: Crew, claim: Claim, holder: string) {
    const { ctx } = crew;
    this.#crew = crew;
    this.#ctx = ctx;
    this.#claim = claim;
    this.holder = holder;
    this.database = ctx.databaseOf(claim.delivery.workspaceId);
    this.#skewMs = claim.now - ctx.now();
    this.#hold = holdOf(claim, holder);
    this.#attempts = claim.delivery.attempts;
    this.#sentAt = claim.delivery.sentAt;
  }

  hold(): Hold {
    return { ...this.#hold };
  }

  get facts(): DeliveryFacts {
    const { ambiguous, retries, scheduledFor } = this.#claim.delivery;
    return {
      ambiguous,
      attempts: this.#attempts,
      retries,
      scheduledFor: scheduledFor ?? this.#claim.now,
      sentAt: this.#sentAt,
    };
  }

  /** Epoch milliseconds by the database's clock. */
  now(): number {
    return this.#ctx.now() + this.#skewMs;
  }

  moment(): Moment {
    const [byte = 128] = this.#ctx.entropy(1);
    return { now: this.now(), jitter: byte / 256 };
  }

  /** A token as it is stored. */
  seal(token: Json): Promise<string> {
    return sealToken(this.#ctx, this.#claim.delivery, token);
  }

  /** A guarded write of ours went through. */
  written(): void {
    this.#hold.ver++;
  }
  sent(at: number): void {
    this.#hold.ver++;
    this.#attempts++;
    this.#sentAt = at;
  }
  reopened(): void {
    this.#hold.ver++;
    this.#hold.fence++;
  }

  /**
   * After a write-ahead that was not allowed: the delivery ends as cancelled or disconnected. null: it did, or its lease
   * ran out while it was made ready, and whoever claims it next begins again.
   */
  async stopUnsent(): Promise<Transition | null> {
    const hold = this.hold();
    await cancelUnsent(this.database, hold);
    if (!(await isDisconnected(this.database, hold))) return null;
    return fail(this.facts, "channel_disconnected", "the channel was disconnected before anything was sent");
  }

  /** A transition with its event, as it is to be written. */
  async ending(transition: Transition): Promise<Ending> {
    const { token } = transition;
    const sealed = { ...transition, token: token === undefined || token === null ? token : await this.seal(token) };
    const afterwards = this.#afterwards(transition);
    return { hold: this.hold(), transition: sealed, event: this.#event(transition), afterwards };
  }

  #afterwards({ state, live }: Transition): Afterwards {
    const { delivery, post } = this.#claim;
    const { platform, channelId } = delivery;
    const { now } = this.moment();
    const network = networkOf(platform);
    if (live === undefined) {
      const canAsk = state === "unconfirmed" && network?.resolve !== undefined;
      return { platform, checkAt: canAsk ? nextSearchAt(this.#sentAt ?? now, now) : null, hasComment: false };
    }
    const hasComment = network?.firstComment !== undefined && firstCommentOf(post.overrides[channelId]) !== null;
    return { platform, checkAt: hasComment ? now : nextLookAt(now, live.urlState === "pending", now), hasComment };
  }

  /** Writes a transition by itself. Returns whether it was written: else the delivery is not ours any more. */
  async settle(transition: Transition): Promise<boolean> {
    const ending = await this.ending(transition);
    const ended = await settleDelivery(this.database, ending);
    this.settled(ending, ended);
    return ended.written;
  }

  /** Tells what became of the writing of an ending. */
  settled({ hold, transition: { state, error }, afterwards }: Ending, ended: Ended | null): void {
    if (ended?.written !== true) {
      log("warn", "hold_lost", this.logFields());
      return;
    }
    this.#crew.settled++;
    if (ended.toHear.length > 0) this.#ctx.later(this.#ctx.webhooks.wake(hold.key.workspaceId, ended.toHear));
    if (afterwards.hasComment) this.#ctx.later(sendChecks(this.#ctx, [hold.key]));
    // What went well is counted; its event says the rest.
    if (error === null) return;
    const level = state === "failed" || state === "unconfirmed" ? "warn" : "info";
    log(level, "delivery_settled", { ...this.logFields(), outcome: error });
  }

  logFields() {
    const { workspaceId, postId, channelId, platform } = this.#claim.delivery;
    return { workspace: workspaceId, post: postId, channel: channelId, platform };
  }

  #event(transition: Transition): EventRow | null {
    if (transition.event === null) return null;
    const { delivery, post } = this.#claim;
    const createdAt = this.moment().now;
    const id = makeId("evt", createdAt, this.#ctx.entropy);
    const body = JSON.stringify({
      event: transition.event,
      id,
      created_at: isoInstant(createdAt),
      workspace: delivery.workspaceId,
      post: delivery.postId,
      channel: delivery.channelId,
      platform: delivery.platform,
      delivery: delivery.id,
      attempt: this.#attempts,
      url: transition.live?.url ?? null,
      error: transition.error,
      action: transition.error === null ? null : FAILURES[transition.error].action,
      next_attempt_at: isoOrNull(transition.nextAt),
      metadata: post.metadata,
    });
    return { id, event: transition.event, body, createdAt };
  }
}
