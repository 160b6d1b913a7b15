// The follow-ups of a published delivery that are done piece by piece, and how they may change their state: each piece is a row
// of `follow_ups`. Rechecks have no row (docs/decisions/0024-one-state-machine-for-follow-ups.md).

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../limits.ts";
import { COMMENTS } from "../posts/option-fit.ts";

/** The options that ask for work under a live post, in the order in which it is done. */
export const OPTION_KINDS = ["thumbnail_media", "captions", "playlist", "pin", "first_comment", COMMENTS] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];
/** Work that a caller requests for a live post. Its calls can be repeated. */
export const REQUEST_KINDS = ["takedown", "edit"] as const;
type RequestKind = (typeof REQUEST_KINDS)[number];
/** In the order in which they are done: requests come before everything else. */
export const FOLLOW_UP_KINDS = [...REQUEST_KINDS, ...OPTION_KINDS] as const;
export type FollowUpKind = (typeof FOLLOW_UP_KINDS)[number];

/** Whether a caller requested the work, so that no option of the post asks for it. */
export const isRequest = (kind: FollowUpKind): kind is RequestKind => REQUEST_KINDS.some((name) => name === kind);

/**
 * Waits after the call of a request that had no clear answer or that the network postponed. The next sweep after a wait asks
 * again.
 */
export const REQUEST_WAITS_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS];

/** `due`: to be done. `sending`: the one call was begun, and its outcome is not known yet. */
export const FOLLOW_UP_STATES = ["due", "sending", "done", "failed", "unknown"] as const;
export type FollowUpState = (typeof FOLLOW_UP_STATES)[number];

export interface FollowUpMove {
  from: readonly FollowUpState[];
  to: FollowUpState;
  /** Absent if all kinds make the move. */
  only?: "options" | "requests" | RequestKind;
}

/** The moves from state to state, by their cause. The call of a request can be repeated, so it needs no `sending`. */
export const FOLLOW_UP_MOVES = {
  announced: { from: ["due"], to: "sending", only: "options" },
  held_back: { from: ["due"], to: "sending", only: "options" },
  put_off: { from: ["due", "sending"], to: "due" },
  not_found: { from: ["sending"], to: "sending", only: "options" },
  made: { from: ["sending"], to: "done", only: "options" },
  refused: { from: ["due", "sending"], to: "failed" },
  lost: { from: ["sending"], to: "unknown", only: "options" },
  dropped: { from: ["due"], to: "failed", only: "options" },
  taken_down: { from: ["due", "failed", "unknown"], to: "done", only: "takedown" },
  edited: { from: ["due"], to: "done", only: "edit" },
  unclear: { from: ["due"], to: "unknown", only: "requests" },
  asked_again: { from: ["failed", "unknown"], to: "due", only: "requests" },
  edited_again: { from: ["done"], to: "due", only: "edit" },
} as const satisfies Record<string, FollowUpMove>;
export type FollowUpMoveName = keyof typeof FOLLOW_UP_MOVES;

/** What brings each move about. */
export const FOLLOW_UP_WHEN: Record<FollowUpMoveName, string> = {
  announced:
    "The intent is written, before the one call: the post is live, no takedown is due, and no other process has begun the work.",
  held_back:
    "The database was restored to an earlier minute, so the call may have been made since: it is only looked for.",
  put_off:
    "The network refused the call for now, or what it needs is not available. Five times at most, then it is `refused`. A takedown or an edit also waits after an answer that proves nothing, and ends after its sixth.",
  not_found:
    "The answer was lost, and the network does not show the result yet or cannot be asked. Five times at most, then it is `lost`.",
  made: "The network says so, in its answer or when it is asked for the result.",
  refused:
    "The network gave a permanent refusal, or Crier has a reason of its own, or no try is left. No call is open.",
  lost: "The call has no answer, and nothing more can be found out.",
  dropped: "The post is gone or being taken down, or its follow-ups have ended, before the call was begun.",
  taken_down: "The network says that the post is gone, in its answer or in a recheck.",
  edited: "The network says that the post has the new text, in its answer or in a recheck.",
  unclear:
    "No try is left, the channel is not connected, or the follow-ups have ended: a call may have been carried out.",
  asked_again: "A caller asks once more.",
  edited_again: "A caller asks for another text.",
};

/** Whether the work is still to be done, or its outcome is still to be found out. */
export const isOpen = ({ state }: { state: FollowUpState }): boolean => state === "due" || state === "sending";

/** Whether a row of a kind in state `from` may become `to`. */
export const mayFollowUpBecome = (kind: FollowUpKind, from: FollowUpState, to: FollowUpState): boolean =>
  Object.values<FollowUpMove>(FOLLOW_UP_MOVES).some(
    ({ from: sources, to: target, only }) =>
      target === to &&
      sources.includes(from) &&
      (only === undefined || only === kind || only === (isRequest(kind) ? "requests" : "options")),
  );
