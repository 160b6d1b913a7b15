// Decides how a takedown continues. The network is asked until it gives a clear answer, or no retry is left. A post is only
// reported as removed after a clear answer.
import type { FailureCode } from "./failure.ts";
import type { FollowUpOutcome } from "./follow-up.ts";
import { REQUEST_WAITS_MS } from "./follow-up-moves.ts";
import { askedWait, type Reason, type RecheckOutcome, type TakenDown } from "./outcome.ts";
import { explain, explainRefusal } from "./reason.ts";

const MAYBE = "it may not have been taken down; check the network";
const TAKEN_DOWN: FollowUpOutcome = { move: "taken_down", nextAt: null, detail: null };

/** The outcome of a takedown about which nothing more can be found out. */
export const unclearTakedown = (reason: Reason): FollowUpOutcome => ({
  move: "unclear",
  nextAt: null,
  ...explain(MAYBE, reason),
});

const refuse = (reason: Reason, error: FailureCode): FollowUpOutcome => ({
  move: "refused",
  nextAt: null,
  ...explainRefusal("it was not taken down", { ...reason, error }),
});

/** Until when the network asked to wait (epoch milliseconds), in its answer or in the recheck that followed. */
export const takedownWait = (answer: TakenDown, recheckOutcome: RecheckOutcome | null): number | undefined =>
  askedWait(answer) ?? askedWait(recheckOutcome ?? undefined);

/**
 * Decides the outcome of a takedown from the network's answer. `recheckOutcome`: the recheck after an answer that proves
 * nothing by itself. `tries`: how many times the network was asked before.
 */
export function decideTakedown(
  answer: TakenDown,
  recheckOutcome: RecheckOutcome | null,
  tries: number,
  now: number,
): FollowUpOutcome {
  const isThere = recheckOutcome?.is === "there";
  const later = (reason: Reason, isRefused: boolean): FollowUpOutcome => {
    const wait = REQUEST_WAITS_MS[tries];
    if (wait !== undefined) {
      const nextAt = Math.max(now + wait, takedownWait(answer, recheckOutcome) ?? 0);
      return { move: "put_off", nextAt, ...explain("the takedown is delayed", reason) };
    }
    if (!isRefused) return unclearTakedown(reason);
    return { move: "refused", nextAt: null, ...explain("it was not taken down", reason) };
  };
  switch (answer.is) {
    case "taken_down":
      return TAKEN_DOWN;
    case "rejected":
      return refuse(answer, answer.error);
    case "unauthorized":
    case "retryable":
      return later(answer, true);
    case "missing":
    case "unknown":
      if (recheckOutcome?.is === "gone") return TAKEN_DOWN;
      // The account can see the post, but the network says that it does not exist: the account may not delete it.
      if (isThere && answer.is === "missing") return refuse(answer, "permission_missing");
      return later(answer, isThere);
  }
}
