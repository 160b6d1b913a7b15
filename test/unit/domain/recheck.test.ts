// When a published post is looked at again, and what a look makes of it.
import { describe, expect, it } from "vitest";
import type { VerifyOutcome } from "../../../src/domain/delivery/outcome.ts";
import {
  afterVerification,
  countVerificationDays,
  firstSearchAt,
  getRechecks,
  nextSearchAt,
  nextVerificationAt,
  notSooner,
  type Rechecks,
  rarerRechecks,
  type VerifiedDelivery,
} from "../../../src/domain/delivery/verification.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const T = 1_800_000_000_000;

/** All instants since T that a schedule has, each asked for at the one before it; cut off, so that one without an end is seen. */
function instantsOf(nextAfter: (now: number) => number | null): number[] {
  const all: number[] = [];
  for (let at = nextAfter(T); at !== null && all.length < 20; at = nextAfter(at)) all.push(at - T);
  return all;
}
/** All looks at a post of T. */
const verifiedAt = (urlState: "none" | "pending", rechecks: Rechecks = "full"): number[] =>
  instantsOf((now) => nextVerificationAt({ publishedAt: T, urlState, rechecks }, now));
const delivery: VerifiedDelivery = {
  publishedAt: T,
  rechecks: "full",
  url: "https://x.test/1",
  urlState: "none",
  missingSince: null,
  readback: null,
};
const there = { is: "there", url: null } as const;
const gone = { is: "gone" } as const;
const failed = { is: "unknown", detail: "" } as const;

describe("the schedule", () => {
  it("becomes sparser over a month and then ends", () => {
    expect(verifiedAt("none")).toEqual([10 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY, 7 * DAY, 14 * DAY, 30 * DAY]);
  });

  it("starts sooner while the URL is not known", () => {
    const firstDay = [MINUTE, 3 * MINUTE, 10 * MINUTE, 20 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, DAY];
    expect(verifiedAt("pending")).toEqual([...firstDay, 3 * DAY, 7 * DAY, 14 * DAY, 30 * DAY]);
  });

  it("has three rechecks if each one costs money, and as many as elsewhere while the URL is not known", () => {
    expect(verifiedAt("none", "light")).toEqual([10 * MINUTE, DAY, 7 * DAY]);
    const forAddress = [MINUTE, 3 * MINUTE, 10 * MINUTE, 20 * MINUTE, 3 * HOUR];
    expect(verifiedAt("pending", "light")).toEqual([...forAddress, DAY, 7 * DAY]);
  });

  it("has no rechecks if the workspace wants none, except while the URL is not known", () => {
    expect(verifiedAt("none", "off")).toEqual([]);
    expect(verifiedAt("pending", "off")).toEqual([MINUTE, 3 * MINUTE, 20 * MINUTE, 3 * HOUR]);
    expect(countVerificationDays("off", T)).toBe(0);
  });

  it("is the network's unless the workspace has chosen one, and of two schedules the sparser one applies", () => {
    expect([getRechecks({}, null), getRechecks({ rechecks: "light" }, null)]).toEqual(["full", "light"]);
    expect([getRechecks({}, "off"), getRechecks({ rechecks: "light" }, "full")]).toEqual(["off", "full"]);
    expect([rarerRechecks("full", "light"), rarerRechecks("off", "light")]).toEqual(["light", "off"]);
  });

  it("falls on as many UTC days as a network bills that charges by day", () => {
    const noon = Date.UTC(2026, 10, 24, 12);
    expect(countVerificationDays("light", noon)).toBe(3);
    expect(countVerificationDays("full", noon)).toBe(6);
    // The first two looks are before midnight, the third is not, and the fourth is on its day.
    expect(countVerificationDays("full", noon + 10 * HOUR)).toBe(6);
    expect(countVerificationDays("light", Date.UTC(2026, 10, 24, 23, 55))).toBe(2);
  });

  it("covers an unknown outcome for a day", () => {
    expect(instantsOf((now) => nextSearchAt(T, now))).toEqual([10 * MINUTE, HOUR, 6 * HOUR, DAY]);
  });

  it("includes one recheck of a delivery that ended more than a day ago, because an outage may have prevented it", () => {
    expect(firstSearchAt(T, T)).toBe(T + 10 * MINUTE);
    expect(firstSearchAt(T, T + 10 * MINUTE)).toBe(T + HOUR);
    for (const late of [T + DAY, T + 3 * DAY]) expect(firstSearchAt(T, late)).toBe(late + 10 * MINUTE);
  });
});

