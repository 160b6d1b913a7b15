import { expect, it } from "vitest";
import { nameFollowUpStep, nextFollowUpStep } from "../../../src/domain/delivery/follow-up.ts";
import type { FollowUpKind, FollowUpState } from "../../../src/domain/delivery/follow-up-moves.ts";

const live = { state: "live" } as const;
const work = (kind: FollowUpKind, state: FollowUpState) => ({ kind, state, tries: 0 });
const [comment, playlist] = [work("first_comment", "due"), work("playlist", "due")];

it.each([
  ["a live delivery is rechecked", live, [], "recheck"],
  ["a comment that is due comes before the recheck", live, [comment], "first_comment"],
  ["a comment without an answer is looked for", live, [work("first_comment", "sending")], "first_comment"],
  ["a comment that was posted is not made again", live, [work("first_comment", "done")], "recheck"],
  ["a playlist comes before the comment", live, [comment, playlist], "playlist"],
  ["a thumbnail comes before the playlist", live, [playlist, work("thumbnail_media", "sending")], "thumbnail_media"],
  ["work that has ended gives way to the next", live, [work("thumbnail_media", "failed"), playlist], "playlist"],
  ["a takedown comes before everything", live, [comment, playlist, work("takedown", "due")], "takedown"],
  ["a takedown that nobody could settle is over", live, [work("takedown", "unknown")], "recheck"],
  ["a delivery with an unknown outcome is searched for", { state: "outcome_unknown" }, [], "search"],
] as const)("%s", (_why, delivery, followUps, name) => {
  expect(nameFollowUpStep(nextFollowUpStep(delivery, followUps))).toBe(name);
});
