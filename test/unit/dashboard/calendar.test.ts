import fc from "fast-check";
import * as Instant from "temporal-polyfill/fns/Instant";
import * as ZonedDateTime from "temporal-polyfill/fns/ZonedDateTime";
import { describe, expect, it } from "vitest";
import {
  dayAfter,
  isDate,
  listWeekDays,
  listWeeks,
  monthAfter,
  wallClock,
} from "../../../src/dashboard/calendar/days.ts";
import { atMost, byDay, type Entry, entryMaker } from "../../../src/dashboard/calendar/entries.ts";
import { DAY_MINUTES, place, timeAfter, toMinute } from "../../../src/dashboard/calendar/places.ts";
import type { Post } from "../../../src/dashboard/types.ts";

const ZONES = [
  "UTC",
  "America/New_York",
  "America/St_Johns",
  "Europe/Berlin",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Asia/Gaza",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Pacific/Kiritimati",
];
const anInstant = fc.integer({ min: Date.parse("2010-01-01T00:00:00Z"), max: Date.parse("2040-01-01T00:00:00Z") });
const aTime = fc
  .integer({ min: 0, max: DAY_MINUTES * 60 - 1 })
  .map((second) => new Date(second * 1_000).toISOString().slice(11, 19));

function makePost(id: number, values: Partial<Pick<Post, "due_at" | "status">> = {}): Post {
  return {
    id: `post_${id}`,
    status: "scheduled",
    text: `Post ${id}`,
    media: [],
    thread: null,
    poll: null,
    channels: ["ch_a"],
    publish_at: null,
    timezone: "UTC",
    publish_at_local: null,
    due_at: null,
    rev: 1,
    content_tag: "tag",
    overrides: {},
    draft: false,
    post_type: null,
    media_fit: "exact",
    repeat: null,
    link_tags: null,
    repeat_of: null,
    repeat_status: null,
    deliveries: [],
    labels: [],
    approval: null,
    metadata: {},
    created_at: "2026-11-21T08:30:00.000Z",
    updated_at: "2026-11-21T08:30:00.000Z",
    published_at: null,
    warnings: [],
    ...values,
  };
}
function makeEntry(id: number, time: string, failed = false): Entry {
  const failedOrScheduled = makePost(id, { status: failed ? "failed" : "scheduled" });
  return {
    id: failedOrScheduled.id,
    post: failedOrScheduled,
    ownTimeOf: null,
    day: "2026-12-08",
    time,
    title: failedOrScheduled.text,
    networks: [],
    failed,
    movable: true,
  };
}

describe("the clock of a zone", () => {
  it("the clock of a time zone shows the same local time as Temporal, also around changes of the clock", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), anInstant, (zone, instant) => {
        const there = Instant.toZonedDateTimeISO(Instant.fromEpochMilliseconds(instant), zone);
        expect(wallClock(zone)(instant)).toBe(ZonedDateTime.toString(there).slice(0, 19));
      }),
      { numRuns: 2_000 },
    );
    const newYork = wallClock("America/New_York");
    const around = ["06:59:59", "07:00:00"].map((time) => newYork(Date.parse(`2027-03-14T${time}Z`)));
    expect(around).toEqual(["2027-03-14T01:59:59", "2027-03-14T03:00:00"]);
  });
});

describe("days", () => {
  it("the calendar of a month consists of whole weeks from Monday to Sunday and has every day of the month", () => {
    fc.assert(
      fc.property(anInstant, (instant) => {
        const date = new Date(instant).toISOString().slice(0, 10);
        const weeks = listWeeks(date);
        const days = weeks.flat();
        for (const week of weeks) expect(week).toEqual(listWeekDays(week[3] ?? ""));
        expect(new Date(`${days[0]}T00:00:00Z`).getUTCDay()).toBe(1);
        expect(days).toContain(monthAfter(date, 0));
        expect(days).toContain(dayAfter(monthAfter(date, 1), -1));
        expect(days).toContain(date);
        expect(weeks.length).toBeLessThanOrEqual(6);
      }),
    );
  });

  it("isDate accepts only existing dates", () => {
    expect(["2028-02-29", "2026-12-31"].filter(isDate)).toHaveLength(2);
    expect(["2027-02-29", "2026-13-01", "today", "2026-1-1", "", "0000-01-01"].filter(isDate)).toEqual([]);
  });
});

