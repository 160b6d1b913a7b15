import { expect, it } from "vitest";
import { nameFollowUpStep, nextFollowUpStep } from "../../../src/domain/delivery/follow-up.ts";

const live = { state: "live", takedownState: null, additions: null, commentState: null } as const;
const additions = '{"thumbnail":{"state":"done","tries":0},"playlist":{"state":"due","tries":0}}';

it.each([
  ["a live delivery is rechecked", live, "recheck"],
  ["a comment that is due comes before the recheck", { ...live, commentState: "due" }, "comment"],
  ["a comment without an answer is looked for", { ...live, commentState: "sending" }, "comment"],
  ["a comment that was posted is not made again", { ...live, commentState: "posted" }, "recheck"],
  ["an addition comes before the comment", { ...live, additions, commentState: "due" }, "addition:playlist"],
  ["a takedown comes before everything", { ...live, additions, commentState: "due", takedownState: "due" }, "takedown"],
  ["a takedown that nobody could settle is over", { ...live, takedownState: "unknown" }, "recheck"],
  ["a delivery with an unknown outcome is searched for", { ...live, state: "outcome_unknown" }, "search"],
] as const)("%s", (_why, delivery, name) => {
  expect(nameFollowUpStep(nextFollowUpStep(delivery))).toBe(name);
});
