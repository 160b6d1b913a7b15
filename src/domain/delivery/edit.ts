// Decides how the edit of a live text continues. The call sets the text as a whole, so it can be repeated. An edit only counts
// as done after the network has said so, in its answer or in a recheck that shows the new text.
import type { Actor } from "../actor.ts";
import type { FailureCode } from "./failure.ts";
import type { FollowUpOutcome } from "./follow-up.ts";
import { REQUEST_WAITS_MS } from "./follow-up-moves.ts";
import { askedWait, type Edited, type Reason, type RecheckOutcome } from "./outcome.ts";
import { explain, explainRefusal } from "./reason.ts";

/** An edit as it was requested. */
export interface RequestedEdit {
  /** The text that the post is to have, as it goes out. */
  text: string;
  by: Actor;
}

const MAYBE = "the text may not have been changed; check the network";
const EDITED: FollowUpOutcome = { move: "edited", nextAt: null, detail: null };

/** The outcome of an edit about which nothing more can be found out. */
export const unclearEdit = (reason: Reason): FollowUpOutcome => ({
  move: "unclear",
  nextAt: null,
  ...explain(MAYBE, reason),
});

const refuse = (reason: Reason, error: FailureCode): FollowUpOutcome => ({
  move: "refused",
  nextAt: null,
  ...explainRefusal("the text was not changed", { ...reason, error }),
});

/** Until when the network asked to wait (epoch milliseconds), in its answer or in the recheck that followed. */
export const editWait = (answer: Edited, recheckOutcome: RecheckOutcome | null): number | undefined =>
  askedWait(answer) ?? askedWait(recheckOutcome ?? undefined);

/**
 * Decides the outcome of an edit from the network's answer. `recheckOutcome`: the comparison with the new text, after an answer
 * that proves nothing by itself. `tries`: how many times the network was asked before.
 */
export function decideEdit(
  answer: Edited,
  recheckOutcome: RecheckOutcome | null,
  tries: number,
  now: number,
): FollowUpOutcome {
  const altered = recheckOutcome?.is === "there" ? recheckOutcome.altered : undefined;
  const isShown = Array.isArray(altered) ? !altered.includes("text") : null;
  const later = (reason: Reason, isRefused: boolean): FollowUpOutcome => {
    const wait = REQUEST_WAITS_MS[tries];
    if (wait !== undefined) {
      const nextAt = Math.max(now + wait, editWait(answer, recheckOutcome) ?? 0);
      return { move: "put_off", nextAt, ...explain("the edit is delayed", reason) };
    }
    if (!isRefused) return unclearEdit(reason);
    return { move: "refused", nextAt: null, ...explain("the text was not changed", reason) };
  };
  switch (answer.is) {
    case "edited":
      return EDITED;
    case "rejected":
      return refuse(answer, answer.error);
    case "unauthorized":
    case "retryable":
      return later(answer, false);
    case "missing":
    case "unknown":
      if (isShown === true) return EDITED;
      if (recheckOutcome?.is === "gone")
        return refuse({ detail: "the network does not show the post" }, "content_refused");
      // The account can see the post, but the network says that it does not exist: the account may not edit it.
      if (answer.is === "missing" && recheckOutcome?.is === "there") return refuse(answer, "permission_missing");
      return later(answer, answer.is === "missing" || isShown === false);
  }
}
