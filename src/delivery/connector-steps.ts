// The connector's steps for one delivery: prepare, publish, reconcile. If the network refuses the access token, the token is
// renewed once and the step is repeated.
import { sha256Hex } from "../adapters/digest.ts";
import { errorText, log } from "../adapters/log.ts";
import { counted } from "../adapters/outbound.ts";
import type { Context } from "../context.ts";
import { DatabaseAway } from "../domain/database-fault.ts";
import type { Unasked } from "../domain/delivery/decide-outcome.ts";
import {
  type Outcome,
  type PrepareOutcome,
  type Reason,
  type ReconcileOutcome,
  type Rejected,
  type Retryable,
  reasonFor,
  type Unauthorized,
  type Unknown,
} from "../domain/delivery/outcome.ts";
import { describeReason, explain } from "../domain/delivery/reason.ts";
import { HostBusy } from "../domain/host-busy.ts";
import { canonicalJson, type Json } from "../domain/json.ts";
import { MediaUnavailable } from "../networks/media-file.ts";
import type { ConnectorContext, Network, NetworkIO, Publication } from "../networks/network.ts";
import type { Credentials, UsableCredential } from "./credentials.ts";
import { type DeliverySession, GuardLost } from "./delivery-session.ts";
import { unavailable } from "./publication.ts";
import { StorageLost } from "./unwritten.ts";

/**
 * How soon after its send intent the call must be made. Recovery computes its time limits from the instant of the intent, so a
 * later call first writes a new intent.
 */
const CALL_WITHIN_MS = 10_000;

export interface ConnectorParts {
  ctx: Pick<Context, "takeHost">;
  session: DeliverySession;
  network: Network;
  /** The connector's access to the network. */
  io: NetworkIO;
  credentials: Credentials;
}

/** Whether an error means that this session must stop. */
const endsSession = (error: unknown): boolean =>
  error instanceof GuardLost || error instanceof DatabaseAway || error instanceof StorageLost;

const OURS: Retryable = {
  is: "retryable",
  error: "internal_error",
  detail: "asking the network failed on our side",
};

export class ConnectorSteps {
  readonly #ctx: ConnectorParts["ctx"];
  readonly #session: DeliverySession;
  readonly #network: Network;
  readonly #io: NetworkIO;
  readonly #credentials: Credentials;
  #current: UsableCredential;
  #renewed = false;
  /** The network's reason for refusing our access tokens. `isOver`: the credential itself is no longer usable. */
  #refused: { reason: Reason; isOver: boolean } | null = null;
  /** Whether the access token was refused, and the credential could not be renewed for now. */
  #hasNoToken = false;

  constructor({ ctx, session, network, io, credentials }: ConnectorParts, current: UsableCredential) {
    this.#ctx = ctx;
    this.#session = session;
    this.#network = network;
    this.#io = io;
    this.#credentials = credentials;
    this.#current = current;
  }

