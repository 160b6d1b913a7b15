// The parts of a thread as callers see them, and the detail of a delivery that stops within a thread.
import { describe, expect, it } from "vitest";
import type { DeliveryDecision } from "../../../src/domain/delivery/decide-outcome.ts";
import {
  decideThreadStep,
  getThreadPartStatus,
  type LiveThreadPart,
  listPresentThreadParts,
  recheckedThreadPart,
  stepLeaves,
} from "../../../src/domain/delivery/thread.ts";
import { type DeliveryState, MAYBE_SENT, STATUS_OF, UNSENT } from "../../../src/domain/delivery/transitions.ts";

const NOW = 1_800_000_000_000;
const liveThreadPart: LiveThreadPart = {
  position: 0,
  id: "1",
  url: "https://x.test/1",
  urlState: "none",
  publishedAt: NOW,
  attempts: 1,
  publishKey: null,
  missingSince: null,
  isRemoved: false,
};
const removedThreadPart: LiveThreadPart = { ...liveThreadPart, isRemoved: true };

describe("the parts of a thread", () => {
  /** Returns the statuses of the parts of a thread of three, by its state and its published parts. */
  const showStatuses = (state: DeliveryState, live: LiveThreadPart[]) =>
    [0, 1, 2].map((position) => getThreadPartStatus(state, live, position));

  it("thread parts after the current part are pending, and the current part has the delivery's status", () => {
    for (const state of [...UNSENT, ...MAYBE_SENT, "failed", "outcome_unknown"] as const) {
      expect(showStatuses(state, [])).toEqual([STATUS_OF[state], "pending", "pending"]);
      expect(showStatuses(state, [liveThreadPart])).toEqual(["live", STATUS_OF[state], "pending"]);
    }
  });

  it("thread parts are live once they are published, and removed once they are deleted", () => {
    expect(showStatuses("live", [liveThreadPart, liveThreadPart, liveThreadPart])).toEqual(["live", "live", "live"]);
    expect(showStatuses("live", [liveThreadPart, removedThreadPart, liveThreadPart])).toEqual([
      "live",
      "removed",
      "live",
    ]);
    expect(showStatuses("removed", [removedThreadPart, removedThreadPart, removedThreadPart])).toEqual([
      "removed",
      "removed",
      "removed",
    ]);
  });

  it("all parts of a cancelled thread are cancelled if none was published", () => {
    expect(showStatuses("cancelled", [])).toEqual(["cancelled", "cancelled", "cancelled"]);
  });

  it("the parts after a failed part are cancelled once the published parts are taken down", () => {
    expect(showStatuses("removed", [removedThreadPart])).toEqual(["removed", "failed", "cancelled"]);
  });

  it("parts that are gone from their network are not listed", () => {
    const second = { ...liveThreadPart, position: 1 };
    expect(listPresentThreadParts([removedThreadPart, second])).toEqual([second]);
    expect(listPresentThreadParts([removedThreadPart, removedThreadPart])).toEqual([]);
  });
});

describe("a part that is rechecked", () => {
  const keptRecheck = {
    is: "kept",
    url: "https://x.test/late",
    urlState: "none",
    missingSince: null,
    nextAt: null,
  } as const;
  const pending: LiveThreadPart = { ...liveThreadPart, url: null, urlState: "pending", publishKey: "sealed" };

  it("a rechecked part takes the URL that the network reports and keeps everything else", () => {
    expect(recheckedThreadPart(pending, keptRecheck)).toStrictEqual({
      ...pending,
      url: keptRecheck.url,
      urlState: "none",
    });
  });

  it("a rechecked part stores since when it is missing, until it is found again", () => {
    const missing = recheckedThreadPart(liveThreadPart, { ...keptRecheck, url: liveThreadPart.url, missingSince: NOW });
    expect(missing).toStrictEqual({ ...liveThreadPart, missingSince: NOW });
    expect(recheckedThreadPart(missing, { ...keptRecheck, url: liveThreadPart.url })).toStrictEqual(liveThreadPart);
  });

  it("a removed part is no longer listed, and does not store since when it was missing", () => {
    const after = recheckedThreadPart({ ...liveThreadPart, missingSince: NOW }, { is: "removed" });
    expect(after).toStrictEqual(removedThreadPart);
    expect(listPresentThreadParts([after])).toEqual([]);
  });
});

describe("the proof that a part is live", () => {
  const proof: DeliveryDecision = {
    state: "live",
    nextAt: null,
    hasOpenSend: false,
    retries: 3,
    live: { id: "2", url: null, urlState: "none" },
    error: null,
    detail: "a note",
    event: "delivery.succeeded",
  };
  const second = { position: 1, last: 3, isHeldBack: false };
  const getDetail = (state: DeliveryState, isHeldBack = false) =>
    decideThreadStep(proof, { ...second, isHeldBack }, state, NOW)?.decision.detail;

  it("the detail names the proven part, counted from one, if the thread stops at it", () => {
    expect(getDetail("outcome_unknown")).toBe("part 2 of 4 is live after all");
    const setBack = "part 2 of 4 is live, and the next part may be: the database was restored";
    for (const state of ["reconciling", "outcome_unknown"] as const) expect(getDetail(state, true)).toBe(setBack);
  });

  it("a proven part has no detail if the thread continues", () => {
    expect(getDetail("sending")).toBeNull();
  });

  it("a proven part changes nothing once the delivery has ended in a state without this transition", () => {
    const step = decideThreadStep(proof, second, "sending", NOW);
    const leaves = (state: DeliveryState) => step !== null && stepLeaves(step, state);
    for (const state of [...UNSENT, ...MAYBE_SENT]) expect(leaves(state)).toBe(true);
    for (const state of ["live", "failed", "outcome_unknown", "removed", "cancelled"] as const)
      expect(leaves(state)).toBe(false);
  });
});
