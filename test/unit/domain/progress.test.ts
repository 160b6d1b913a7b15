import { expect, it } from "vitest";
import { describeProgress, nextActionAt } from "../../../src/domain/delivery/progress.ts";
import { isState, STATUS_OF } from "../../../src/domain/delivery/transitions.ts";

const sentAt = Date.UTC(2026, 10, 24, 11, 30);
const delivery = { nextAt: sentAt + 120_000, sentAt, detail: "HTTP 503 without a clear answer" };

it("a delivery that is being reconciled reports this, the reason and the end of the search", () => {
  expect(describeProgress({ ...delivery, state: "reconciling" })).toBe(
    "The network has not confirmed whether it published the post (HTTP 503 without a clear answer). " +
      "Crier looks for the post until 2026-11-24 12:30 UTC at the latest, and sends nothing twice.",
  );
});

it("a delivery that its network is processing reports this, and until when it is polled", () => {
  expect(describeProgress({ ...delivery, detail: null, state: "processing" })).toBe(
    "The network has accepted the post and is still processing it. Crier checks its status until 2026-11-25 11:30 UTC.",
  );
});

it("a delivery whose network is not ready reports this", () => {
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

it("a delivery reports its next check, but not during a call and not after it has ended", () => {
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
