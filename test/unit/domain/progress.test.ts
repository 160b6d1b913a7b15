import { expect, it } from "vitest";
import { describeProgress, nextActionAt } from "../../../src/domain/delivery/progress.ts";
import { isState, STATUS_OF } from "../../../src/domain/delivery/transitions.ts";

const sentAt = Date.UTC(2026, 10, 24, 11, 30);
const delivery = { nextAt: sentAt + 120_000, sentAt, detail: "HTTP 503 without a clear answer" };

it("a delivery that is looked for says so, why, and until when", () => {
  expect(describeProgress({ ...delivery, state: "reconciling" })).toBe(
    "The network has not confirmed whether it published the post (HTTP 503 without a clear answer). " +
      "Crier looks for the post until 2026-11-24 12:30 UTC at the latest, and sends nothing twice.",
  );
});

it("a delivery that its network is working on says so, and until when it is asked", () => {
  expect(describeProgress({ ...delivery, detail: null, state: "processing" })).toBe(
    "The network has accepted the post and is still processing it. Crier checks its status until 2026-11-25 11:30 UTC.",
  );
});

it("a delivery whose network is not ready says so", () => {
  expect(describeProgress({ ...delivery, detail: "the video is being converted", state: "staged" })).toBe(
    "The network is not ready for the post yet (the video is being converted).",
  );
  expect(describeProgress({ ...delivery, detail: null, state: "staged" })).toBeNull();
});

it.each(["pending", "sending", "retry_wait", "live", "failed", "outcome_unknown", "removed", "cancelled"] as const)(
  "a delivery that is %s is described by its status alone",
  (state) => {
    expect(describeProgress({ ...delivery, state })).toBeNull();
  },
);

it("a delivery says when it is looked at next, but not while a call is under way or once it has ended", () => {
  const states = Object.keys(STATUS_OF).filter(isState);
  const silent = states.filter((state) => nextActionAt({ ...delivery, state }) === null);
  expect(silent.sort()).toEqual([
    "cancelled",
    "failed",
    "handed_over",
    "live",
    "outcome_unknown",
    "removed",
    "sending",
    "staged",
  ]);
});
