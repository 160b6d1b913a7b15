/** One reading of another clock, in epoch milliseconds: `askedAt` and `answeredAt` by our clock, `shownAt` by the other. */
export interface ClockReading {
  askedAt: number;
  answeredAt: number;
  shownAt: number;
}

/**
 * Returns how far the other clock is ahead of ours, correcting the earlier estimate (`believedMs`) only if the reading
 * contradicts it. The other clock was read at some time between the question and the answer, so a slow answer says little,
 * and an estimate that is still possible stays.
 */
export function correctSkewMs(believedMs: number, { askedAt, answeredAt, shownAt }: ClockReading): number {
  const least = shownAt - answeredAt;
  const most = Math.max(least, shownAt - askedAt);
  return Math.min(Math.max(believedMs, least), most);
}
