// The instants of slots in every zone, against the runtime's own calendar: each is when the clock shows it first, and none is
// left out but those that the clock skips.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { knownTimezone } from "../../../src/domain/instant.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { type Slot, serves, slotInstants } from "../../../src/domain/slots.ts";

const ZONES = Intl.supportedValuesOf("timeZone").filter((zone) => knownTimezone(zone) !== null);
const clocks = new Map<string, Intl.DateTimeFormat>();
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** What the clock of a zone shows: `7 02:30`. */
function shown(at: number, timeZone: string): string {
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
  const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${WEEKDAYS.indexOf(parts.weekday ?? "") + 1} ${parts.hour}:${parts.minute}`;
}

/** Every quarter of an hour of the range at which a slot's time is shown, and was not within the three hours before. */
function expected(slots: Slot[], zone: string, from: number, until: number): number[] {
  const times = new Set(slots.map(({ weekday, time }) => `${weekday} ${time}`));
  const found: number[] = [];
  for (let at = Math.ceil(from / (15 * MINUTE_MS)) * 15 * MINUTE_MS; at <= until; at += 15 * MINUTE_MS) {
    const text = shown(at, zone);
    if (!times.has(text)) continue;
    const before = Array.from({ length: 12 }, (_, i) => at - (i + 1) * 15 * MINUTE_MS);
    if (!before.some((earlier) => shown(earlier, zone) === text)) found.push(at);
  }
  return found;
}

const two = (number: number) => String(number).padStart(2, "0");
const slot = fc
  .record({
    weekday: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constantFrom(6, 7, 1)),
    hour: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 23 })),
    quarter: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ weekday, hour, quarter }): Slot => ({ weekday, time: `${two(hour)}:${two(quarter * 15)}`, channels: null }));
/** Around the days on which many zones change their clocks, and any day. */
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
  it("are those at which the clock shows their time first, ascending, in every zone", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.array(slot, { minLength: 1, maxLength: 6 }),
        begin,
        (zone, slots, from) => {
          const until = from + 3 * DAY_MS;
          const instants = [...slotInstants(slots, zone, { from, until })];
          expect(instants).toEqual(expected(slots, zone, from, until));
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
    // Clocks are set back at midnight, to the day before.
    ["Africa/Cairo", 4, "23:30", "2027-10-25T00:00:00Z", ["2027-10-28T20:30:00.000Z", "2027-11-04T21:30:00.000Z"]],
    // Clocks are set forward at midnight: the day begins at one.
    ["Africa/Cairo", 5, "00:30", "2027-04-26T00:00:00Z", ["2027-05-06T21:30:00.000Z"]],
    ["UTC", 1, "09:30", "2026-11-23T09:30:00Z", ["2026-11-23T09:30:00.000Z", "2026-11-30T09:30:00.000Z"]],
  ])("%s, day %i at %s", (zone, weekday, time, start, instants) => {
    const from = Date.parse(start);
    const found = slotInstants([{ weekday, time, channels: null }], zone, { from, until: from + 14 * DAY_MS });
    expect([...found].slice(0, 2).map((at) => new Date(at).toISOString())).toEqual(instants);
  });

  it("come once where several slots have the same time, and not at all where there are no slots", () => {
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

it("a slot serves a post when it has all of its channels", () => {
  const only = { weekday: 1, time: "09:30", channels: ["ch_a", "ch_b"] };
  expect(serves(only, ["ch_b"])).toBe(true);
  expect(serves(only, ["ch_b", "ch_c"])).toBe(false);
  expect(serves({ ...only, channels: [] }, ["ch_a"])).toBe(false);
  expect(serves({ ...only, channels: null }, ["ch_c"])).toBe(true);
});
