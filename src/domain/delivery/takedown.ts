// Taking a live post down: asked of the network until it says what became of it, and never a reason to say that it is gone.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../limits.ts";
import type { FailureCode } from "./failure.ts";
import { askedWait, type Reason, type TakenDown, type VerifyOutcome } from "./outcome.ts";
import { explain, type KeptReason } from "./reason.ts";

const TAKEDOWN_STATES = ["due", "failed", "unknown"] as const;
/** `due`: the network is to be asked. `unknown`: it was asked, and never said. */
export type TakedownState = (typeof TAKEDOWN_STATES)[number];

/** What callers see. */
export const TAKEDOWN_STATUSES = ["pending", "failed", "unknown"] as const;
export type TakedownStatus = (typeof TAKEDOWN_STATUSES)[number];
export const takedownStatus = (state: TakedownState): TakedownStatus => (state === "due" ? "pending" : state);

/** `network`: somebody there, or the network itself. */
export const REMOVERS = ["you", "network"] as const;
export type RemovedBy = (typeof REMOVERS)[number];

/** Waits after a call that had no clear answer, or that the network put off. The sweeper's next round then asks again. */
export const TAKEDOWN_WAITS_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS];

export type TakedownOutcome =
  | { is: "removed" }
  | (KeptReason & {
      is: "kept";
      state: TakedownState;
      /** Epoch milliseconds of the next try; null: there is none. */
      nextAt: number | null;
    });

/** Refusals that another consent may mend. */
const RECONNECT: FailureCode[] = ["permission_missing", "token_expired", "token_revoked"];

const refused = (reason: Reason, error: FailureCode): TakedownOutcome => {
  const kept = explain("it was not taken down", reason);
  const hint = RECONNECT.includes(error) ? "; connect the channel again and grant all that is asked for" : "";
  return { is: "kept", state: "failed", nextAt: null, ...kept, detail: `${kept.detail}${hint}` };
};

/** Until when the network asked to wait (epoch milliseconds), with its answer or when it was seen after it. */
export const takedownWait = (answer: TakenDown, seen: VerifyOutcome | null): number | undefined =>
  askedWait(answer) ?? askedWait(seen ?? undefined);

/**
 * What an answer makes of a takedown. `seen`: what verifying found after an answer that is no proof by itself. `tries`: how
 * often the network was asked before.
 */
export function settleTakedown(
  answer: TakenDown,
  seen: VerifyOutcome | null,
  tries: number,
  now: number,
): TakedownOutcome {
  const notBefore = takedownWait(answer, seen);
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
      if (seen?.is === "gone") return { is: "removed" };
      // Who may see a post and is told that it is not there may not delete it.
      if (seen?.is === "there" && answer.is === "missing") return refused(answer, "permission_missing");
      return later(answer, seen?.is === "there" ? "failed" : "unknown", tries, now, notBefore);
  }
}

/** Asks again later; after the last try it is `atLast`. */
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
    return { is: "kept", state: "due", nextAt, ...explain("taking it down waits", reason) };
  }
  const says = atLast === "failed" ? "it was not taken down" : "it may not have been taken down, check the network";
  return { is: "kept", state: atLast, nextAt: null, ...explain(says, reason) };
}
