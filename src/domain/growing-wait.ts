/**
 * How long to wait before a network is asked again about something that it has worked on for `elapsedMs`: a share of that time, so
 * that a long job is asked about less and less often. Whole milliseconds: the result becomes part of an instant that is stored.
 */
export function growingWaitMs(
  elapsedMs: number,
  { minMs, maxMs, share = 1 / 4 }: { minMs: number; maxMs: number; share?: number },
): number {
  return Math.min(maxMs, Math.max(minMs, Math.round(elapsedMs * share)));
}
