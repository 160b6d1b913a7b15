/** One reading of another clock. Epoch milliseconds: `askedAt` and `answeredAt` by the own clock, `shownAt` by the other. */
export interface ClockReading {
  askedAt: number;
  answeredAt: number;
  shownAt: number;
}

/**
 * How far the other clock is ahead of the own one, after a reading that contradicts what was believed (`believedMs`). The other clock
 * was read somewhere between the question and the answer, so a slow answer says little: what was believed stays where it is possible.
 */
export function correctSkewMs(believedMs: number, { askedAt, answeredAt, shownAt }: ClockReading): number {
  const least = shownAt - answeredAt;
  const most = Math.max(least, shownAt - askedAt);
  return Math.min(Math.max(believedMs, least), most);
}
