// What a delivery's follow-up does next.
import { type Additions, additionsOf, nextAddition } from "./additions.ts";
import { type CommentState, isCommentDue } from "./first-comment.ts";
import type { TakedownState } from "./takedown.ts";
import type { DeliveryState } from "./transitions.ts";

/** `search`: whether a delivery with an unknown outcome was published after all. `recheck`: whether a live one is still there. */
export type FollowUpStep =
  | { is: "search" | "takedown" | "comment" | "recheck" }
  | { is: "addition"; name: keyof Additions };

interface FollowedDelivery {
  state: DeliveryState;
  takedownState: TakedownState | null;
  additions: string | null;
  commentState: CommentState | null;
}

/** The step that comes next: a follow-up takes one at a time. */
export function nextFollowUpStep(delivery: FollowedDelivery): FollowUpStep {
  if (delivery.state === "outcome_unknown") return { is: "search" };
  if (delivery.takedownState === "due") return { is: "takedown" };
  const name = nextAddition(additionsOf(delivery));
  if (name !== undefined) return { is: "addition", name };
  return isCommentDue(delivery) ? { is: "comment" } : { is: "recheck" };
}

/** A name for a step that is stable from one start of an object to the next. */
export const nameFollowUpStep = (step: FollowUpStep): string =>
  step.is === "addition" ? `addition:${step.name}` : step.is;