  /**
   * Prepares the post without publishing anything. Calls to hosts that users named are rate limited, so the post may have to
   * wait for them.
   */
  async prepare(
    publication: Publication<Json, Json>,
    publishKey: Json,
  ): Promise<Exclude<PrepareOutcome, { is: "unauthorized" }>> {
    const save = (publishKey: Json) => this.#session.savePublishKey(publishKey);
    try {
      return await this.#withFreshToken((context) =>
        this.#network.prepare(publication, this.#counting(context), publishKey, save),
      );
    } catch (error) {
      if (endsSession(error)) throw error;
      if (error instanceof MediaUnavailable) return unavailable(error);
      if (error instanceof HostBusy) {
        const retryAt = this.#session.now() + error.waitS * 1000;
        return { is: "retryable", error: "network_unavailable", detail: error.message, retryAt };
      }
      log("error", "prepare_failed", { ...this.#session.logFields(), error: errorText(error) });
      return { is: "retryable", error: "internal_error", detail: "preparing the post failed on our side" };
    }
  }

  /** Writes the send intent and makes the irrevocable call. Returns null if the delivery may not be sent any more. */
  async publish(
    publication: Publication<Json, Json>,
    publishKey: Json,
  ): Promise<Exclude<Outcome, { is: "unauthorized" }> | null> {
    const first = await this.#attempt(publication, publishKey);
    if (first?.is !== "unauthorized") return first;
    await this.#session.withdraw("unauthorized", describeReason(first));
    const renewed = await this.#renew();
    if (renewed !== null) return renewed;
    const second = await this.#attempt(publication, publishKey);
    return second?.is === "unauthorized" ? this.#revoked(second) : second;
  }

  /** Asks the network about a call that had no answer, or that it is still processing. */
  async reconcile(publishKey: Json): Promise<Exclude<ReconcileOutcome, { is: "unauthorized" }> | Unasked> {
    const { reconcile } = this.#network;
    if (reconcile === undefined) return { is: "unknown", detail: "the answer of the network was lost" };
    // A restored database may have lost the rows that held the key by which the network knows the post.
    if (publishKey === null) return { is: "unknown", detail: "nothing is left to ask the network with" };
    try {
      const answer = await this.#withFreshToken((context) => reconcile(publishKey, context));
      if (answer.is === "retryable" && this.#hasNoToken) return { ...answer, isUnasked: true };
      if (this.#refused === null) return explainSilence(answer);
      const { reason, isOver } = this.#refused;
      // A network that refuses the question gives no answer, so the post may still be out. While the channel is connected,
      // the next question may be answered.
      return isOver ? { is: "unknown", ...reason, final: true } : explainSilence({ is: "unknown", ...reason });
    } catch (error) {
      if (endsSession(error)) throw error;
      log("error", "reconcile_failed", { ...this.#session.logFields(), error: errorText(error) });
      // The network was not asked, or its answer did not arrive, so its final answer is still to come.
      return { ...OURS, isUnasked: true };
    }
  }

  async #attempt(publication: Publication<Json, Json>, publishKey: Json): Promise<Outcome | null> {
    const announced = await this.#intend(publication, publishKey);
    if (announced !== "go") return announced;
    try {
      return await this.#network.publish(publication, publishKey, this.#context());
    } catch (error) {
      if (endsSession(error)) throw error;
      // The call may have left before this error: only the network knows.
      log("error", "publish_failed", { ...this.#session.logFields(), error: errorText(error) });
      return { is: "unknown", detail: "the call broke off" } satisfies Unknown;
    }
  }

  /** Writes the send intent. If the database took too long to confirm it, the intent is written once more. */
  async #intend(
    { text, options, postType, media, replyTo }: Publication<Json, Json>,
    publishKey: Json,
  ): Promise<"go" | Retryable | null> {
    const files = media.map(({ id, bytes, contentType, alt }) => ({ id, bytes, contentType, alt }));
    const reply = replyTo === undefined ? {} : { reply_to: replyTo.parent.id };
    const payloadHash = await sha256Hex(canonicalJson({ text, options, postType, files, token: publishKey, ...reply }));
    for (let tries = 0; tries < 2; tries++) {
      const ageMs = await this.#session.intend(publishKey, payloadHash);
      if (ageMs === null) return null;
      if (ageMs <= CALL_WITHIN_MS) return "go";
      await this.#session.withdraw("unsent", "the database confirmed the intent too late");
    }
    return { is: "retryable", error: "internal_error", detail: "the database was too slow to send in time" };
  }

  async #withFreshToken<Fresh extends { is: string }>(
    step: (context: ConnectorContext<Json>) => Promise<Fresh | Unauthorized>,
  ): Promise<Fresh | Retryable | Rejected> {
    const first = await step(this.#context());
    if (!isUnauthorized(first)) return first;
    const renewed = await this.#renew();
    if (renewed !== null) return renewed;
    const second = await step(this.#context());
    return isUnauthorized(second) ? this.#revoked(second) : second;
  }

  /** A connector stores times and compares them with the times of other sessions, so it gets the database's clock. */
  #context(): ConnectorContext<Json> {
    return { credential: this.#current.credential, io: { ...this.#io, now: () => this.#session.now() } };
  }

  #counting(context: ConnectorContext<Json>): ConnectorContext<Json> {
    const { workspaceId } = this.#session.due.delivery;
    const fetchPublic = counted(context.io.fetchPublic, (url) => this.#ctx.takeHost(workspaceId, url));
    return { ...context, io: { ...context.io, fetchPublic } };
  }

  /** Renews the credential once. Returns null if the credential is fresh. */
  async #renew(): Promise<Retryable | Rejected | null> {
    if (this.#renewed) return this.#revoked({ detail: "the network refuses a token that was just renewed" });
    this.#renewed = true;
    const { channel } = this.#session.due;
    const current = await this.#credentials.renew(this.#network, channel, this.#io, this.#current);
    if (current.is === "rejected") this.#refused = { reason: reasonFor(current), isOver: true };
    if (current.is === "retryable") this.#hasNoToken = true;
    if (current.is !== "usable") return current;
    this.#current = current;
    return null;
  }

  #revoked(answer: Reason): Rejected {
    const reason = reasonFor(answer);
    this.#refused ??= { reason, isOver: false };
    return { is: "rejected", error: "token_revoked", ...reason };
  }
}

function isUnauthorized(answer: { is: string } | Unauthorized): answer is Unauthorized {
  return answer.is === "unauthorized";
}

/** Rewords an answer that leaves open whether the post is out, so that callers learn that the network was asked. */
function explainSilence<Answer extends Exclude<ReconcileOutcome, Unauthorized>>(answer: Answer): Answer {
  const isSilent = answer.is === "retryable" || (answer.is === "unknown" && answer.isAbsent !== true);
  if (!isSilent) return answer;
  return { ...answer, ...explain("the network was asked and did not say", answer) };
}
