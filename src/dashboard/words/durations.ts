// Lengths of time in words.
import { count } from "./counts.ts";

const HOUR = 60;
const DAY = 24 * HOUR;

/** Minutes in the largest unit that fits: "3 days", "12 hours", "5 minutes". */
export function describeMinutes(minutes: number): string {
  if (minutes % DAY === 0) return count(minutes / DAY, "day");
  return minutes % HOUR === 0 ? count(minutes / HOUR, "hour") : count(minutes, "minute");
}
