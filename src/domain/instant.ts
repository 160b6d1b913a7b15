// Turns zoned and zoneless times into absolute instants. The runtime provides the zone data, and Temporal
// the arithmetic. This file uses Temporal's functions, because its classes would add all of Temporal to the bundle.
import { getISO } from "temporal-polyfill/fns/Calendar";
import * as Instant from "temporal-polyfill/fns/Instant";
import * as PlainDate from "temporal-polyfill/fns/PlainDate";
import * as PlainDateTime from "temporal-polyfill/fns/PlainDateTime";
import * as ZonedDateTime from "temporal-polyfill/fns/ZonedDateTime";
import { PUBLISH_AHEAD_MAX_MS, PUBLISH_PAST_TOLERANCE_MS } from "./limits.ts";
import { refuse, type Violation, violation } from "./refusal.ts";

const ISO =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?<zone>Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/;

/** An instant on the clock of a zone. */
export const zonedAt = (epochMs: number, timezone: string): ZonedDateTime.Record =>
  Instant.toZonedDateTimeISO(Instant.fromEpochMilliseconds(epochMs), timezone);

/** The runtime's spelling of an IANA zone name, or null if it does not know the zone. */
export function knownTimezone(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return null;
  try {
    return zonedAt(0, name).timeZoneId;
  } catch {
    return null;
  }
}

/** The first and the last instant that a date has: 100,000,000 days around 1970 (ECMA-262, 21.4.1.1, read 2026-11-26). */
const DATE_MAX_MS = 8.64e15;

/**
 * `epochMs` as ISO 8601 UTC with milliseconds. A broken row may have a number that is not a valid date; the result is then the
 * nearest valid date. A broken row may also have a text, which SQLite orders after all numbers; the result is then the last date.
 */
export function isoInstant(epochMs: number): string {
  const nearestMs = Math.min(Math.max(epochMs, -DATE_MAX_MS), DATE_MAX_MS);
  return new Date(Number.isNaN(nearestMs) ? DATE_MAX_MS : nearestMs).toISOString();
}

export function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoInstant(epochMs);
}

/** `epochMs` on the wall clock of `timezone`, with its offset: `2026-12-01T10:00:00+01:00`. */
export function localReading(epochMs: number, timezone: string): string {
  const zoned = zonedAt(epochMs, timezone);
  const smallestUnit = zoned.millisecond === 0 ? "second" : "millisecond";
  return ZonedDateTime.toString(zoned, { timeZoneName: "never", smallestUnit });
}

/** The first instant at which the clocks of a zone show `wall`; null if they skip it. */
export function wallInstant(wall: PlainDateTime.Record, timezone: string): number | null {
  const zoned = PlainDateTime.toZonedDateTime(wall, timezone, { disambiguation: "earlier" });
  return PlainDateTime.equals(ZonedDateTime.toPlainDateTime(zoned), wall) ? zoned.epochMilliseconds : null;
}

/**
 * Reads an ISO 8601 time. A time without an offset is a local time in `timezone`. If the clocks skip a local time, it is
 * refused with the two nearest instants. If the clocks show a local time twice, the result is the first of the two instants.
 * Returns epoch milliseconds or the violation.
 */
export function readInstant(value: string, timezone: string, field: string): number | Violation {
  const match = ISO.exec(value);
  if (match === null) return violation("publish_at_invalid", { field });
  try {
    if (match.groups?.zone !== undefined) {
      // Temporal clamps no value that matches the pattern. A day that does not exist throws.
      return Instant.fromString(value).epochMilliseconds;
    }
    const wall = PlainDateTime.fromString(value, getISO);
    const earlier = PlainDateTime.toZonedDateTime(wall, timezone, { disambiguation: "earlier" });
    if (PlainDateTime.equals(ZonedDateTime.toPlainDateTime(earlier), wall)) return earlier.epochMilliseconds;
    const later = PlainDateTime.toZonedDateTime(wall, timezone, { disambiguation: "later" });
    const near = [earlier, later].map((zoned) => localReading(zoned.epochMilliseconds, timezone));
    return violation("publish_at_in_dst_gap", {
      field,
      message: `${value} does not exist in ${timezone}: the clocks are set forward past it.`,
      hint: `The nearest times are ${near[0]} and ${near[1]}.`,
      nearest: near,
    });
  } catch {
    return violation("publish_at_invalid", { field });
  }
}

/**
 * Reads an instant with its offset, or a date as its first instant in `timezone`. Returns epoch milliseconds; throws
 * `invalid_field`.
 */
export function readDayOrInstant(value: string, timezone: string, field: string): number {
  try {
    if (ISO.exec(value)?.groups?.zone !== undefined) return Instant.fromString(value).epochMilliseconds;
    if (/^\d{4}-\d{2}-\d{2}$/.test(value)) {
      return startOfDate(value, timezone);
    }
  } catch {
    // A day that does not exist is refused like any other invalid date.
  }
  throw refuse("invalid_field", {
    field,
    message: `\`${field}\` is neither an instant nor a date.`,
    hint: "Write it as `2026-12-01`, or as `2026-12-01T09:00:00Z`.",
  });
}

/** Checks that a publishing time is not past and not too far ahead. Up to a minute in the past counts as now. */
export function checkPublishAt(publishAt: number, now: number, field: string): Violation | null {
  const messageStart = `\`publish_at\` is ${isoInstant(publishAt)}`;
  if (publishAt < now - PUBLISH_PAST_TOLERANCE_MS) {
    const seconds = isoInstant(now).replace(/\.\d+Z$/, "Z");
    return violation("publish_at_in_past", { field, message: `${messageStart}, and now it is ${seconds}.` });
  }
  if (publishAt > now + PUBLISH_AHEAD_MAX_MS) {
    return violation("publish_at_too_far", { field, message: `${messageStart}, which is more than 366 days ahead.` });
  }
  return null;
}

/** The first instant of the day of `epochMs` in `timezone`, in epoch milliseconds. */
export const lastMidnight = (epochMs: number, timezone: string): number =>
  ZonedDateTime.startOfDay(zonedAt(epochMs, timezone)).epochMilliseconds;

/** The first instant of the day after `epochMs` in `timezone`, in epoch milliseconds. */
export function nextMidnight(epochMs: number, timezone: string): number {
  return ZonedDateTime.startOfDay(ZonedDateTime.addDays(zonedAt(epochMs, timezone), 1)).epochMilliseconds;
}

/** The first instant of a date (`2026-12-01`) in `timezone`, in epoch milliseconds. Throws if the date does not exist. */
export const startOfDate = (date: string, timezone: string): number =>
  PlainDate.toZonedDateTime(PlainDate.fromString(date, getISO), timezone).epochMilliseconds;

/** The date of an instant in `timezone`, as `2026-12-01`. */
export const formatDate = (epochMs: number, timezone: string): string => localReading(epochMs, timezone).slice(0, 10);

/** The UTC calendar month of an instant, as `2026-11`. */
export function formatMonth(epochMs: number): string {
  return isoInstant(epochMs).slice(0, 7);
}

/** First instant of the month after `month` (`2026-11`), in epoch milliseconds. */
export function monthEnd(month: string): number {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return Date.UTC(year, number, 1);
}
