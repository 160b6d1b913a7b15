// Times and cursors for arbitrary input: the result is an exact instant or id, or a refusal.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Entropy, makeId } from "../../../src/domain/ids.ts";
import { knownTimezone, readInstant } from "../../../src/domain/instant.ts";
import { Refusal } from "../../../src/domain/refusal.ts";
import { cursorAfter, readCursor } from "../../../src/operations/cursor.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { countRuns } from "../../support/runs.ts";

const MINUTE_MS = 60_000;
const ZONES = Intl.supportedValuesOf("timeZone").filter((zone) => knownTimezone(zone) !== null);

/** The runtime's own formatters, which show the local time of a zone: `2027-03-28T01:30`. */
const clocks = new Map<string, Intl.DateTimeFormat>();
function wallClock(epochMs: number, timeZone: string): string {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short", hourCycle: "h23" });
  clocks.set(timeZone, clock);
  return clock.format(epochMs).replace(" ", "T");
}

/** Days on which many zones change their clocks, and any other day. */
const day = fc.oneof(
  fc.constantFrom(
    "2026-10-25",
    "2026-11-01",
    "2027-03-14",
    "2027-03-28",
    "2027-04-04",
    "2027-09-26",
    "2027-10-03",
    "2027-04-25",
  ),
  fc
    .date({ min: new Date("2026-01-02"), max: new Date("2036-12-30"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
);
const hour = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 23 }));
const toTwoDigits = (number: number) => String(number).padStart(2, "0");
const local = fc
  .tuple(day, hour, fc.integer({ min: 0, max: 59 }))
  .map(([date, hours, minutes]) => `${date}T${toTwoDigits(hours)}:${toTwoDigits(minutes)}`);

/** Finds all instants within a day and a half at which the clocks of a zone show `localTime`. */
function findInstants(localTime: string, zone: string): number[] {
  const middle = Date.parse(`${localTime}Z`);
  // Offsets are whole quarters of an hour, from -12:00 to +14:00.
  return Array.from({ length: 27 * 4 }, (_, i) => middle + (i - 14 * 4) * 15 * MINUTE_MS).filter(
    (instant) => wallClock(instant, zone) === localTime,
  );
}

describe("a time without an offset", () => {
  it("a time without an offset is the first instant at which the zone's clocks show it, or is refused if they skip it, in every zone", () => {
    expect(ZONES.length).toBeGreaterThan(300);
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), local, (zone, localTime) => {
        const read = readInstant(localTime, zone, "/publish_at");
        const instants = findInstants(localTime, zone);
        if (typeof read === "number") {
          expect(read).toBe(instants[0]);
          return;
        }
        expect(read).toMatchObject({ code: "publish_at_in_dst_gap", field: "/publish_at" });
        expect(instants).toEqual([]);
        const near = [...(read.hint ?? "").matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d/g)].map(
          ([text]) => text,
        );
        expect(near).toHaveLength(2);
        for (const text of near) {
          const instant = readInstant(text, "UTC", "/publish_at");
          expect(typeof instant === "number" && wallClock(instant, zone)).toBe(text.slice(0, 16));
        }
      }),
      {
        numRuns: countRuns(600),
        examples: [
          ["Europe/Berlin", "2027-03-28T02:30"],
          ["America/New_York", "2027-03-14T02:00"],
          ["Australia/Lord_Howe", "2027-10-03T02:10"],
          ["Europe/Berlin", "2026-10-25T02:30"],
          ["Asia/Kathmandu", "2027-01-01T00:00"],
        ],
      },
    );
  });

  it("a time with an offset is the same instant in every zone", () => {
    const offset = fc
      .tuple(fc.constantFrom("+", "-"), fc.integer({ min: 0, max: 14 }), fc.integer({ min: 0, max: 59 }))
      .map(([sign, hours, minutes]) => `${sign}${toTwoDigits(hours)}:${toTwoDigits(minutes)}`);
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), local, fc.oneof(offset, fc.constant("Z")), (zone, localTime, zoned) => {
        expect(readInstant(localTime + zoned, zone, "/publish_at")).toBe(Date.parse(localTime + zoned));
      }),
    );
  });

  it("any text is read as an instant or as a violation, without an error", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789-:TZ+. []"), maxLength: 30 });
    const almost = fc.tuple(local, fc.string({ maxLength: 6 })).map(([localTime, tail]) => localTime + tail);
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), digits, almost),
        fc.constantFrom(...ZONES),
        (text, zone) => {
          const read = readInstant(text, zone, "/publish_at");
          if (typeof read === "number") expect(Number.isInteger(read)).toBe(true);
          else expect(read.code).toMatch(/^publish_at_(invalid|in_dst_gap)$/);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a cursor", () => {
  const entropy: Entropy = (length) => crypto.getRandomValues(new Uint8Array(length));

  it("a cursor is read as the id from which it was made, and as no other kind of id", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 44 }), (now) => {
        const id = makeId("post", now, entropy);
        const cursor = cursorAfter(id) ?? "";
        expect(readCursor(cursor, "post")).toBe(id);
        expect(() => readCursor(cursor, "med")).toThrow(Refusal);
      }),
    );
  });

  it("any text is read as a cursor with an id, or refused as unreadable_cursor", () => {
    const base64 = fc.base64String();
    const forged = fc.string({ unit: "grapheme-ascii" }).map((text) => btoa(`post_${text}`));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), base64, forged), (text) => {
        try {
          expect(readCursor(text, "post")).toMatch(/^post_[0-9a-z]{26}$/);
        } catch (error) {
          expect(error).toMatchObject({ code: "unreadable_cursor", detail: { field: "/cursor" } });
        }
      }),
      { numRuns: countRuns(1_000) },
    );
  });
});
