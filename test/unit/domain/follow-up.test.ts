import { expect, it } from "vitest";
import { nameFollowUpStep, nextFollowUpStep } from "../../../src/domain/delivery/follow-up.ts";
import type { FollowUpKind, FollowUpState } from "../../../src/domain/delivery/follow-up-moves.ts";

const live = { state: "live" } as const;
const makeWork = (kind: FollowUpKind, state: FollowUpState) => ({ kind, state, tries: 0 });
const [comment, playlist] = [makeWork("first_comment", "due"), makeWork("playlist", "due")];

it.each([
  ["a live delivery is rechecked", live, [], "recheck"],
  ["a comment that is due comes before the recheck", live, [comment], "first_comment"],
  ["a comment without an answer is reconciled", live, [makeWork("first_comment", "sending")], "first_comment"],
  ["a comment that was posted is not made again", live, [makeWork("first_comment", "done")], "recheck"],
  ["a playlist comes before the comment", live, [comment, playlist], "playlist"],
  [
    "a thumbnail comes before the playlist",
    live,
    [playlist, makeWork("thumbnail_media", "sending")],
    "thumbnail_media",
  ],
  [
    "work that has ended is followed by the next work",
    live,
    [makeWork("thumbnail_media", "failed"), playlist],
    "playlist",
  ],
  ["a takedown comes before everything", live, [comment, playlist, makeWork("takedown", "due")], "takedown"],
  ["a takedown with an unknown outcome is over", live, [makeWork("takedown", "unknown")], "recheck"],
  ["a delivery with an unknown outcome is searched for", { state: "outcome_unknown" }, [], "search"],
] as const)("%s", (_rule, delivery, followUps, name) => {
  expect(nameFollowUpStep(nextFollowUpStep(delivery, followUps))).toBe(name);
});