describe("an entry", () => {
  it("an entry is on its day in the workspace's time zone, and remains the same object while its post does not change", () => {
    const late = makePost(1, { due_at: "2026-12-08T02:30:05.000Z" });
    const toEntry = entryMaker("America/New_York", [], () => true);
    expect(toEntry(late)).toMatchObject([{ day: "2026-12-07", time: "21:30:05", ownTimeOf: null, movable: true }]);
    expect(toEntry(late)).toBe(toEntry(late));
    expect(toEntry(makePost(2))).toEqual([]);
    expect(entryMaker("UTC", [], () => false)(late)).toMatchObject([{ day: "2026-12-08", movable: false }]);
  });

  it("an entry of a draft or a waiting post shows the networks of its channels, each once", () => {
    const channels = ["ch_a", "ch_b", "ch_c"].map((id, i) => ({ id, platform: i === 1 ? "bluesky" : "x" }));
    const draft = {
      ...makePost(3, { due_at: "2026-12-08T02:30:05.000Z", status: "draft" }),
      channels: ["ch_a", "ch_b", "ch_c"],
    };
    expect(entryMaker("UTC", channels, () => true)(draft)[0]?.networks).toEqual(["x", "bluesky"]);
  });

  it("a post whose channels have times of their own has an entry at each of its times", () => {
    const channels = ["ch_a", "ch_b", "ch_c"].map((id, i) => ({ id, platform: ["x", "bluesky", "threads"][i] ?? "" }));
    const [early, late] = ["2026-12-07T10:00:00.000Z", "2026-12-08T09:00:00.000Z"];
    const timed = {
      ...makePost(4, { due_at: early }),
      publish_at: late,
      channels: ["ch_a", "ch_b", "ch_c"],
      overrides: { ch_b: { publish_at: early } },
    };
    const toEntries = entryMaker("UTC", channels, () => true);
    expect(toEntries(timed).map(({ day, networks, ownTimeOf }) => ({ day, networks, ownTimeOf }))).toEqual([
      { day: "2026-12-08", networks: ["x", "threads"], ownTimeOf: null },
      { day: "2026-12-07", networks: ["bluesky"], ownTimeOf: ["ch_b"] },
    ]);
    const allOwn = { ...timed, channels: ["ch_b"] };
    expect(toEntries(allOwn)).toMatchObject([{ id: timed.id, day: "2026-12-07", ownTimeOf: ["ch_b"] }]);
  });

  it("an entry is shown where it was dropped until the service answers", () => {
    const [early, late] = [makeEntry(1, "09:00:00"), makeEntry(2, "21:30:00")];
    const days = byDay([early, late], new Map([["post_2", "2026-12-09T21:30:00"]]));
    expect(days.get("2026-12-08")).toEqual([early]);
    expect(days.get("2026-12-09")).toMatchObject([{ id: "post_2", time: "21:30:00", movable: false }]);
  });

  it("failed entries are shown first if there is no room for all", () => {
    const entries = Array.from({ length: 30 }, (_, i) =>
      makeEntry(i, `${String(i % 24).padStart(2, "0")}:00:00`, i % 13 === 12),
    );
    const { shown, rest } = atMost(4, entries);
    expect(shown.map(({ id }) => id)).toEqual(["post_0", "post_1", "post_12", "post_25"]);
    expect([...shown, ...rest].map(({ id }) => id).sort()).toEqual(entries.map(({ id }) => id).sort());
    const failed = entries.map((entry) => ({ ...entry, failed: true }));
    expect(atMost(4, failed).rest.every((entry) => entry.failed)).toBe(true);
  });
});

describe("a drag in a week", () => {
  it("a vertical drag ends on a quarter of an hour within the day, and a drag to another day keeps the exact time", () => {
    fc.assert(
      fc.property(aTime, fc.double({ min: -1, max: 1, noNaN: true }), (time, shift) => {
        const after = timeAfter(shift, time);
        if (after === time) return;
        expect(toMinute(after) % 15).toBe(0);
        expect(after).toMatch(/^([01]\d|2[0-3]):(00|15|30|45):00$/);
        const targetMinute = toMinute(time) + shift * DAY_MINUTES;
        const inDay = Math.min(Math.max(targetMinute, 0), DAY_MINUTES - 15);
        expect(Math.abs(toMinute(after) - inDay)).toBeLessThanOrEqual(15);
      }),
    );
    expect(timeAfter(0.004, "09:31:07")).toBe("09:31:07");
    expect(timeAfter(1 / 24, "09:30:00")).toBe("10:30:00");
    expect(timeAfter(1, "09:30:00")).toBe("23:45:00");
    expect(timeAfter(-1, "09:30:00")).toBe("00:00:00");
  });

  it("entries of a week never overlap, and each is placed or counted as hidden", () => {
    const times = fc.array(aTime, { maxLength: 60 }).map((unsorted) => unsorted.sort());
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 3 }), (sortedTimes, columns) => {
        const { placed, more } = place(
          sortedTimes.map((time, i) => makeEntry(i, time, i % 7 === 0)),
          columns,
        );
        const hidden = more.flatMap(({ rest }) => rest);
        expect(placed.length + hidden.length).toBe(sortedTimes.length);
        const height = 30 / DAY_MINUTES;
        const boxes = [...placed, ...more];
        for (const [i, box] of boxes.entries()) {
          expect(box.top).toBeGreaterThanOrEqual(0);
          expect(box.top + height).toBeLessThanOrEqual(1.000001);
          for (const otherBox of boxes.slice(i + 1)) {
            const apartDown = Math.abs(box.top - otherBox.top) >= height - 1e-9;
            const [leftBox, rightBox] = box.left < otherBox.left ? [box, otherBox] : [otherBox, box];
            const apartAcross = leftBox.left + leftBox.width <= rightBox.left + 1e-9;
            expect(apartDown || apartAcross).toBe(true);
          }
        }
      }),
    );
  });
});
