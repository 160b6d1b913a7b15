// Compares the instants of slots in every time zone with the runtime's calendar. A slot is at the first instant at which the
// clock shows its time, and is skipped if the clock skips that time.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { knownTimezone } from "../../../src/domain/instant.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { type Slot, serves, slotInstants } from "../../../src/domain/slots.ts";

const ZONES = Intl.supportedValuesOf("timeZone").filter((zone) => knownTimezone(zone) !== null);
const clocks = new Map<string, Intl.DateTimeFormat>();
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Returns the weekday and the time on the clock of a zone: `7 02:30`. */
function showTime(instant: number, timeZone: string): string {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  clocks.set(timeZone, clock);
  const parts = Object.fromEntries(clock.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${WEEKDAYS.indexOf(parts.weekday ?? "") + 1} ${parts.hour}:${parts.minute}`;
}

/** Finds every quarter of an hour in the range at which the clock shows a slot's time that it did not show in the three hours before. */
function findExpected(slots: Slot[], zone: string, from: number, until: number): number[] {
  const times = new Set(slots.map(({ weekday, time }) => `${weekday} ${time}`));
  const expectedInstants: number[] = [];
  for (let instant = Math.ceil(from / (15 * MINUTE_MS)) * 15 * MINUTE_MS; instant <= until; instant += 15 * MINUTE_MS) {
    const text = showTime(instant, zone);
    if (!times.has(text)) continue;
    const before = Array.from({ length: 12 }, (_, i) => instant - (i + 1) * 15 * MINUTE_MS);
    if (!before.some((earlier) => showTime(earlier, zone) === text)) expectedInstants.push(instant);
  }
  return expectedInstants;
}

const toTwoDigits = (number: number) => String(number).padStart(2, "0");
const slot = fc
  .record({
    weekday: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constantFrom(6, 7, 1)),
    hour: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 23 })),
    quarter: fc.integer({ min: 0, max: 3 }),
  })
  .map(
    ({ weekday, hour, quarter }): Slot => ({
      weekday,
      time: `${toTwoDigits(hour)}:${toTwoDigits(quarter * 15)}`,
      channels: null,
    }),
  );
/** Instants around the days on which many zones change their clocks, and on any other day. */
const begin = fc
  .oneof(
    fc.constantFrom(
      ...["2026-10-24", "2026-10-31", "2027-03-13", "2027-03-27", "2027-04-03", "2027-09-25", "2027-10-02"].map(
        Date.parse,
      ),
    ),
    fc.integer({ min: Date.parse("2026-11-01"), max: Date.parse("2029-11-01") }),
  )
  .chain((day) => fc.integer({ min: 0, max: 23 }).map((hour) => day + hour * HOUR_MS + 1));

describe("the instants of slots", () => {
  it("the instants of slots are the first at which the clock shows their time, in ascending order, in every zone", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.array(slot, { minLength: 1, maxLength: 6 }),
        begin,
        (zone, slots, from) => {
          const until = from + 3 * DAY_MS;
          const instants = [...slotInstants(slots, zone, { from, until })];
          expect(instants).toEqual(findExpected(slots, zone, from, until));
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    ["Europe/Berlin", 7, "02:30", "2027-03-22T00:00:00Z", ["2027-04-04T00:30:00.000Z"]],
    ["Europe/Berlin", 7, "03:00", "2027-03-22T00:00:00Z", ["2027-03-28T01:00:00.000Z", "2027-04-04T01:00:00.000Z"]],
    ["Europe/Berlin", 7, "02:30", "2027-10-25T00:00:00Z", ["2027-10-31T00:30:00.000Z", "2027-11-07T01:30:00.000Z"]],
    ["Australia/Lord_Howe", 7, "02:15", "2027-09-27T00:00:00Z", ["2027-10-09T15:15:00.000Z"]],
    // The clocks are set back at midnight, to the previous day.
    ["Africa/Cairo", 4, "23:30", "2027-10-25T00:00:00Z", ["2027-10-28T20:30:00.000Z", "2027-11-04T21:30:00.000Z"]],
    // The clocks are set forward at midnight, so the day begins at one.
    ["Africa/Cairo", 5, "00:30", "2027-04-26T00:00:00Z", ["2027-05-06T21:30:00.000Z"]],
    ["UTC", 1, "09:30", "2026-11-23T09:30:00Z", ["2026-11-23T09:30:00.000Z", "2026-11-30T09:30:00.000Z"]],
  ])(
    "a slot in the zone %s on weekday %i at %s has the right instants around a change of the clock",
    (zone, weekday, time, start, instants) => {
      const from = Date.parse(start);
      const instantsFound = slotInstants([{ weekday, time, channels: null }], zone, {
        from,
        until: from + 14 * DAY_MS,
      });
      expect([...instantsFound].slice(0, 2).map((instant) => new Date(instant).toISOString())).toEqual(instants);
    },
  );

  it("several slots at the same time have one instant, and no slots have none", () => {
    const monday = { weekday: 1, time: "09:30" };
    const range = { from: Date.parse("2026-11-23T00:00:00Z"), until: Date.parse("2026-11-29T00:00:00Z") };
    const slots = [
      { ...monday, channels: ["ch_a"] },
      { ...monday, channels: null },
    ];
    expect([...slotInstants(slots, "UTC", range)]).toHaveLength(1);
    expect([...slotInstants([], "UTC", range)]).toEqual([]);
  });
});

it("a slot serves a post if it has all channels of the post", () => {
  const only = { weekday: 1, time: "09:30", channels: ["ch_a", "ch_b"] };
  expect(serves(only, ["ch_b"])).toBe(true);
  expect(serves(only, ["ch_b", "ch_c"])).toBe(false);
  expect(serves({ ...only, channels: [] }, ["ch_a"])).toBe(false);
  expect(serves({ ...only, channels: null }, ["ch_c"])).toBe(true);
});
