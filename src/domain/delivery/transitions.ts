// The one table of a delivery's moves from state to state. A statement that makes a
// move reads from this table the states in which the move is allowed; all statements that write proof do this, and most others.
// A session checks every decision against the table before it writes. The simulation checks every commit against it, and
// docs/delivery.md prints it.
import type { DeliveryEvent } from "../event.ts";

export const DELIVERY_STATUSES = [
  "pending",
  "publishing",
  "retrying",
  "live",
  "handed_over",
  "failed",
  "removed",
  "cancelled",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The states, and the status that callers see for each. */
export const STATUS_OF = {
  pending: "pending",
  staged: "publishing",
  sending: "publishing",
  processing: "publishing",
  reconciling: "publishing",
  retry_wait: "retrying",
  live: "live",
  handed_over: "handed_over",
  failed: "failed",
  outcome_unknown: "failed",
  removed: "removed",
  cancelled: "cancelled",
} as const satisfies Record<string, DeliveryStatus>;
export type DeliveryState = keyof typeof STATUS_OF;
export const isState = (name: string): name is DeliveryState => Object.hasOwn(STATUS_OF, name);
export const STATES: readonly DeliveryState[] = Object.keys(STATUS_OF).filter(isState);

/** States in which nothing is published, and no call may have published. The delivery can be prepared, sent or cancelled. */
export const UNSENT = ["pending", "retry_wait", "staged"] as const satisfies DeliveryState[];
/** States in which the network may have the post, so that it is asked before anything is sent. */
export const MAYBE_SENT = ["sending", "processing", "reconciling"] as const satisfies DeliveryState[];
/** States that a delivery does not leave by itself: Crier does nothing more for it. */
export const ENDED = [
  "live",
  "handed_over",
  "failed",
  "outcome_unknown",
  "removed",
  "cancelled",
] as const satisfies DeliveryState[];
/** States of a delivery that did its work: its post was published, or handed over to the account's owner. */
export const CARRIED_OUT = ["live", "handed_over", "removed"] as const satisfies DeliveryState[];

/** The writer: the publisher of the channel, or the API for a caller. */
type Actor = "publisher" | "caller";

export interface Move {
  from: readonly DeliveryState[];
  to: DeliveryState;
  by: readonly Actor[];
  /** The event that is written in the same transaction. */
  event: DeliveryEvent | null;
  /** Only deliveries with a thread make this move. */
  ofThread?: true;
}

const PUBLISHER = ["publisher"] as const;

/** The allowed moves from state to state, by their cause. A write that keeps the state is not a move. */
export const MOVES = {
  prepared: {
    from: UNSENT,
    to: "staged",
    by: PUBLISHER,
    event: null,
  },
  announced: {
    from: [...UNSENT, "reconciling"],
    to: "sending",
    by: PUBLISHER,
    event: null,
  },
  withdrawn: {
    from: ["sending"],
    to: "staged",
    by: PUBLISHER,
    event: null,
  },
  unanswered: {
    from: MAYBE_SENT,
    to: "reconciling",
    by: PUBLISHER,
    event: null,
  },
  accepted: {
    from: MAYBE_SENT,
    to: "processing",
    by: PUBLISHER,
    event: null,
  },
  proven: {
    from: [...UNSENT, ...MAYBE_SENT, "outcome_unknown"],
    to: "live",
    by: PUBLISHER,
    event: "delivery.succeeded",
  },
  handed_over: {
    from: [...UNSENT, ...MAYBE_SENT, "outcome_unknown"],
    to: "handed_over",
    by: PUBLISHER,
    event: "delivery.handed_over",
  },
  part_live: {
    from: [...UNSENT, ...MAYBE_SENT],
    to: "staged",
    by: PUBLISHER,
    event: null,
    ofThread: true,
  },
  part_found: {
    from: ["outcome_unknown"],
    to: "failed",
    by: PUBLISHER,
    event: "delivery.failed",
    ofThread: true,
  },
  part_held_back: {
    from: [...MAYBE_SENT, "outcome_unknown"],
    to: "outcome_unknown",
    by: PUBLISHER,
    event: "delivery.failed",
    ofThread: true,
  },
  put_off: {
    from: [...UNSENT, "sending"],
    to: "retry_wait",
    by: PUBLISHER,
    event: "delivery.retrying",
  },
  voided: {
    from: ["processing", "reconciling"],
    to: "retry_wait",
    by: PUBLISHER,
    event: "delivery.retrying",
  },
  refused: {
    from: [...UNSENT, "sending"],
    to: "failed",
    by: PUBLISHER,
    event: "delivery.failed",
  },
  ended_by_network: {
    from: ["processing", "reconciling"],
    to: "failed",
    by: PUBLISHER,
    event: "delivery.failed",
  },
  given_up: {
    from: MAYBE_SENT,
    to: "outcome_unknown",
    by: PUBLISHER,
    event: "delivery.failed",
  },
  cancelled: {
    from: UNSENT,
    to: "cancelled",
    by: ["publisher", "caller"],
    event: null,
  },
  retried: {
    from: ["failed", "outcome_unknown"],
    to: "retry_wait",
    by: ["caller"],
    event: null,
  },
  found_gone: {
    from: ["live"],
    to: "removed",
    by: PUBLISHER,
    event: null,
  },
  taken_down: {
    from: ["live"],
    to: "removed",
    by: PUBLISHER,
    event: null,
  },
  parts_taken_down: {
    from: ["failed"],
    to: "removed",
    by: PUBLISHER,
    event: null,
    ofThread: true,
  },
} as const satisfies Record<string, Move>;

/** The cause of each move, for docs/delivery.md; the Worker does not bundle these texts. */
export const WHEN: Record<keyof typeof MOVES, string> = {
  prepared: "The publish key is stored, or the network is preparing the files. Nothing is public.",
  announced:
    "The send intent is written: the post is not cancelled, the channel is connected, and no other session has written the row. From `reconciling` only under the same publish key, on a network that recognizes the repeat.",
  withdrawn:
    "The call was never sent, its access token was rejected, or the network is still preparing. Nothing was published, and no earlier call is open.",
  unanswered: "The call had no conclusive answer, its session has ended, or an earlier call is still open.",
  accepted: "The network has the post and finishes processing it on its own.",
  proven:
    "The network proves that the post is live. Proof is accepted from every session, even if another session has written the row since.",
  handed_over:
    "The network proves that the draft is in the account's inbox. Its owner decides there whether to publish it. This proof, too, is accepted from every session.",
  part_live:
    "The network proves that a part of a thread is live, and more parts follow: the next part is prepared. This proof, too, is accepted from every session.",
  part_found:
    "The network proves that a part of a thread with an unknown outcome is live, and more parts follow: a retry continues with them.",
  part_held_back:
    "The network proves that a part of a thread is live after its database was restored: the next part may be live, too, and Crier cannot ask for it.",
  put_off: "The network gave a documented, temporary refusal, and no earlier call is open.",
  voided:
    "The network says definitively that this publish key published nothing and never will: a new key may be created.",
  refused:
    "The network gave a documented, permanent refusal, the tries or the day are used up, or Crier has a reason of its own. No call is open.",
  ended_by_network:
    "The network says definitively that this publish key published nothing, and no try is left; or it rejects a post that it had accepted.",
  given_up: "A call is open, and the network cannot be asked or was asked for the last time.",
  cancelled: "The post was cancelled before anything was sent. A thread with live parts is `refused` instead.",
  retried:
    "A caller retries it; from `outcome_unknown` only with `confirm_not_published: true`. A new publish key will be created; in a thread, for the first part that is not live.",
  found_gone:
    "Two searches did not find the post. They are at least ten minutes apart, or a day where the network requires it.",
  taken_down: "A caller asked to take the post down, and the network confirms that it is gone.",
  parts_taken_down:
    "A caller asked to take down the live parts of a stopped thread, and the network confirms that they are gone.",
};

const ALL: readonly Move[] = Object.values(MOVES);
/** The moves that prove that the network has the post for good. They are accepted from every session. */
export const PROOFS = [
  "proven",
  "handed_over",
  "part_live",
  "part_found",
  "part_held_back",
] as const satisfies (keyof typeof MOVES)[];
export type Proof = (typeof PROOFS)[number];

/** The moves from one state to another; empty if none is allowed. */
export const movesBetween = (from: DeliveryState, to: DeliveryState): readonly Move[] =>
  ALL.filter((move) => move.to === to && move.from.includes(from));

/** Whether a row in state `from` may be written with state `to`: unchanged, or by a move that any delivery may make. */
export const mayFollow = (from: DeliveryState, to: DeliveryState): boolean =>
  (from === to && !isEnded(from)) || movesBetween(from, to).some(({ ofThread }) => ofThread !== true);

export function isEnded(state: DeliveryState): boolean {
  return ENDED.some((ended) => ended === state);
}

/** Whether the network may have the post. */
export const maybeSent = (state: DeliveryState): boolean => MAYBE_SENT.some((sentState) => sentState === state);

/** A write that the table does not allow, which is a bug of ours. */
export class TransitionNotAllowed extends Error {
  override name = "TransitionNotAllowed";
  constructor(from: DeliveryState, to: DeliveryState) {
    super(`a delivery in ${from} may not become ${to}`);
  }
}
