// A delivery with a thread goes through its states once for each part: when a part is proven to be out and more follow, the
// delivery begins again with the next part. So each part has its own publish key, send intent and tries, like a delivery.

import type { DeliveryDecision } from "./decide-outcome.ts";
import type { Live } from "./outcome.ts";
import type { RecheckDecision } from "./recheck.ts";
import { type DeliveryState, type DeliveryStatus, MOVES, type Proof, STATUS_OF } from "./transitions.ts";

/** A part that is live, or was. */
export interface LiveThreadPart extends Pick<Live, "id" | "url" | "urlState"> {
  /** Its position in the thread; 0 is the post itself. */
  position: number;
  /** When its network accepted it, in epoch milliseconds. */
  publishedAt: number;
  /** How many times the delivery had been sent when this part went live. */
  attempts: number;
  /** Its sealed publish key. Kept for the first part, and for a part until the network has reported its id and address. */
  publishKey: string | null;
  /** The first of the consecutive rechecks that did not find it; null if the last one found it. */
  missingSince: number | null;
  /** It is gone from its network. */
  isRemoved: boolean;
}

/** The position of a delivery in its thread. */
export interface ThreadPosition {
  /** The position of the current part, which equals the number of live parts. */
  position: number;
  /** The position of the last part. */
  last: number;
  /** Whether later parts may be out as well, because the database was set back. */
  isHeldBack: boolean;
}

/** The next move of a thread, and the decision of its delivery. */
export interface ThreadStep {
  move: Proof;
  decision: DeliveryDecision;
}

/** Decides how a thread continues after a decision in `state`; null if the decision does not prove a part live. */
export function decideThreadStep(
  decision: DeliveryDecision,
  { position, last, isHeldBack }: ThreadPosition,
  state: DeliveryState,
  now: number,
): ThreadStep | null {
  if (decision.live === undefined) return null;
  if (decision.state === "handed_over") return { move: "handed_over", decision };
  if (position >= last) return { move: "proven", decision };
  const isOut = `part ${position + 1} of ${last + 1} is live`;
  if (isHeldBack) {
    // The restore lost the publish key of the next part, so the network cannot be asked about it.
    const detail = `${isOut}, and the next part may be: the database was restored`;
    const unknown = { state: "outcome_unknown", error: "outcome_unknown", detail, event: "delivery.failed" } as const;
    return { move: "part_held_back", decision: { ...decision, ...unknown, hasOpenSend: true, publishKey: null } };
  }
  if (state === "outcome_unknown") {
    // The owner was told that the part failed, and may have continued the thread without us.
    const detail = `${isOut} after all`;
    const failed = { state: "failed", error: "thread_stopped", detail, event: "delivery.failed" } as const;
    return { move: "part_found", decision: { ...decision, ...failed, publishKey: null } };
  }
  const next = { state: "staged", nextAt: now, event: null, retries: 0, detail: null, publishKey: null } as const;
  return { move: "part_live", decision: { ...decision, ...next } };
}

/** Whether a step may leave this state. */
export const stepLeaves = ({ move }: ThreadStep, state: DeliveryState): boolean =>
  MOVES[move].from.some((from) => from === state);

/** The status that callers see of the part at a position of a delivery. */
export function getThreadPartStatus(
  state: DeliveryState,
  live: readonly LiveThreadPart[],
  position: number,
): DeliveryStatus {
  const liveThreadPart = live[position];
  if (liveThreadPart !== undefined) return liveThreadPart.isRemoved ? "removed" : "live";
  // The remaining parts of a thread that stopped and was taken down never go out.
  if (state === "removed") return position === live.length ? "failed" : "cancelled";
  if (position === live.length || state === "cancelled") return STATUS_OF[state];
  return "pending";
}

/** A part after a recheck. */
export function recheckedThreadPart(liveThreadPart: LiveThreadPart, after: RecheckDecision): LiveThreadPart {
  if (after.is === "removed") return { ...liveThreadPart, missingSince: null, isRemoved: true };
  const { url, urlState, missingSince } = after;
  return { ...liveThreadPart, url, urlState, missingSince };
}

/** The parts that are on their network as far as we know. */
export const listPresentThreadParts = (threadParts: readonly LiveThreadPart[]): LiveThreadPart[] =>
  threadParts.filter(({ isRemoved }) => !isRemoved);
