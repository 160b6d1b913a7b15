// Step 2. A connection is everything that calls to the network need: one of the few connections that the runtime allows, a
// usable credential, and the publish key of an earlier attempt. If the network refuses the access token during a later step,
// the token is renewed once, and that step is repeated.
import type { DeliveryDecision } from "../domain/delivery/decide-outcome.ts";
import {
  type Reason,
  type Rejected,
  type Retryable,
  reasonFor,
  type Unauthorized,
} from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import type { ConnectorContext, Network, NetworkIO } from "../networks/network.ts";
import type { ConnectionLimiter } from "./connection-limiter.ts";
import type { Credentials, UsableCredential } from "./credentials.ts";
import type { DeliverySession } from "./delivery-session.ts";
import type { NetworkHealth } from "./network-health.ts";
import { sendsFiles } from "./publication.ts";
import { unsealPublishKey } from "./publish-key.ts";
import type { Recorder } from "./record.ts";

export interface ConnectTools {
  limiter: ConnectionLimiter;
  health: NetworkHealth;
  credentials: Credentials;
  recorder: Recorder;
}

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
 * Waits for a connection and runs `work` with it. Returns what `work` decides, or the decision if the network cannot be called
 * now.
 */
export function connect(
  { limiter, health, credentials, recorder }: ConnectTools,
  session: DeliverySession,
  network: Network,
  work: (connection: Connection) => Promise<DeliveryDecision | null>,
): Promise<DeliveryDecision | null> {
  const { ctx, due } = session;
  const { platform } = due.delivery;
  const hasFiles = !session.maybeSent && sendsFiles(network, due, session.threadPosition.position);
  return limiter.use({ network: platform, hasFiles, isFollowUp: false }, async () => {
    recorder.expect(session);
    if (!session.maybeSent && health.isPaused(platform)) return session.putOff(PAUSED);
    const io = health.watch(platform, ctx.networkIO(platform));
    const current = await credentials.ready(network, due.channel, io);
    if (current.is === "rejected") return session.fail(current.error, current);
    if (current.is === "retryable") return session.putOff(current);
    const unsealed = await unsealPublishKey(ctx, due.delivery);
    if (unsealed === "unreadable") return session.putOff(UNREADABLE);
    session.publishKey = unsealed.publishKey;
    return work(new Connection(session, network, { io, credentials, recorder }, current));
  });
}

/** A session's access to its network. */
export class Connection {
  readonly session: DeliverySession;
  readonly network: Network;
  readonly recorder: Recorder;
  readonly #io: NetworkIO;
  /** As connectors get it: they store times and compare them with the times of other sessions, by the database's clock. */
  readonly #timedIO: NetworkIO;
  readonly #credentials: Credentials;
  #current: UsableCredential;
  #isRenewed = false;
  /** The network's reason for refusing our access tokens. `isOver`: the credential itself is no longer usable. */
  refusal: { reason: Reason; isOver: boolean } | null = null;
  /** Whether the access token was refused, and the credential could not be renewed for now. */
  hasNoToken = false;

  constructor(
    session: DeliverySession,
    network: Network,
    { io, credentials, recorder }: { io: NetworkIO; credentials: Credentials; recorder: Recorder },
    current: UsableCredential,
  ) {
    this.session = session;
    this.network = network;
    this.recorder = recorder;
    this.#io = io;
    this.#timedIO = { ...io, now: () => session.now() };
    this.#credentials = credentials;
    this.#current = current;
  }

  get context(): ConnectorContext<Json> {
    return { credential: this.#current.credential, io: this.#timedIO };
  }

  /** Calls the network. If it refuses the access token, calls it once more with a renewed one. */
  async withFreshToken<Fresh extends { is: string }>(
    call: (context: ConnectorContext<Json>) => Promise<Fresh | Unauthorized>,
  ): Promise<Fresh | Retryable | Rejected> {
    const first = await call(this.context);
    if (!isUnauthorized(first)) return first;
    const failure = await this.renew();
    if (failure !== null) return failure;
    const second = await call(this.context);
    return isUnauthorized(second) ? this.revoked(second) : second;
  }

  /** Renews the credential once. Returns null if the credential is fresh. */
  async renew(): Promise<Retryable | Rejected | null> {
    if (this.#isRenewed) return this.revoked({ detail: "the network refuses a token that was just renewed" });
    this.#isRenewed = true;
    const { channel } = this.session.due;
    const current = await this.#credentials.renew(this.network, channel, this.#io, this.#current);
    if (current.is === "rejected") this.refusal = { reason: reasonFor(current), isOver: true };
    if (current.is === "retryable") this.hasNoToken = true;
    if (current.is !== "usable") return current;
    this.#current = current;
    return null;
  }

  /** The network refuses even a fresh access token. */
  revoked(answer: Reason): Rejected {
    const reason = reasonFor(answer);
    this.refusal ??= { reason, isOver: false };
    return { is: "rejected", error: "token_revoked", ...reason };
  }
}

function isUnauthorized(answer: { is: string } | Unauthorized): answer is Unauthorized {
  return answer.is === "unauthorized";
}
