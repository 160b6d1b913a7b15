// Decides the next step of a delivery's follow-up.
import { type Additions, nextAddition, parseAdditions } from "./additions.ts";
import { type CommentState, isCommentDue } from "./first-comment.ts";
import type { TakedownState } from "./takedown.ts";
import type { DeliveryState } from "./transitions.ts";

/**
 * `search`: asks whether a delivery with an unknown outcome was published after all. `recheck`: asks whether a live post is
 * still there.
 */
export type FollowUpStep =
  | { is: "search" | "takedown" | "comment" | "recheck" }
  | { is: "addition"; name: keyof Additions };

interface FollowedDelivery {
  state: DeliveryState;
  takedownState: TakedownState | null;
  additions: string | null;
  commentState: CommentState | null;
}

/** The next step. A follow-up takes one step at a time. */
export function nextFollowUpStep(delivery: FollowedDelivery): FollowUpStep {
  if (delivery.state === "outcome_unknown") return { is: "search" };
  if (delivery.takedownState === "due") return { is: "takedown" };
  const name = nextAddition(parseAdditions(delivery));
  if (name !== undefined) return { is: "addition", name };
  return isCommentDue(delivery) ? { is: "comment" } : { is: "recheck" };
}

/** A name for a step that stays the same across restarts of an object. */
export const nameFollowUpStep = (step: FollowUpStep): string =>
  step.is === "addition" ? `addition:${step.name}` : step.is;
