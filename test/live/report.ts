// The texts that a person reads about a live check, and the unexpected answers of the network.
import { compare, type Exchange } from "../networks/descriptions/compare.ts";
import { getDescription } from "../networks/descriptions/index.ts";
import type { TimedCall } from "./io.ts";
import type { Finding, RemainingPost } from "./live-check.ts";

/** Longer than a person should wait for a call without a file. */
const SLOW_MS = 5_000;
const MARKS = { ok: "✓", warning: "!", failed: "✗" };

export const formatFinding = ({ subject, state, message }: Finding): string =>
  `${MARKS[state]} ${subject.padEnd(9)} ${message}`;

/** The differences from the network's description. A new field is not listed, unless Crier reads it. */
export function listDeviations(exchanges: readonly Exchange[]): string[] {
  const deviations = exchanges.flatMap((exchange) => {
    const description = getDescription(exchange.platform);
    return description === undefined ? [] : compare(exchange, description, { open: true });
  });
  return [...new Set(deviations)];
}

export interface CheckResults {
  calls: readonly TimedCall[];
  deviations: readonly string[];
  remaining: ReadonlySet<RemainingPost>;
}

/**
 * The last findings of a check. `offersTakeDown`: whether the network has a call for takedowns; then a remaining post
 * is a failure.
 */
export function listFinalFindings({ calls, deviations, remaining }: CheckResults, offersTakeDown: boolean): Finding[] {
  const slowest = calls.reduce<TimedCall | null>(
    (most, call) => (most === null || call.ms > most.ms ? call : most),
    null,
  );
  const slow = calls.filter(({ ms }) => ms >= SLOW_MS);
  const broken = calls.filter(({ status }) => status === null);
  const findings: Finding[] = [];
  if (slowest !== null) {
    const message = `${calls.length} calls, the slowest ${slowest.ms} ms: ${slowest.name}`;
    findings.push({ subject: "calls", state: "ok", message });
  }
  for (const { name, ms } of slow)
    findings.push({ subject: "slow", state: "warning", message: `${name} took ${ms} ms` });
  for (const { name } of broken) findings.push({ subject: "calls", state: "failed", message: `${name} had no answer` });
  for (const deviation of deviations) findings.push({ subject: "answer", state: "failed", message: deviation });
  for (const { subject, address } of remaining) {
    const status = offersTakeDown ? "is still there, or may be" : "stays: only its owner can take it down, not an app";
    findings.push({
      subject: "remaining",
      state: offersTakeDown ? "failed" : "warning",
      message: `the ${subject} ${status}. Delete it: ${address}`,
    });
  }
  return findings;
}
