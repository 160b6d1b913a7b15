// The first comment under a live post. It is made once, and never changes the post.
import type { JsonObject } from "../json.ts";
import { HOUR_MS, MINUTE_MS } from "../limits.ts";
import { type Added, askedWait, type Commented, type NotFound, type Reason } from "./outcome.ts";
import { explain, explainRefusal, type KeptReason } from "./reason.ts";

const COMMENT_STATES = ["due", "sending", "posted", "failed", "unknown"] as const;
/** `due`: to be written. `sending`: the call was begun, and its outcome is not known yet. */
export type CommentState = (typeof COMMENT_STATES)[number];

/** Statuses that callers see. */
export const COMMENT_STATUSES = ["pending", "posted", "failed", "unknown"] as const;
export type CommentStatus = (typeof COMMENT_STATUSES)[number];
export const commentStatus = (state: CommentState): CommentStatus =>
  state === "due" || state === "sending" ? "pending" : state;

/** Whether the comment must be written or reconciled. */
export const isCommentDue = ({ commentState }: { commentState: CommentState | null }): boolean =>
  commentState === "due" || commentState === "sending";

/** The comment that a channel's override asks for, or null. */
export function findFirstComment(override: JsonObject | undefined): string | null {
  const text = override?.first_comment;
  return typeof text === "string" ? text : null;
}

/** Waits after the network puts the comment off. */
const WAITS_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];

export interface CommentOutcome extends KeptReason {
  state: CommentState;
  /** Epoch milliseconds of the next try; null if none is left. */
  nextAt: number | null;
}

/** Turns an answer into the state of a first comment. `tries`: how often the network has put it off. */
export function settleComment(answer: Commented | NotFound, tries: number, now: number): CommentOutcome {
  const { state, ...outcome } = settleOnce(answer, tries, now, "the first comment");
  return { state: state === "done" ? "posted" : state, ...outcome };
}

/**
 * Turns the answer to a call that is made once after publishing into its state. `what` names its purpose, and begins a
 * sentence.
 */
export function settleOnce(
  answer: Commented | Added | NotFound,
  tries: number,
  now: number,
  subject: string,
): Omit<CommentOutcome, "state"> & { state: "due" | "sending" | "done" | "failed" | "unknown" } {
  const because = (reason: Reason, consequence: string) => explain(`${subject} ${consequence}`, reason);
  switch (answer.is) {
    case "not_found": {
      const wait = WAITS_MS[tries];
      const reason = because(answer, "may not be there");
      if (wait === undefined) return { state: "unknown", nextAt: null, ...reason };
      return { state: "sending", nextAt: Math.max(now + wait, answer.notBefore ?? 0), ...reason };
    }
    case "commented":
    case "added":
      return { state: "done", nextAt: null, detail: null };
    case "unknown":
      return { state: "unknown", nextAt: null, ...because(answer, "may not be there") };
    case "rejected":
      return { state: "failed", nextAt: null, ...explainRefusal(`${subject} was refused`, answer) };
    case "unauthorized":
    case "retryable": {
      const wait = WAITS_MS[tries];
      const reason = because(answer, "waits");
      if (wait === undefined) return { state: "failed", nextAt: null, ...reason };
      const retryAt = answer.is === "retryable" ? answer.retryAt : undefined;
      const notBefore = askedWait(answer);
      return { state: "due", nextAt: Math.max(retryAt ?? now + wait, notBefore ?? 0), ...reason };
    }
  }
}
