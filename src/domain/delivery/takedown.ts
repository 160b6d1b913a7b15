// Decides how a takedown continues. The network is asked until it gives a clear answer, or no retry is left. A post is only
// reported as removed after a clear answer.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../limits.ts";
import type { FailureCode } from "./failure.ts";
import { askedWait, type Reason, type TakenDown, type VerifyOutcome } from "./outcome.ts";
import { explain, explainRefusal, type KeptReason } from "./reason.ts";

const TAKEDOWN_STATES = ["due", "failed", "unknown"] as const;
/** `due`: the network must be asked. `unknown`: it was asked, but never gave a clear answer. */
export type TakedownState = (typeof TAKEDOWN_STATES)[number];

/** The statuses of a takedown that callers see. */
export const TAKEDOWN_STATUSES = ["pending", "failed", "unknown"] as const;
export type TakedownStatus = (typeof TAKEDOWN_STATUSES)[number];
export const takedownStatus = (state: TakedownState): TakedownStatus => (state === "due" ? "pending" : state);

/** `network`: someone deleted the post on the network, or the network itself did. */
export const REMOVERS = ["you", "network"] as const;
export type RemovedBy = (typeof REMOVERS)[number];

/** Waits after a call that had no clear answer or that the network postponed. The next sweep after a wait asks again. */
export const TAKEDOWN_WAITS_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS];

export type TakedownOutcome =
  | { is: "removed" }
  | (KeptReason & {
      is: "kept";
      state: TakedownState;
      /** Epoch milliseconds of the next try; null if none is left. */
      nextAt: number | null;
    });

const refused = (reason: Reason, error: FailureCode): TakedownOutcome => ({
  is: "kept",
  state: "failed",
  nextAt: null,
  ...explainRefusal("it was not taken down", { ...reason, error }),
});

/** Until when the network asked to wait (epoch milliseconds), in its answer or in the recheck that followed. */
export const takedownWait = (answer: TakenDown, recheckOutcome: VerifyOutcome | null): number | undefined =>
  askedWait(answer) ?? askedWait(recheckOutcome ?? undefined);

/**
 * Decides the outcome of a takedown from the network's answer. `recheckOutcome`: the recheck after an answer that proves
 * nothing by itself. `tries`: how many times the network was asked before.
 */
export function settleTakedown(
  answer: TakenDown,
  recheckOutcome: VerifyOutcome | null,
  tries: number,
  now: number,
): TakedownOutcome {
  const notBefore = takedownWait(answer, recheckOutcome);
  switch (answer.is) {
    case "taken_down":
      return { is: "removed" };
    case "rejected":
      return refused(answer, answer.error);
    case "unauthorized":
    case "retryable":
      return later(answer, "failed", tries, now, notBefore);
    case "missing":
    case "unknown":
      if (recheckOutcome?.is === "gone") return { is: "removed" };
      // The account can see the post, but the network says that it does not exist: the account may not delete it.
      if (recheckOutcome?.is === "there" && answer.is === "missing") return refused(answer, "permission_missing");
      return later(answer, recheckOutcome?.is === "there" ? "failed" : "unknown", tries, now, notBefore);
  }
}

/** Asks again later; after the last try the state is `atLast`. */
function later(
  reason: Reason,
  atLast: "failed" | "unknown",
  tries: number,
  now: number,
  notBefore?: number,
): TakedownOutcome {
  const wait = TAKEDOWN_WAITS_MS[tries];
  if (wait !== undefined) {
    const nextAt = Math.max(now + wait, notBefore ?? 0);
    return { is: "kept", state: "due", nextAt, ...explain("the takedown is delayed", reason) };
  }
  const says = atLast === "failed" ? "it was not taken down" : "it may not have been taken down; check the network";
  return { is: "kept", state: atLast, nextAt: null, ...explain(says, reason) };
}
