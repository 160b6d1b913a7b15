// Parses the times that people type for `--at`. The service converts a local time to an instant, because the service knows
// which times the workspace's clock skips.
import { NEXT_SLOT } from "../../src/domain/next-slot.ts";
import { wallClock } from "./format.ts";

const SPAN = /^\+(?:\s*\d+\s*(?:s|m|min|h|d|w))+$/i;
const SPAN_PART = /(\d+)\s*(s|m|min|h|d|w)/gi;
const SECONDS: Record<string, number> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 };
const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{1,2})(:\d{2}.*)$/i;
/** `now`, and times of day by name. */
const NAMED_HOURS: Record<string, string> = { noon: "12:00", midday: "12:00", midnight: "0:00" };
const NAMED_HOUR = /(?<=^|\s)(?:noon|midday|midnight)$/i;
const WORDS = /^(?:(today|tomorrow|[a-z]+day|mon|tue|wed|thu|fri|sat|sun)\s+)?(\d{1,2})(?::(\d{2}))?\s*(am|pm)?$/i;
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** The formats of `readInstant`, for help and refusals. */
export const INSTANT_FORMS =
  "now, 2026-12-01T09:00:00Z, 2026-12-01 9:00, +2h, +1d, 9:00, noon, tomorrow 9:00, monday 5pm";
/** The formats of `readTime`. */
export const TIME_FORMS = `${INSTANT_FORMS}, next-slot`;

/**
 * Turns `typed` into the `publish_at` to send: the next slot, an instant, or a time without an offset. A time without an offset
 * is a local time in the workspace's zone. `now`: the service's time in epoch milliseconds. `zone`: the workspace's time
 * zone. Returns null if `typed` has none of these forms.
 */
export function readTime(typed: string, now: number, zone: string): string | null {
  const text = typed.trim().replace(NAMED_HOUR, (word) => NAMED_HOURS[word.toLowerCase()] ?? word);
  if (/^now$/i.test(text)) return new Date(now).toISOString();
  if (/^next[-_]slot$/i.test(text)) return NEXT_SLOT;
  const iso = ISO.exec(text);
  if (iso !== null) return `${iso[1]}T${iso[2]?.padStart(2, "0")}${iso[3]}`.replace(/z$/, "Z");
  if (SPAN.test(text)) return readSpan(text, now, zone);
  return readWords(text, now, zone);
}

/**
 * Turns `typed` into an instant, for fields that accept nothing else. A time without an offset is a local time in `zone`. If
 * the clock skips this time, the instant is one hour later. Returns null if `typed` has none of the forms.
 */
export function readInstant(typed: string, now: number, zone: string): string | null {
  const read = readTime(typed, now, zone);
  if (read === null || read === NEXT_SLOT) return null;
  const hasOffset = /(Z|[+-]\d{2}:?\d{2})$/i.test(read);
  const wall = Date.parse(hasOffset ? read : `${read}Z`);
  if (Number.isNaN(wall)) return null;
  return new Date(hasOffset ? wall : wall - offsetAt(wall - offsetAt(wall, zone), zone)).toISOString();
}

/** The seconds of a span such as `+1d` or `-2h 30min`, with days of 24 hours; null if `typed` is no span. */
export function readSeconds(typed: string): number | null {
  const text = typed.trim();
  if (!SPAN.test(text.replace("-", "+"))) return null;
  const seconds = spanParts(text).reduce((sum, component) => sum + component.seconds, 0);
  return text.startsWith("-") ? -seconds : seconds;
}

/** The offset of a zone from UTC, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const wall = wallClock(instant, zone);
  return (
    Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second) -
    Math.floor(instant / 1000) * 1000
  );
}

const spanParts = (text: string) =>
  [...text.matchAll(SPAN_PART)].map(([, amount, unit = ""]) => ({
    seconds: Number(amount) * (SECONDS[unit.toLowerCase()] ?? 0),
    isDay: /^[dw]$/i.test(unit),
  }));

/** Days and weeks keep the time of day; hours and shorter units are exact durations. */
function readSpan(text: string, now: number, zone: string): string | null {
  const parts = spanParts(text);
  const seconds = parts.reduce((sum, component) => sum + component.seconds, 0);
  if (seconds > 10 * 366 * 86_400) return null;
  if (!parts.some(({ isDay }) => isDay)) return new Date(now + seconds * 1000).toISOString();
  const wall = wallClock(now, zone);
  return zoneless(Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second) + seconds * 1000);
}

function readWords(text: string, now: number, zone: string): string | null {
  const match = WORDS.exec(text);
  if (match === null) return null;
  const [, day = "today", hours, minutes, half] = match;
  // A bare number is not a time of day.
  if (minutes === undefined && half === undefined) return null;
  const hour = readHour(Number(hours), half?.toLowerCase());
  const minute = Number(minutes ?? 0);
  if (hour === null || minute > 59) return null;
  const wall = wallClock(now, zone);
  const ahead = daysAhead(day.toLowerCase(), DAYS.indexOf(wall.weekday.toLowerCase()), {
    isPast: hour * 60 + minute <= wall.hour * 60 + wall.minute,
  });
  return ahead === null ? null : zoneless(Date.UTC(wall.year, wall.month - 1, wall.day + ahead, hour, minute));
}

function readHour(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour <= 23 ? hour : null;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half === "pm" ? 12 : 0);
}

/**
 * Days from today (0 is Sunday) to the named weekday. The current weekday means today as long as its time has not passed.
 */
function daysAhead(day: string, today: number, { isPast }: { isPast: boolean }): number | null {
  if (day === "today") return 0;
  if (day === "tomorrow") return 1;
  const names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
  const weekday = names.findIndex((name) => name === day || name.slice(0, 3) === day);
  if (weekday === -1) return null;
  const ahead = (weekday - today + 7) % 7;
  return ahead === 0 && isPast ? 7 : ahead;
}

/** A local time, given as if it were UTC, without an offset. */
const zoneless = (wall: number) => new Date(wall).toISOString().slice(0, 19);
