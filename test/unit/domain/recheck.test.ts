// The times of the rechecks of a published post, and their results.
import { describe, expect, it } from "vitest";
import type { RecheckOutcome } from "../../../src/domain/delivery/outcome.ts";
import {
  countRecheckDays,
  decideRecheck,
  firstSearchAt,
  getRechecks,
  nextRecheckAt,
  nextSearchAt,
  notSooner,
  type RecheckedDelivery,
  type Rechecks,
  rarerRechecks,
} from "../../../src/domain/delivery/recheck.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const T = 1_800_000_000_000;

/** Lists the instants of a schedule since T, each computed at the previous one. The list is limited so that an endless schedule fails. */
function listInstants(nextAfter: (now: number) => number | null): number[] {
  const instants: number[] = [];
  for (let instant = nextAfter(T); instant !== null && instants.length < 20; instant = nextAfter(instant))
    instants.push(instant - T);
  return instants;
}
/** Lists all rechecks of a post that was published at T. */
const listRechecks = (urlState: "none" | "pending", rechecks: Rechecks = "full"): number[] =>
  listInstants((now) => nextRecheckAt({ publishedAt: T, urlState, rechecks }, now));
const delivery: RecheckedDelivery = {
  publishedAt: T,
  rechecks: "full",
  url: "https://x.test/1",
  urlState: "none",
  missingSince: null,
  readback: null,
};
const there = { is: "there", url: null } as const;
const notThere = { is: "gone" } as const;
const failed = { is: "unknown", detail: "" } as const;

describe("the schedule", () => {
  it("rechecks become rarer over a month and then end", () => {
    expect(listRechecks("none")).toEqual([10 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY, 7 * DAY, 14 * DAY, 30 * DAY]);
  });

  it("rechecks start sooner while the URL is not known", () => {
    const firstDay = [MINUTE, 3 * MINUTE, 10 * MINUTE, 20 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, DAY];
    expect(listRechecks("pending")).toEqual([...firstDay, 3 * DAY, 7 * DAY, 14 * DAY, 30 * DAY]);
  });

  it("there are three rechecks if each one costs money, and further ones while the URL is not known", () => {
    expect(listRechecks("none", "light")).toEqual([10 * MINUTE, DAY, 7 * DAY]);
    const forAddress = [MINUTE, 3 * MINUTE, 10 * MINUTE, 20 * MINUTE, 3 * HOUR];
    expect(listRechecks("pending", "light")).toEqual([...forAddress, DAY, 7 * DAY]);
  });

  it("there are no rechecks if the workspace has turned them off, except while the URL is not known", () => {
    expect(listRechecks("none", "off")).toEqual([]);
    expect(listRechecks("pending", "off")).toEqual([MINUTE, 3 * MINUTE, 20 * MINUTE, 3 * HOUR]);
    expect(countRecheckDays("off", T)).toBe(0);
  });

  it("the network's schedule applies unless the workspace has chosen one, and the rarer of two schedules applies", () => {
    expect([getRechecks({}, null), getRechecks({ rechecks: "light" }, null)]).toEqual(["full", "light"]);
    expect([getRechecks({}, "off"), getRechecks({ rechecks: "light" }, "full")]).toEqual(["off", "full"]);
    expect([rarerRechecks("full", "light"), rarerRechecks("off", "light")]).toEqual(["light", "off"]);
  });

  it("the days of rechecks are counted in UTC, for networks that charge by day", () => {
    const noon = Date.UTC(2026, 10, 24, 12);
    expect(countRecheckDays("light", noon)).toBe(3);
    expect(countRecheckDays("full", noon)).toBe(6);
    // The first two rechecks are before midnight; the third and the fourth are on the next day.
    expect(countRecheckDays("full", noon + 10 * HOUR)).toBe(6);
    expect(countRecheckDays("light", Date.UTC(2026, 10, 24, 23, 55))).toBe(2);
  });

  it("a delivery with an unknown outcome is searched for during one day", () => {
    expect(listInstants((now) => nextSearchAt(T, now))).toEqual([10 * MINUTE, HOUR, 6 * HOUR, DAY]);
  });

  it("a delivery that ended more than a day ago is searched for once, because an outage may have prevented it", () => {
    expect(firstSearchAt(T, T)).toBe(T + 10 * MINUTE);
    expect(firstSearchAt(T, T + 10 * MINUTE)).toBe(T + HOUR);
    for (const late of [T + DAY, T + 3 * DAY]) expect(firstSearchAt(T, late)).toBe(late + 10 * MINUTE);
  });
});

describe("a network that asks for a wait", () => {
  const after = { is: "kept", url: null, urlState: "none", missingSince: null, nextAt: T + HOUR } as const;

  it("the next recheck is not before the time that the network names, and not earlier than scheduled", () => {
    expect(notSooner(after, T + 2 * HOUR)).toEqual({ ...after, nextAt: T + 2 * HOUR });
    expect(notSooner(after, T + MINUTE)).toEqual(after);
    expect(notSooner(after, undefined)).toEqual(after);
  });

  it("a network's wait does not restart rechecks whose schedule has ended", () => {
    const last = { ...after, nextAt: null };
    expect(notSooner(last, T + HOUR)).toEqual(last);
    expect(notSooner({ is: "removed" }, T + HOUR)).toEqual({ is: "removed" });
  });
});

