// Decides what the follow-ups of a published delivery do: its takedown, the work that options ask for, and its recheck. The work
// of options is done once, piece by piece, and never changes the post.
import { HOUR_MS, MINUTE_MS } from "../limits.ts";
import { COMMENTS, isSet } from "../posts/option-fit.ts";
import { findFirstComment } from "./first-comment.ts";
import {
  FOLLOW_UP_KINDS,
  FOLLOW_UP_MOVES,
  type FollowUpKind,
  type FollowUpMoveName,
  type FollowUpState,
  isOpen,
  isRequest,
  OPTION_KINDS,
  type OptionKind,
} from "./follow-up-moves.ts";
import { type Added, askedWait, type Commented, type NotFound, type Reason } from "./outcome.ts";
import { explain, explainRefusal, type KeptReason } from "./reason.ts";
import type { DeliveryState } from "./transitions.ts";

/** A piece of work as it is stored. */
export interface FollowUpWork {
  kind: FollowUpKind;
  state: FollowUpState;
  /** How often the network has put it off, or was asked without a clear answer. */
  tries: number;
}

/** The work that a post asks for once it is live, in its order. `offered`: what its network can do. */
export const requestedFollowUps = (
  offered: readonly OptionKind[],
  override: Record<string, unknown> | undefined,
): OptionKind[] =>
  OPTION_KINDS.filter(
    (kind) =>
      offered.includes(kind) &&
      (kind === "first_comment" ? findFirstComment(override) !== null : isSet(kind, override?.[kind])),
  );

/** The next piece of work: a takedown, an edit, or the work of an option. Undefined if all of it has ended. */
export const nextFollowUp = <Work extends FollowUpWork>(followUps: readonly Work[]): Work | undefined =>
  FOLLOW_UP_KINDS.flatMap((kind) => followUps.filter((work) => work.kind === kind)).find(isOpen);

/**
 * `search`: asks whether a delivery with an unknown outcome was published after all. `recheck`: asks whether a live post is
 * still there.
 */
export type FollowUpStep<Work> =
  | { is: "search" | "recheck"; work?: undefined }
  | { is: "takedown" | "edit"; work: Work }
  | { is: "option"; kind: OptionKind; work: Work };

/** The next step. A delivery takes one step at a time. */
export function nextFollowUpStep<Work extends FollowUpWork>(
  { state }: { state: DeliveryState },
  followUps: readonly Work[],
): FollowUpStep<Work> {
  if (state === "outcome_unknown") return { is: "search" };
  const work = nextFollowUp(followUps);
  if (work === undefined) return { is: "recheck" };
  const { kind } = work;
  return isRequest(kind) ? { is: kind, work } : { is: "option", kind, work };
}

/** A name for a step that stays the same across restarts of an object. */
export const nameFollowUpStep = (step: FollowUpStep<unknown>): string => (step.is === "option" ? step.kind : step.is);

/** How a piece of work is called where a sentence begins with it. */
export const describeFollowUp = (kind: OptionKind): string =>
  kind === "first_comment" ? "the first comment" : `\`${kind}\``;

/** Waits after the network puts the work off, or does not show the result of a lost call. */
const WAITS_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];

export interface FollowUpOutcome extends KeptReason {
  move: FollowUpMoveName;
  /** Epoch milliseconds of the next try; null if none is left. */
  nextAt: number | null;
}

/** The state that an outcome leads to. */
export const stateAfter = ({ move }: Pick<FollowUpOutcome, "move">): FollowUpState => FOLLOW_UP_MOVES[move].to;

/** Decides from the answer to the call of an option's work, or to what prepares it or looks for its result. */
export function decideOptionWork(
  answer: Commented | Added | NotFound,
  { kind, tries }: { kind: OptionKind; tries: number },
  now: number,
): FollowUpOutcome {
  const because = (reason: Reason, consequence: string) => explain(`${describeFollowUp(kind)} ${consequence}`, reason);
  const wait = WAITS_MS[tries];
  const result = kind === COMMENTS ? "may not have worked" : "may not be there";
  switch (answer.is) {
    case "not_found": {
      const reason = because(answer, result);
      if (wait === undefined) return { move: "lost", nextAt: null, ...reason };
      return { move: "not_found", nextAt: Math.max(now + wait, answer.notBefore ?? 0), ...reason };
    }
    case "commented":
    case "added":
      return { move: "made", nextAt: null, detail: null };
    case "unknown":
      return { move: "lost", nextAt: null, ...because(answer, result) };
    case "rejected":
      return { move: "refused", nextAt: null, ...explainRefusal(`${describeFollowUp(kind)} was refused`, answer) };
    case "unauthorized":
    case "retryable": {
      const reason = because(answer, "waits");
      if (wait === undefined) return { move: "refused", nextAt: null, ...reason };
      const retryAt = answer.is === "retryable" ? answer.retryAt : undefined;
      const notBefore = askedWait(answer);
      return { move: "put_off", nextAt: Math.max(retryAt ?? now + wait, notBefore ?? 0), ...reason };
    }
  }
}
