// What options ask for once a post is live: which additions are made, in which order, and what their owner sees of them.
import { describe, expect, it } from "vitest";
import {
  type Addition,
  additionNotes,
  additionsView,
  dueAdditions,
  isHeldBack,
  MAY_HAVE_BEEN_MADE,
  nextAddition,
  parseAdditions,
  settleAddition,
  withAddition,
} from "../../../src/domain/delivery/additions.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const OFFERED = ["thumbnail", "playlist"];
const busy = { is: "retryable", error: "network_quota", detail: "slow down" } as const;
const due: Addition = { state: "due", tries: 0 };

/** As they are read again once they were stored. */
const stored = (override: Record<string, unknown> | undefined) =>
  parseAdditions({ additions: dueAdditions(OFFERED, override) });

describe("the additions of a post that goes live", () => {
  it("are those that its network has and its options ask for, in the network's order", () => {
    const both = stored({ playlist: "PL1", title: "A title", thumbnail: "med_1" });
    expect(Object.entries(both)).toEqual([
      ["thumbnail", due],
      ["playlist", due],
    ]);
    expect(stored({ playlist: "PL1" })).toEqual({ playlist: due });
  });

  it.each([[undefined], [{}], [{ title: "A title" }]])("are none for the options %j", (override) => {
    expect(dueAdditions(OFFERED, override)).toBeNull();
    expect(stored(override)).toEqual({});
  });

  it("are made one after the other, each once, until all have ended", () => {
    let additions = stored({ thumbnail: "med_1", playlist: "PL1" });
    const made: string[] = [];
    const answers = [{ is: "added" }, { is: "rejected", error: "content_refused", detail: "no" }] as const;
    for (const answer of answers) {
      const name = nextAddition(additions) ?? "none";
      made.push(name);
      additions = withAddition(additions, name, settleAddition(answer, name, 0, NOW).addition);
    }
    expect(made).toEqual(OFFERED);
    expect(nextAddition(additions)).toBeUndefined();
    expect(additionsView(additions)).toEqual({ thumbnail: "done", playlist: "failed" });
  });

  it("wait for the one before them while its call is under way or put off", () => {
    for (const state of ["due", "sending"] as const)
      expect(nextAddition({ thumbnail: { state, tries: 1 }, playlist: due })).toBe("thumbnail");
    for (const state of ["done", "failed", "unknown"] as const)
      expect(nextAddition({ thumbnail: { state, tries: 1 }, playlist: due })).toBe("playlist");
  });
});

describe("a delivery whose database was set back", () => {
  it("has no addition to make and none to show", () => {
    const additions = parseAdditions({ additions: MAY_HAVE_BEEN_MADE });
    expect(nextAddition(additions)).toBeUndefined();
    expect(additionsView(additions)).toBeNull();
  });

  it("is told from one that asks for no addition and from one that asks for some", () => {
    expect(isHeldBack({ additions: MAY_HAVE_BEEN_MADE })).toBe(true);
    expect(isHeldBack({ additions: null })).toBe(false);
    expect(isHeldBack({ additions: dueAdditions(OFFERED, { playlist: "PL1" }) })).toBe(false);
  });
});

describe("an answer to an addition", () => {
  it("that it was made ends it without a word", () => {
    const addition = { state: "done", tries: 1 };
    expect(settleAddition({ is: "added" }, "playlist", 1, NOW)).toStrictEqual({ addition, nextAt: null });
  });

  it.each([
    [{ is: "rejected", error: "content_refused", detail: "no" }, "failed", "`playlist` was refused: no"],
    [{ is: "unknown", detail: "no answer" }, "unknown", "`playlist` may not be there: no answer"],
  ] as const)("%o ends it as %s and says so by the option's name", (answer, state, detail) => {
    expect(settleAddition(answer, "playlist", 2, NOW)).toEqual({ addition: { state, tries: 2, detail }, nextAt: null });
  });

  it("that puts it off uses up a try, and the last one ends it", () => {
    const detail = "`playlist` waits: slow down";
    expect(settleAddition(busy, "playlist", 0, NOW)).toEqual({
      addition: { state: "due", tries: 1, detail },
      nextAt: NOW + MINUTE,
    });
    expect(settleAddition(busy, "playlist", 4, NOW)).toEqual({
      addition: { state: "failed", tries: 4, detail },
      nextAt: null,
    });
  });
});

describe("callers", () => {
  it("see each addition as pending until it has ended", () => {
    const shown = { due: "pending", sending: "pending", done: "done", failed: "failed", unknown: "unknown" } as const;
    for (const state of ["due", "sending", "done", "failed", "unknown"] as const)
      expect(additionsView({ thumbnail: { state, tries: 0 } })).toEqual({ thumbnail: shown[state] });
    expect(additionsView({})).toBeNull();
  });

  it("read what is to be said of those that did not go well, and nothing of the others", () => {
    const failed: Addition = { state: "failed", tries: 0, detail: "`thumbnail` was refused: no" };
    expect(additionNotes({ thumbnail: failed, playlist: { state: "done", tries: 0 } })).toEqual([failed.detail]);
    expect(additionNotes({ playlist: due })).toEqual([]);
  });
});
