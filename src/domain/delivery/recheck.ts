// Decides when a delivery is rechecked after publishing, and what follows from a recheck. Rechecks are frequent at first, then
// less and less frequent, and end after about a month, when a network hardly reports anything new.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../limits.ts";
import type { RecheckOutcome } from "./outcome.ts";
import type { Readback } from "./readback.ts";

/** How often a live delivery is rechecked, from often to never. `light`: for networks that charge for each read. */
export const RECHECKS = ["full", "light", "off"] as const;
export type Rechecks = (typeof RECHECKS)[number];
/** How often live posts on a network with this rule are rechecked, unless the workspace has chosen otherwise. */
export const getRechecks = ({ rechecks = "full" }: { rechecks?: Rechecks }, chosen: Rechecks | null): Rechecks =>
  chosen ?? rechecks;
/** The less frequent of two settings. */
export const rarerRechecks = (first: Rechecks, second: Rechecks): Rechecks =>
  RECHECKS.indexOf(first) > RECHECKS.indexOf(second) ? first : second;
/** When a post is first compared with what it should be, counted from publishing or from an edit. */
export const FIRST_RECHECK_MS = 10 * MINUTE_MS;
/** Counted from publishing. */
const RECHECKS_MS: Record<Rechecks, readonly number[]> = {
  full: [FIRST_RECHECK_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS, 30 * DAY_MS],
  light: [FIRST_RECHECK_MS, DAY_MS, 7 * DAY_MS],
  off: [],
};
/** How many full rechecks a delivery with a known address gets. */
export const FULL_RECHECKS = RECHECKS_MS.full.length;
/** Additional rechecks while the address is not known. */
const ADDRESS_RECHECKS_MS = [MINUTE_MS, 3 * MINUTE_MS, 20 * MINUTE_MS, 3 * HOUR_MS];
/** After this, a missing address counts as not reported. */
const ADDRESS_WAIT_MS = DAY_MS;
/** Searches for a delivery with an unknown outcome, counted from the last try. */
const SEARCHES_MS = [10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS];
/**
 * The wait before the only search for a delivery that ends after all of these times, such as after an outage. The network has
 * not been asked about it yet.
 */
const LATE_SEARCH_MS = 10 * MINUTE_MS;
/**
 * The minimum time between the first recheck that did not find a post and the recheck that declares it gone (docs/delivery.md#moves:
 * found_gone).
 */
const MISSING_MIN_MS = 10 * MINUTE_MS;
const MISSING_AGAIN_MS = 15 * MINUTE_MS;
/**
 * A failed recheck is repeated after an hour, and after a quarter of the post's age once that is longer. A network that never
 * shows the post is asked some thirty times in a month and not every hour.
 */
const FAILED_AGAIN_MS = HOUR_MS;
const FAILED_AGAIN_AGE_SHARE = 1 / 4;

const next = (offsets: readonly number[], since: number, now: number): number | null => {
  const ahead = offsets.map((offset) => since + offset).filter((dueAt) => dueAt > now);
  return ahead.length === 0 ? null : Math.min(...ahead);
};

/** Returns the next recheck of a live delivery in epoch milliseconds, or null if none is left. */
export function nextRecheckAt(
  {
    publishedAt,
    urlState,
    rechecks,
  }: Pick<RecheckedDelivery, "urlState" | "rechecks"> & { publishedAt: number | null },
  now: number,
): number | null {
  const verifications = RECHECKS_MS[rechecks];
  const offsets = urlState === "pending" ? [...verifications, ...ADDRESS_RECHECKS_MS] : verifications;
  return next(offsets, publishedAt ?? now, now);
}

/** On how many UTC days a delivery published at `publishedAt` (epoch milliseconds) is rechecked. */
export function countRecheckDays(rechecks: Rechecks, publishedAt: number): number {
  return new Set(RECHECKS_MS[rechecks].map((offset) => Math.floor((publishedAt + offset) / DAY_MS))).size;
}

/** Returns the next search for a delivery with an unknown outcome, or null if none is left. */
export function nextSearchAt(since: number, now: number): number | null {
  return next(SEARCHES_MS, since, now);
}

/** The first search for a delivery that ends as unknown. There is always one, however long ago it was sent. */
export const firstSearchAt = (since: number, now: number): number => nextSearchAt(since, now) ?? now + LATE_SEARCH_MS;

