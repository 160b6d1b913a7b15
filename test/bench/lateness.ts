// The lateness of deliveries, from the simulators' ledger.

export interface Lateness {
  p50: number;
  p99: number;
  max: number;
}

export function lateness(values: number[]): Lateness {
  const sorted = values.toSorted((a, b) => a - b);
  const pickAt = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: pickAt(0.5), p99: pickAt(0.99), max: pickAt(1) };
}

/** The median; for an even count, the mean of the two middle values. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? Number.NaN, sorted[sorted.length >> 1] ?? Number.NaN];
  return (low + high) / 2;
}
