// One claimed delivery: ready the credential and the files, stage, write ahead, send, settle (-> settle.ts). Nothing
// irrevocable leaves before a committed row says so; what gets no answer is unsure, never failed.
import { sha256Hex } from "../adapters/digest.ts";
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { fail, missedDeadline, type Recovery, settle, settleResolution, type Transition } from "../domain/delivery.ts";
import { canonicalJson, type Json } from "../domain/json.ts";
import type { Busy, Outcome, Refused, Resolution, StageOutcome, Stale, Unsure } from "../domain/outcome.ts";
import { networkOf } from "../networks/index.ts";
import { MediaUnavailable, type Network, type Publication, type Work } from "../networks/network.ts";
import type { Claim } from "../store/claims.ts";
import { reopen, saveToken } from "../store/deliveries.ts";
import type { Ending } from "../store/endings.ts";
import { Connection } from "./connections.ts";
import { failureOf, type HeldCredential, holdCredential, renew } from "./credential.ts";
import type { Crew } from "./crew.ts";
import { publicationOf, unavailable } from "./publication.ts";
import { type Hand, LostHold } from "./settle.ts";
import { openToken } from "./token.ts";

/** What was written ahead is sent within this time, or written ahead anew: recovery counts from that instant. */
const CALL_WITHIN_MS = 10_000;

/**
 * Works one claimed delivery up to its next state, and leaves it to be written; null when there is nothing to write. Never
 * throws for what a network or a file does.
 */
export async function workDelivery(crew: Crew, claim: Claim, hand: Hand): Promise<Ending | null> {
  try {
    const transition = await decide(crew, claim, hand);
    return transition === null ? null : await hand.ending(transition);
  } catch (error) {
    if (!(error instanceof LostHold)) throw error;
    log("warn", "hold_lost", hand.logFields());
    return null;
  }
}

/** A delivery that has come as far as the call that publishes. */
interface Ready {
  is: "ready";
  worker: Worker;
  publication: Publication<Json>;
  token: Json;
  recovery: Recovery;
  /** Whether it was sent before, without an answer. */
  isRepeat: boolean;
}

/** The next state of a claimed delivery; null when somebody else has decided it. */
async function decide(crew: Crew, claim: Claim, hand: Hand): Promise<Transition | null> {
  const hasFiles = claim.media.length > 0;
  const connection = new Connection(crew.connections, hasFiles);
  const made = await connection.use(async () => {
    const ready = await makeReady(crew, claim, hand, connection);
    // Files are open by now, and their bytes take their time: who sends them keeps the connection.
    return ready !== null && "is" in ready && hasFiles ? sendReady(ready, hand) : ready;
  });
  return made !== null && "is" in made ? sendReady(made, hand) : made;
}

async function sendReady(
  { worker, publication, token, recovery, isRepeat }: Ready,
  hand: Hand,
): Promise<Transition | null> {
  const outcome = await worker.send(publication, token);
  if (outcome !== null) return settle(hand.facts, outcome, recovery, hand.moment());
  return isRepeat ? settle(hand.facts, STOPPED, recovery, hand.moment()) : hand.stopUnsent();
}

/** What was sent before may be out all the same. */
const STOPPED: Unsure = {
  is: "unsure",
  detail: "the post or its channel was stopped before it could be sent again",
};

