// The work that options ask for under a live post, and how it may change its state: each piece is a row of `follow_ups`.

/** The options, in the order in which their work is done. */
export const FOLLOW_UP_KINDS = ["thumbnail_media", "playlist", "first_comment"] as const;
export type FollowUpKind = (typeof FOLLOW_UP_KINDS)[number];

/** `due`: to be done. `sending`: the call was begun, and its outcome is not known yet. */
export const FOLLOW_UP_STATES = ["due", "sending", "done", "failed", "unknown"] as const;
export type FollowUpState = (typeof FOLLOW_UP_STATES)[number];

export interface FollowUpMove {
  from: readonly FollowUpState[];
  to: FollowUpState;
}

/** The moves from state to state, by their cause. */
export const FOLLOW_UP_MOVES = {
  announced: { from: ["due"], to: "sending" },
  held_back: { from: ["due"], to: "sending" },
  put_off: { from: ["due", "sending"], to: "due" },
  not_found: { from: ["sending"], to: "sending" },
  made: { from: ["sending"], to: "done" },
  refused: { from: ["due", "sending"], to: "failed" },
  lost: { from: ["sending"], to: "unknown" },
  dropped: { from: ["due"], to: "failed" },
} as const satisfies Record<string, FollowUpMove>;
export type FollowUpMoveName = keyof typeof FOLLOW_UP_MOVES;

/** What brings each move about. */
export const FOLLOW_UP_WHEN: Record<FollowUpMoveName, string> = {
  announced:
    "The intent is written, before the one call: the post is live, no takedown is due, and no other process has begun the work.",
  held_back:
    "The database was restored to an earlier minute, so the call may have been made since: it is only looked for.",
  put_off:
    "The network refused the call for now, or what it needs is not available. Five times at most, then it is `refused`.",
  not_found:
    "The answer was lost, and the network does not show the result yet or cannot be asked. Five times at most, then it is `lost`.",
  made: "The network says so, in its answer or when it is asked for the result.",
  refused:
    "The network gave a permanent refusal, or Crier has a reason of its own, or no try is left. No call is open.",
  lost: "The call has no answer, and nothing more can be found out.",
  dropped: "The post is gone or being taken down, or its follow-ups have ended, before the call was begun.",
};

/** Whether the work is still to be done, or its outcome is still to be found out. */
export const isOpen = ({ state }: { state: FollowUpState }): boolean => state === "due" || state === "sending";

/** Whether a row in state `from` may become `to`. */
export const mayFollowUpBecome = (from: FollowUpState, to: FollowUpState): boolean =>
  Object.values<FollowUpMove>(FOLLOW_UP_MOVES).some((move) => move.to === to && move.from.includes(from));
