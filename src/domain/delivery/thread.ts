// A delivery with a thread goes through its states once for each part: when one is proven to be out and more follow, it begins
// again with the next. So each part has what a delivery has: a publish handle, a send intent, its own tries.
import type { Live } from "./outcome.ts";
import type { Transition } from "./settle.ts";
import { type DeliveryState, type DeliveryStatus, MOVES, type Proof, STATUS_OF } from "./transitions.ts";
import type { AfterVerification } from "./verification.ts";

/** A part that is out, or was. */
export interface LivePart extends Pick<Live, "id" | "url" | "urlState"> {
  /** Epoch milliseconds at which its network had it. */
  at: number;
  /** Sends of the delivery up to it. */
  attempts: number;
  /** Its publish handle, sealed: kept of the first part, and where the network has not told all of it. */
  handle?: string;
  /** The first of the verifications in a row that did not find it. */
  missingSince?: number;
  /** Gone from its network. */
  removed?: true;
}

export const livePartsOf = ({ parts }: { parts: string | null }): LivePart[] =>
  parts === null ? [] : JSON.parse(parts);

/** The place of a delivery in its thread. */
export interface ThreadPlace {
  /** Of the part that is under way: as many are out. */
  position: number;
  /** Of the last part. */
  last: number;
  /** Whether the parts that follow may be out as well: its database was set back. */
  isHeldBack: boolean;
}

/** How a thread goes on: by which move, and what its delivery becomes then. */
export interface ThreadStep {
  move: Proof;
  transition: Transition;
}

/** What the proof that a part is out makes of a delivery in `state`; null: it is no proof of one. */
export function threadStep(
  transition: Transition,
  { position, last, isHeldBack }: ThreadPlace,
  state: DeliveryState,
  now: number,
): ThreadStep | null {
  if (transition.live === undefined) return null;
  if (transition.state === "handed_over") return { move: "handed_over", transition };
  if (position >= last) return { move: "proven", transition };
  const isOut = `part ${position + 1} of ${last + 1} is out`;
  if (isHeldBack) {
    // How the next one was known by was forgotten, so nobody can be asked for it.
    const detail = `${isOut}, and the next one may be: the database was set back`;
    const unknown = { state: "outcome_unknown", error: "outcome_unknown", detail, event: "delivery.failed" } as const;
    return { move: "part_held_back", transition: { ...transition, ...unknown, hasOpenSend: true, handle: null } };
  }
  if (state === "outcome_unknown") {
    // Its owner was told that it failed, and may have gone on without us.
    const detail = `${isOut} after all`;
    const failed = { state: "failed", error: "thread_stopped", detail, event: "delivery.failed" } as const;
    return { move: "part_found", transition: { ...transition, ...failed, handle: null } };
  }
  const next = { state: "staged", nextAt: now, event: null, retries: 0, detail: null, handle: null } as const;
  return { move: "part_live", transition: { ...transition, ...next } };
}

/** The states that a step may leave. */
export const stepLeaves = ({ move }: ThreadStep, state: DeliveryState): boolean =>
  MOVES[move].from.some((from) => from === state);

/** What callers see of the part at a position of a delivery. */
export function partStatus(state: DeliveryState, live: readonly LivePart[], position: number): DeliveryStatus {
  const part = live[position];
  if (part !== undefined) return part.removed === true ? "removed" : "live";
  // Of a thread that stopped and was taken down the rest never goes out.
  if (state === "removed") return position === live.length ? "failed" : "cancelled";
  if (position === live.length || state === "cancelled") return STATUS_OF[state];
  return "pending";
}

/** A part with what verifying made of it. */
export function verifiedPart(part: LivePart, after: AfterVerification): LivePart {
  const { missingSince: _, ...rest } = part;
  if (after.is === "removed") return { ...rest, removed: true };
  const { url, urlState, missingSince } = after;
  return { ...rest, url, urlState, ...(missingSince === null ? {} : { missingSince }) };
}

/** Parts that are on their network, as far as anybody knows, with their positions. */
export const partsThere = (parts: readonly LivePart[]): { part: LivePart; position: number }[] =>
  parts.flatMap((part, position) => (part.removed === true ? [] : [{ part, position }]));