async function makeReady(
  crew: Crew,
  claim: Claim,
  hand: Hand,
  connection: Connection,
): Promise<Ready | Transition | null> {
  const { ctx } = crew;
  const { delivery, channel } = claim;
  const network = networkOf(delivery.platform);
  if (network === undefined) return fail(hand.facts, "network_unavailable", "this deployment has no such network");
  const cancelled = claim.post.cancelledAt !== null;
  // Of a cancelled post what may be out is looked for to the end, and nothing is sent again.
  const recovery = {
    canAsk: network.resolve !== undefined,
    resendAfterMs: cancelled ? null : network.resendAfterMs,
  };
  const asking = delivery.state === "uncertain" || delivery.state === "processing";

  if (!asking) {
    if (cancelled) return hand.stopUnsent();
    if (missedDeadline(hand.facts, hand.moment().now)) {
      return fail(hand.facts, "missed_deadline", "it was more than 24 hours late");
    }
  }
  // What the network has accepted may still go live, whatever became of the channel since.
  const facts = asking ? { ...hand.facts, ambiguous: true } : hand.facts;
  const unusable = failureOf(channel, hand.moment().now);
  if (unusable !== null) return fail(facts, unusable, "the channel was not connected when its time came");
  const held = await holdCredential(ctx, network, channel, hand.holder);
  if (held.is === "refused") return fail(facts, held.error, held.detail);

  const state = delivery.state === "processing" ? "processing" : "uncertain";
  const opened = await openToken(ctx, delivery);
  if (held.is === "busy" || opened === "closed") {
    const busy: Busy = held.is === "busy" ? held : CLOSED;
    if (!asking) return settle(facts, busy, recovery, hand.moment());
    const next = settleResolution({ ...hand.facts, state }, busy, recovery, hand.moment());
    return next === "resend" ? null : next;
  }
  const worker = new Worker(crew, claim, hand, network, held, connection);
  let { token } = opened;
  if (asking) {
    const resolution = await worker.resolve(token);
    const next = settleResolution({ ...hand.facts, state }, resolution, recovery, hand.moment());
    if (next !== "resend") return next;
  }
  const publication = await worker.publication();
  if ("is" in publication) return settle(hand.facts, publication, recovery, hand.moment());
  if (!asking) {
    const staged = await worker.stage(publication, token);
    if (staged.is !== "staged") return settle(hand.facts, staged, recovery, hand.moment());
    token = staged.token;
  }
  return { is: "ready", worker, publication, token, recovery, isRepeat: asking };
}

/** What the token began may still be finished, so no other is made in its place. */
const CLOSED: Busy = { is: "busy", error: "network_unavailable", detail: "the sealed token cannot be opened" };

/** The connector's steps for one delivery. A refused access token is renewed once, and the step made again. */
class Worker {
  readonly #crew: Crew;
  readonly #ctx: Context;
  readonly #claim: Claim;
  readonly #hand: Hand;
  readonly #network: Network;
  readonly #connection: Connection;
  #held: HeldCredential;
  #renewed = false;
  /** The network's word that the credential is over. */
  #lost: Refused | null = null;

  constructor(crew: Crew, claim: Claim, hand: Hand, network: Network, held: HeldCredential, connection: Connection) {
    this.#crew = crew;
    this.#ctx = crew.ctx;
    this.#connection = connection;
    this.#claim = claim;
    this.#hand = hand;
    this.#network = network;
    this.#held = held;
  }

