/**
 * How long to wait before asking a network again about work that has taken `elapsedMs`: a share of that time, so that long
 * jobs are polled less and less often. Whole milliseconds, because the result becomes part of a stored instant.
 */
export function growingWaitMs(
  elapsedMs: number,
  { minMs, maxMs, share = 1 / 4 }: { minMs: number; maxMs: number; share?: number },
): number {
  return Math.min(maxMs, Math.max(minMs, Math.round(elapsedMs * share)));
}