describe("a post that is not found", () => {
  it("a post that is not found is removed only by a second recheck at least ten minutes after the first", () => {
    const first = decideRecheck(delivery, notThere, T + HOUR);
    expect(first).toMatchObject({ is: "kept", missingSince: T + HOUR, nextAt: T + HOUR + 15 * MINUTE });
    const missing = { ...delivery, missingSince: T + HOUR };
    expect(decideRecheck(missing, notThere, T + HOUR + 10 * MINUTE - 1)).toMatchObject({
      is: "kept",
      missingSince: T + HOUR,
    });
    expect(decideRecheck(missing, notThere, T + HOUR + 10 * MINUTE)).toEqual({ is: "removed" });
  });

  it("a missing post is no longer missing once it is found again", () => {
    const missing = { ...delivery, missingSince: T + HOUR };
    expect(decideRecheck(missing, there, T + 2 * HOUR)).toMatchObject({
      is: "kept",
      missingSince: null,
      nextAt: T + 6 * HOUR,
    });
  });

  it("a post that its network never shows is asked for some thirty times in a month, and at first every hour", () => {
    const tries = [];
    for (let at: number | null = T + 10 * MINUTE; at !== null && tries.length < 1_000; ) {
      tries.push(at - T);
      const after = decideRecheck(delivery, failed, at);
      at = after.is === "kept" ? after.nextAt : null;
    }
    expect(tries.slice(0, 5)).toEqual([10 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR]);
    expect(tries.at(-1)).toBe(30 * DAY);
    expect(tries.length).toBeLessThan(40);
  });

  it("a recheck that failed proves nothing and is repeated within an hour", () => {
    const missing = { ...delivery, missingSince: T + HOUR };
    const after = decideRecheck(missing, failed, T + 2 * DAY);
    expect(after).toMatchObject({ is: "kept", missingSince: T + HOUR, nextAt: T + 2 * DAY + HOUR });
    expect(decideRecheck(delivery, failed, T + 5 * DAY)).toMatchObject({ missingSince: null });
    expect(decideRecheck(delivery, failed, T + 31 * DAY)).toMatchObject({ is: "kept", nextAt: null });
  });
});

describe("a URL that is reported late", () => {
  const pending: RecheckedDelivery = { ...delivery, url: null, urlState: "pending" };

  it("a late URL is stored when the network reports it", () => {
    const withUrl = { is: "there", url: "https://x.test/late" } as const;
    expect(decideRecheck(pending, withUrl, T + MINUTE)).toMatchObject({
      url: "https://x.test/late",
      urlState: "none",
      nextAt: T + 10 * MINUTE,
    });
  });

  it("an unknown URL is requested again soon", () => {
    expect(decideRecheck(pending, there, T + MINUTE)).toMatchObject({ nextAt: T + 3 * MINUTE });
    expect(decideRecheck(pending, failed, T + MINUTE)).toMatchObject({ nextAt: T + 3 * MINUTE });
  });

  it("an unknown URL is awaited for a day and then recorded as not reported", () => {
    expect(decideRecheck(pending, there, T + DAY - 1)).toMatchObject({ url: null, urlState: "pending" });
    expect(decideRecheck(pending, there, T + DAY)).toMatchObject({ url: null, urlState: "not_reported" });
    expect(decideRecheck(pending, failed, T + DAY)).toMatchObject({ urlState: "not_reported" });
  });

  it("a late URL never replaces a known one", () => {
    const otherUrl = { is: "there", url: "https://x.test/other" } as const;
    expect(decideRecheck(delivery, otherUrl, T + HOUR)).toMatchObject({
      url: "https://x.test/1",
      urlState: "none",
    });
  });
});

describe("a post that is compared with what was accepted", () => {
  const getReadback = (outcome: RecheckOutcome, day = 0, verified: RecheckedDelivery = delivery) => {
    const next = decideRecheck(verified, outcome, T + day * DAY + MINUTE);
    return next.is === "kept" ? next.readback : next;
  };
  const unverifiable = { state: "unverifiable", altered: [] };

  it("a post is verified, altered or unverifiable once a recheck has seen it", () => {
    expect(getReadback({ ...there, altered: [] })).toEqual({ state: "verified", altered: [] });
    expect(getReadback({ ...there, altered: ["text"] })).toEqual({ state: "altered", altered: ["text"] });
    expect(getReadback(there)).toEqual(unverifiable);
  });

  it("a post has no result while it is not visible, and is unverifiable once the rechecks have ended", () => {
    for (const unseen of [failed, { ...there, altered: "later" as const }]) {
      expect(getReadback(unseen)).toBeUndefined();
      expect(getReadback(unseen, 31)).toEqual(unverifiable);
    }
    expect(getReadback(notThere)).toBeUndefined();
  });

  it("a post is compared once, so a later change by its owner does not count as altered", () => {
    const compared = { ...delivery, readback: { state: "verified" as const, altered: [] } };
    expect(getReadback({ ...there, altered: ["text"] }, 1, compared)).toBeUndefined();
    expect(decideRecheck(compared, there, T + HOUR)).not.toHaveProperty("readback");
  });
});