  publication(): Promise<Publication<Json> | Busy | Refused> {
    return publicationOf(this.#ctx, this.#network, this.#claim);
  }

  async stage(publication: Publication<Json>, token: Json): Promise<Exclude<StageOutcome, { is: "stale" }>> {
    const save = async (token: Json) => {
      const sealed = await this.#hand.seal(token);
      if (!(await saveToken(this.#hand.database, this.#hand.hold(), sealed))) throw new LostHold();
      this.#hand.written();
    };
    try {
      return await this.#withFreshToken((work) => this.#network.stage(publication, work, token, save));
    } catch (error) {
      if (error instanceof LostHold) throw error;
      if (error instanceof MediaUnavailable) return unavailable(error);
      log("error", "stage_failed", { ...this.#hand.logFields(), error: errorText(error) });
      return { is: "busy", error: "network_unavailable", detail: "preparing the post failed on our side" };
    }
  }

  /** Writes ahead and sends. null: the delivery may not be sent any more. */
  async send(publication: Publication<Json>, token: Json): Promise<Exclude<Outcome, { is: "stale" }> | null> {
    const first = await this.#attempt(publication, token);
    if (first?.is !== "stale") return first;
    return this.#connection.use(async () => {
      await this.#reopen(first.detail);
      const renewed = await this.#renew();
      if (renewed !== null) return renewed;
      const second = await this.#attempt(publication, token);
      return second?.is === "stale" ? this.#revoked(second.detail) : second;
    });
  }

  async resolve(token: Json): Promise<Exclude<Resolution, { is: "stale" }>> {
    const { resolve } = this.#network;
    if (resolve === undefined) return { is: "unsure", detail: "the network offers no way to ask" };
    try {
      const answer = await this.#withFreshToken((work) => resolve(token, work));
      // Whoever may not ask any more has no answer: what was sent may be out.
      return this.#lost === null ? answer : { is: "unsure", detail: this.#lost.detail, final: true };
    } catch (error) {
      log("error", "resolve_failed", { ...this.#hand.logFields(), error: errorText(error) });
      return { is: "unsure", detail: "asking the network failed on our side" };
    }
  }

  async #attempt(publication: Publication<Json>, token: Json): Promise<Outcome | null> {
    const writtenAt = await this.#writeAhead(publication, token);
    if (writtenAt === null) return null;
    return this.#connection.use(async () => {
      if (this.#hand.now() - writtenAt > CALL_WITHIN_MS) {
        await this.#reopen("no connection was free in time");
        if ((await this.#writeAhead(publication, token)) === null) return null;
      }
      try {
        return await this.#network.send(publication, token, this.#work());
      } catch (error) {
        // The call may have left before this: only the network knows.
        log("error", "send_failed", { ...this.#hand.logFields(), error: errorText(error) });
        return { is: "unsure", detail: "the call broke off" };
      }
    }, true);
  }

  async #writeAhead({ text, options, postType, media }: Publication<Json>, token: Json): Promise<number | null> {
    const files = media.map(({ id, bytes, contentType, alt }) => ({ id, bytes, contentType, alt }));
    const { sendTimeoutMs } = this.#network;
    const sentAt = await this.#crew.tripsFor(this.#claim.delivery.workspaceId).writeAhead({
      hold: this.#hand.hold(),
      token: await this.#hand.seal(token),
      payloadHash: await sha256Hex(canonicalJson({ text, options, postType, files, token })),
      sendTimeoutMs,
    });
    if (sentAt !== null) this.#hand.sent(sentAt);
    return sentAt;
  }

  /** What was written ahead did not publish: it may be made once more, under a new fence. */
  async #reopen(why: string): Promise<void> {
    if (!(await reopen(this.#hand.database, this.#hand.hold(), why))) throw new LostHold();
    this.#hand.reopened();
  }

  async #withFreshToken<Fresh extends { is: string }>(
    step: (work: Work<Json>) => Promise<Fresh | Stale>,
  ): Promise<Fresh | Busy | Refused> {
    const first = await step(this.#work());
    if (!isStale(first)) return first;
    const renewed = await this.#renew();
    if (renewed !== null) return renewed;
    const second = await step(this.#work());
    return isStale(second) ? this.#revoked(second.detail) : second;
  }

  /** A connector's times are stored and compared with those of other workers, so it is told the database's time too. */
  #work(): Work<Json> {
    const wire = this.#ctx.wire(this.#claim.delivery.platform);
    return { credential: this.#held.credential, wire: { ...wire, now: () => this.#hand.now() } };
  }

  /** Renews the credential once; null when it is fresh. */
  async #renew(): Promise<Busy | Refused | null> {
    if (this.#renewed) return this.#revoked("the network refuses a token that was just renewed");
    this.#renewed = true;
    const held = await renew(this.#ctx, this.#network, this.#claim.channel, this.#hand.holder, this.#held);
    if (held.is === "refused") this.#lost = held;
    if (held.is !== "held") return held;
    this.#held = held;
    return null;
  }

  #revoked(detail: string): Refused {
    this.#lost = { is: "refused", error: "token_revoked", detail };
    return this.#lost;
  }
}

function isStale(answer: { is: string } | Stale): answer is Stale {
  return answer.is === "stale";
}
