// What callers see of the parts of a thread, and what its delivery says when it stops in the middle.
import { describe, expect, it } from "vitest";
import type { DeliveryDecision } from "../../../src/domain/delivery/decide-outcome.ts";
import {
  decideThreadStep,
  type LivePart,
  parseLiveParts,
  partStatus,
  partsThere,
  stepLeaves,
  verifiedPart,
} from "../../../src/domain/delivery/thread.ts";
import { type DeliveryState, MAYBE_SENT, STATUS_OF, UNSENT } from "../../../src/domain/delivery/transitions.ts";

const NOW = 1_800_000_000_000;
const part: LivePart = { id: "1", url: "https://x.test/1", urlState: "none", at: NOW, attempts: 1 };
const gone: LivePart = { ...part, removed: true };

describe("the parts of a thread", () => {
  /** Of a thread of three, by its state and those of its parts that are out. */
  const shown = (state: DeliveryState, live: LivePart[]) =>
    [0, 1, 2].map((position) => partStatus(state, live, position));

  it("are pending after the current part, which has the delivery's own status", () => {
    for (const state of [...UNSENT, ...MAYBE_SENT, "failed", "outcome_unknown"] as const) {
      expect(shown(state, [])).toEqual([STATUS_OF[state], "pending", "pending"]);
      expect(shown(state, [part])).toEqual(["live", STATUS_OF[state], "pending"]);
    }
  });

  it("are live once they are published, and removed once they are gone", () => {
    expect(shown("live", [part, part, part])).toEqual(["live", "live", "live"]);
    expect(shown("live", [part, gone, part])).toEqual(["live", "removed", "live"]);
    expect(shown("removed", [gone, gone, gone])).toEqual(["removed", "removed", "removed"]);
  });

  it("are all cancelled with a thread of which no part was published", () => {
    expect(shown("cancelled", [])).toEqual(["cancelled", "cancelled", "cancelled"]);
  });

  it("are never published after a failed part, once the published parts are taken down", () => {
    expect(shown("removed", [gone])).toEqual(["removed", "failed", "cancelled"]);
  });

  it("are an empty list if no part was published, and are read as they were stored", () => {
    expect(parseLiveParts({ parts: null })).toEqual([]);
    expect(parseLiveParts({ parts: JSON.stringify([part, gone]) })).toEqual([part, gone]);
  });

  it("that are still live keep their positions in the thread", () => {
    const second = { ...part, id: "2" };
    expect(partsThere([gone, second, part])).toEqual([
      { part: second, position: 1 },
      { part, position: 2 },
    ]);
    expect(partsThere([gone, gone])).toEqual([]);
  });
});

describe("a part that is verified", () => {
  const kept = { is: "kept", url: "https://x.test/late", urlState: "none", missingSince: null, nextAt: null } as const;
  const pending: LivePart = { ...part, url: null, urlState: "pending", publishKey: "sealed" };

  it("takes the URL that the network reports and keeps everything else", () => {
    expect(verifiedPart(pending, kept)).toStrictEqual({ ...pending, url: kept.url, urlState: "none" });
  });

  it("remembers since when it was missing, and forgets that when it is found again", () => {
    const missing = verifiedPart(part, { ...kept, url: part.url, missingSince: NOW });
    expect(missing).toStrictEqual({ ...part, missingSince: NOW });
    expect(verifiedPart(missing, { ...kept, url: part.url })).toStrictEqual(part);
  });

  it("is no longer listed once it is removed, and remembers no search", () => {
    const after = verifiedPart({ ...part, missingSince: NOW }, { is: "removed" });
    expect(after).toStrictEqual(gone);
    expect(partsThere([after])).toEqual([]);
  });
});

describe("the proof that a part is out", () => {
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
  const says = (state: DeliveryState, isHeldBack = false) =>
    decideThreadStep(proof, { ...second, isHeldBack }, state, NOW)?.decision.detail;

  it("names the part counted from one if the thread stops at it", () => {
    expect(says("outcome_unknown")).toBe("part 2 of 4 is live after all");
    const setBack = "part 2 of 4 is live, and the next part may be: the database was restored";
    for (const state of ["reconciling", "outcome_unknown"] as const) expect(says(state, true)).toBe(setBack);
  });

  it("has no message if the thread continues", () => {
    expect(says("sending")).toBeNull();
  });

  it("changes nothing once the delivery has ended in a state without this transition", () => {
    const step = decideThreadStep(proof, second, "sending", NOW);
    const leaves = (state: DeliveryState) => step !== null && stepLeaves(step, state);
    for (const state of [...UNSENT, ...MAYBE_SENT]) expect(leaves(state)).toBe(true);
    for (const state of ["live", "failed", "outcome_unknown", "removed", "cancelled"] as const)
      expect(leaves(state)).toBe(false);
  });
});
