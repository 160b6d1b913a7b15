// What a person reads of a live check, and what of the network's answers nobody expected.
import { compare, type Exchange } from "../networks/descriptions/compare.ts";
import { getDescription } from "../networks/descriptions/index.ts";
import type { Finding, Left } from "./check.ts";
import type { TimedCall } from "./io.ts";

/** Longer than a person waits for a call that carries no file. */
const SLOW_MS = 5_000;
const MARKS = { ok: "✓", warning: "!", failed: "✗" };

export const lineOf = ({ what, state, says }: Finding): string => `${MARKS[state]} ${what.padEnd(9)} ${says}`;

/** What differs from the network's description; a new field that nobody reads is none of our business. */
export function unexpected(exchanges: readonly Exchange[]): string[] {
  const all = exchanges.flatMap((one) => {
    const description = getDescription(one.platform);
    return description === undefined ? [] : compare(one, description, { open: true });
  });
  return [...new Set(all)];
}

export interface Answered {
  calls: readonly TimedCall[];
  deviations: readonly string[];
  left: ReadonlySet<Left>;
}

/** The end of a report. `offersTakeDown`: what is left may not be. */
export function endOf({ calls, deviations, left }: Answered, offersTakeDown: boolean): Finding[] {
  const slowest = calls.reduce<TimedCall | null>((most, one) => (most === null || one.ms > most.ms ? one : most), null);
  const slow = calls.filter(({ ms }) => ms >= SLOW_MS);
  const broken = calls.filter(({ status }) => status === null);
  const all: Finding[] = [];
  if (slowest !== null) {
    const says = `${calls.length} calls, the slowest ${slowest.ms} ms: ${slowest.what}`;
    all.push({ what: "calls", state: "ok", says });
  }
  for (const { what, ms } of slow) all.push({ what: "slow", state: "warning", says: `${what} took ${ms} ms` });
  for (const { what } of broken) all.push({ what: "calls", state: "failed", says: `${what} had no answer` });
  for (const deviation of deviations) all.push({ what: "answer", state: "failed", says: deviation });
  for (const { what, where } of left) {
    const why = offersTakeDown ? "is still there, or may be" : "stays: only its owner can take it down, not an app";
    all.push({
      what: "left",
      state: offersTakeDown ? "failed" : "warning",
      says: `the ${what} ${why}. Delete it: ${where}`,
    });
  }
  return all;
}
