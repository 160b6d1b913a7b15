// Formats numbers and times for people.

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** `90.1 MB`: decimal units, three digits at most. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** `0:09`, `12:30`, `1:02:03`. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

const STEPS: [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
];

/** `2 h 5 min`: the two largest units of a duration, the smaller one rounded. */
export function spanText(ms: number): string {
  const exact = Math.abs(ms);
  const larger = STEPS.find(([size]) => exact >= size)?.[0] ?? 1000;
  const smaller = STEPS.find(([size]) => size < larger)?.[0] ?? 1000;
  const whole = Math.round(exact / smaller) * smaller;
  const first = STEPS.findIndex(([size]) => whole >= size);
  if (first === -1) return "0 s";
  let remainingMs = whole;
  const parts = STEPS.slice(first, first + 2).flatMap(([size, unit]) => {
    const count = Math.floor(remainingMs / size);
    remainingMs -= count * size;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return parts.join(" ");
}

/** `in 2 h`, `5 min ago`, `now`: an instant (epoch milliseconds) relative to `now`. */
export function relativeText(instant: number, now: number): string {
  const away = instant - now;
  if (Math.abs(away) < 1000) return "now";
  return away > 0 ? `in ${spanText(away)}` : `${spanText(away)} ago`;
}

interface Wall {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  weekday: string;
}

/** The local time of `zone` (IANA) at an instant in epoch milliseconds. */
export function wallClock(instant: number, zone: string): Wall {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    weekday: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(instant);
  const getPart = (type: Intl.DateTimeFormatPartTypes) => parts.find((datePart) => datePart.type === type)?.value ?? "";
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(getPart(type));
  return {
    year: number("year"),
    month: number("month"),
    day: number("day"),
    hour: number("hour"),
    minute: number("minute"),
    second: number("second"),
    weekday: getPart("weekday"),
  };
}

const two = (n: number) => String(n).padStart(2, "0");

/** `Tue 2026-12-01 10:00` in the local time of `zone`; seconds only if they are not zero. */
export function localText(instant: number, zone: string): string {
  const { year, month, day, hour, minute, second, weekday } = wallClock(instant, zone);
  const seconds = second === 0 ? "" : `:${two(second)}`;
  return `${weekday} ${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}${seconds}`;
}

/** `1 file`, `2 files`. */
export function count(n: number, singular: string, many = `${singular}s`): string {
  return `${n} ${n === 1 ? singular : many}`;
}

/** `3,000`. */
export function number(n: number): string {
  return n.toLocaleString("en", { maximumFractionDigits: 3 });
}

const TEXT_UNITS: Record<string, string> = { utf16: "UTF-16 units", weighted: "weighted characters" };

/** The unit in which a text is counted, in words. */
export function unitText(unit: string): string {
  return TEXT_UNITS[unit] ?? unit;
}
