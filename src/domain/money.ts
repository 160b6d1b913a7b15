// Exact money: amounts are whole millionths of a US dollar (`Micros`) wherever they are added, compared or stored. Callers
// and rules write dollars.

/** Whole millionths of a US dollar. */
export type Micros = number;

const MICROS_PER_USD = 1_000_000;

/** The nearest whole amount. */
export const toMicros = (usd: number): Micros => Math.round(usd * MICROS_PER_USD);

export const toUsd = (micros: Micros): number => micros / MICROS_PER_USD;

export const toMicrosOrNull = (usd: number | null): Micros | null => (usd === null ? null : toMicros(usd));
export const toUsdOrNull = (micros: Micros | null): number | null => (micros === null ? null : toUsd(micros));

/** Whether an amount in dollars has at most six decimals, so that nothing is lost by rounding. */
export const isExactUsd = (usd: number): boolean => toUsd(toMicros(usd)) === usd;

/** `$1.50`, `$0.0025`: for people to read. */
export const formatUsd = (usd: number): string => formatMicros(toMicros(usd));

/** Formats an exact amount the same way. */
export function formatMicros(micros: Micros): string {
  const [whole, decimals = ""] = toUsd(micros).toFixed(6).split(".");
  return `$${whole}.${decimals.replace(/0{1,4}$/, "")}`;
}