export interface RecheckedDelivery {
  publishedAt: number;
  rechecks: Rechecks;
  url: string | null;
  urlState: "none" | "pending" | "not_reported";
  /** The first of the consecutive rechecks that did not find it; null if the last one found it. */
  missingSince: number | null;
  /** The result of the comparison; null if it was not compared yet. */
  readback: Readback | null;
}
export type RecheckDecision =
  | { is: "removed" }
  | {
      is: "kept";
      url: string | null;
      urlState: RecheckedDelivery["urlState"];
      missingSince: number | null;
      nextAt: number | null;
      /** The result of the comparison; absent if nothing is new. */
      readback?: Readback;
    };

/**
 * Decides from a recheck of a live delivery. A single recheck that does not find the post proves nothing, and a failed one
 * never does.
 */
export function decideRecheck(delivery: RecheckedDelivery, outcome: RecheckOutcome, now: number): RecheckDecision {
  const { missingSince } = delivery;
  const address = addressAfter(delivery, outcome, now);
  const nextAt = nextRecheckAt({ ...delivery, urlState: address.urlState }, now);
  const compared = (next: number | null) => {
    const readback = delivery.readback === null ? toReadback(outcome, next === null) : undefined;
    return readback === undefined ? {} : { readback };
  };
  switch (outcome.is) {
    case "there":
      return { is: "kept", ...address, missingSince: null, nextAt, ...compared(nextAt) };
    case "gone": {
      const { confirmAfterMs: leastMs = MISSING_MIN_MS, confirmAfterMs: againMs = MISSING_AGAIN_MS } = outcome;
      if (missingSince !== null && now - missingSince >= leastMs) return { is: "removed" };
      return { is: "kept", ...address, missingSince: missingSince ?? now, nextAt: now + againMs };
    }
    case "unknown": {
      const ageMs = now - delivery.publishedAt;
      // A post that was missing at the last recheck must be confirmed soon.
      const againMs =
        missingSince === null ? Math.max(FAILED_AGAIN_MS, Math.floor(ageMs * FAILED_AGAIN_AGE_SHARE)) : FAILED_AGAIN_MS;
      return {
        is: "kept",
        ...address,
        missingSince,
        nextAt: nextAt === null ? null : Math.min(nextAt, now + againMs),
        ...compared(nextAt),
      };
    }
  }
}

/**
 * The comparison result of a recheck of a delivery that was not compared yet; undefined if nothing is known so far. `isLast`:
 * no other recheck follows.
 */
function toReadback(outcome: RecheckOutcome, isLast: boolean): Readback | undefined {
  const altered = outcome.is === "there" ? outcome.altered : "later";
  if (altered === "later") return isLast ? UNVERIFIABLE : undefined;
  if (altered === undefined) return UNVERIFIABLE;
  return { state: altered.length === 0 ? "verified" : "altered", altered };
}

const UNVERIFIABLE: Readback = { state: "unverifiable", altered: [] };

/** The result of one recheck. `altered`: found, and different from what was accepted. */
export interface RecheckResult {
  /** Epoch milliseconds. */
  at: number;
  result: "found" | "altered" | "not_found" | "unknown" | "removed";
}

/** The result of a recheck of all parts of a delivery, by the outcomes of its parts. */
export function summarizeRecheck(
  after: Pick<RecheckDecision, "is"> & { readback?: Readback },
  outcomes: readonly RecheckOutcome["is"][],
): RecheckResult["result"] {
  if (after.is === "removed") return "removed";
  if (after.readback?.state === "altered") return "altered";
  if (outcomes.includes("gone")) return "not_found";
  return outcomes.includes("unknown") ? "unknown" : "found";
}

/** Delays the next recheck until the network may be asked (epoch milliseconds). */
export function notSooner(after: RecheckDecision, notBefore: number | undefined): RecheckDecision {
  if (after.is === "removed" || after.nextAt === null || notBefore === undefined) return after;
  return { ...after, nextAt: Math.max(after.nextAt, notBefore) };
}

function addressAfter({ publishedAt, url, urlState }: RecheckedDelivery, outcome: RecheckOutcome, now: number) {
  if (urlState !== "pending") return { url, urlState };
  if (outcome.is === "there" && outcome.url !== null) return { url: outcome.url, urlState: "none" as const };
  return { url, urlState: now - publishedAt >= ADDRESS_WAIT_MS ? ("not_reported" as const) : urlState };
}
