// Numbers, counts, sizes and lists as the reader writes them.
import { getReaderLocale } from "./locale.ts";

/** A number, such as "1,234". */
export function formatNumber(value: number, digits = 1): string {
  const format = numbers.get(digits) ?? new Intl.NumberFormat(getReaderLocale(), { maximumFractionDigits: digits });
  numbers.set(digits, format);
  return format.format(value);
}
/** By the number of decimals. Creating a formatter takes a hundred times as long as using it. */
const numbers = new Map<number, Intl.NumberFormat>();

/** "1 post", "2 posts". `plural` is only needed for words that do not end in `s`. */
export const count = (value: number, noun: string, plural = `${noun}s`): string =>
  `${formatNumber(value)} ${value === 1 ? noun : plural}`;

const UNITS = ["bytes", "KB", "MB", "GB"];
/** "320 KB", "2.4 MB" */
export function formatBytes(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${formatNumber(bytes / 1_000 ** power, power < 2 ? 0 : 1)} ${UNITS[power]}`;
}

/** "45 seconds", "1.5 seconds", "10 minutes", "4 hours" */
export function formatSeconds(seconds: number): string {
  if (seconds >= 3_600 && seconds % 3_600 === 0) return count(seconds / 3_600, "hour");
  if (seconds >= 120 && seconds % 60 === 0) return count(seconds / 60, "minute");
  return count(seconds, "second");
}

/** "JPEG, PNG or GIF" */
export const formatChoices = (choices: readonly string[]): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(choices);
/** "X, Threads and Bluesky" */
export const formatList = (items: readonly string[]): string => new Intl.ListFormat("en-GB").format(items);

const TYPE_NAMES: Record<string, string> = {
  quicktime: "MOV",
  webm: "WebM",
  webp: "WebP",
  "svg+xml": "SVG",
  "x-msvideo": "AVI",
  "x-subrip": "SRT",
};
/** "JPEG" for `image/jpeg`. */
export function formatContentType(contentType: string): string {
  const name = contentType.replace(/^.*\//, "");
  return TYPE_NAMES[name] ?? name.toUpperCase();
}