describe("a network that asks to be left alone", () => {
  const after = { is: "kept", url: null, urlState: "none", missingSince: null, nextAt: T + HOUR } as const;

  it("is not called before that time and not earlier than scheduled", () => {
    expect(notSooner(after, T + 2 * HOUR)).toEqual({ ...after, nextAt: T + 2 * HOUR });
    expect(notSooner(after, T + MINUTE)).toEqual(after);
    expect(notSooner(after, undefined)).toEqual(after);
  });

  it("does not restart rechecks of a post whose schedule has ended", () => {
    const last = { ...after, nextAt: null };
    expect(notSooner(last, T + HOUR)).toEqual(last);
    expect(notSooner({ is: "removed" }, T + HOUR)).toEqual({ is: "removed" });
  });
});

describe("a post that is not found", () => {
  it("is removed only by a second recheck at least ten minutes after the first", () => {
    const first = afterVerification(delivery, gone, T + HOUR);
    expect(first).toMatchObject({ is: "kept", missingSince: T + HOUR, nextAt: T + HOUR + 15 * MINUTE });
    const missing = { ...delivery, missingSince: T + HOUR };
    expect(afterVerification(missing, gone, T + HOUR + 10 * MINUTE - 1)).toMatchObject({
      is: "kept",
      missingSince: T + HOUR,
    });
    expect(afterVerification(missing, gone, T + HOUR + 10 * MINUTE)).toEqual({ is: "removed" });
  });

  it("is no longer suspected to be removed once it is found again", () => {
    const missing = { ...delivery, missingSince: T + HOUR };
    expect(afterVerification(missing, there, T + 2 * HOUR)).toMatchObject({
      is: "kept",
      missingSince: null,
      nextAt: T + 6 * HOUR,
    });
  });

  it("a recheck that failed proves nothing and is repeated within an hour", () => {
    const missing = { ...delivery, missingSince: T + HOUR };
    const after = afterVerification(missing, failed, T + 2 * DAY);
    expect(after).toMatchObject({ is: "kept", missingSince: T + HOUR, nextAt: T + 2 * DAY + HOUR });
    expect(afterVerification(delivery, failed, T + 5 * DAY)).toMatchObject({ missingSince: null });
    expect(afterVerification(delivery, failed, T + 31 * DAY)).toMatchObject({ is: "kept", nextAt: null });
  });
});

describe("an address that comes late", () => {
  const pending: VerifiedDelivery = { ...delivery, url: null, urlState: "pending" };

  it("is stored when the network reports it", () => {
    const found = { is: "there", url: "https://x.test/late" } as const;
    expect(afterVerification(pending, found, T + MINUTE)).toMatchObject({
      url: "https://x.test/late",
      urlState: "none",
      nextAt: T + 10 * MINUTE,
    });
  });

  it("is requested soon while it is not known", () => {
    expect(afterVerification(pending, there, T + MINUTE)).toMatchObject({ nextAt: T + 3 * MINUTE });
    expect(afterVerification(pending, failed, T + MINUTE)).toMatchObject({ nextAt: T + 3 * MINUTE });
  });

  it("is awaited for a day and then recorded as not reported", () => {
    expect(afterVerification(pending, there, T + DAY - 1)).toMatchObject({ url: null, urlState: "pending" });
    expect(afterVerification(pending, there, T + DAY)).toMatchObject({ url: null, urlState: "not_reported" });
    expect(afterVerification(pending, failed, T + DAY)).toMatchObject({ urlState: "not_reported" });
  });

  it("never replaces one that is known", () => {
    const other = { is: "there", url: "https://x.test/other" } as const;
    expect(afterVerification(delivery, other, T + HOUR)).toMatchObject({ url: "https://x.test/1", urlState: "none" });
  });
});

describe("a post that is compared with what was accepted", () => {
  const found = (seen: VerifyOutcome, day = 0, of: VerifiedDelivery = delivery) => {
    const next = afterVerification(of, seen, T + day * DAY + MINUTE);
    return next.is === "kept" ? next.readback : next;
  };
  const unverifiable = { state: "unverifiable", altered: [] };

  it("is verified, altered or unverifiable once it is seen", () => {
    expect(found({ ...there, altered: [] })).toEqual({ state: "verified", altered: [] });
    expect(found({ ...there, altered: ["text"] })).toEqual({ state: "altered", altered: ["text"] });
    expect(found(there)).toEqual(unverifiable);
  });

  it("has no result while it is not visible, and is unverifiable once the rechecks have ended", () => {
    for (const unseen of [failed, { ...there, altered: "later" as const }]) {
      expect(found(unseen)).toBeUndefined();
      expect(found(unseen, 31)).toEqual(unverifiable);
    }
    expect(found(gone)).toBeUndefined();
  });

  it("is compared once, so a later change by its owner does not count as altered", () => {
    const compared = { ...delivery, readback: { state: "verified" as const, altered: [] } };
    expect(found({ ...there, altered: ["text"] }, 1, compared)).toBeUndefined();
    expect(afterVerification(compared, there, T + HOUR)).not.toHaveProperty("readback");
  });
});
