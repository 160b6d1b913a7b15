// Decides whether the queue of a channel is filled or runs low. Only channels with slots have a queue to keep filled.
import { DAY_MS } from "./limits.ts";

/** A queue runs low when its last post is due within this time. */
export const LOW_AHEAD_MS = 2 * DAY_MS;

/**
 * The change to record, or null. `latestAt`: when the last queued post is due; null: none is queued. `isFilled`: whether the
 * queue was filled when it was last seen. A queue that was never filled does not run low, and one that runs low is reported
 * once until it is filled again.
 */
export function decideQueue(
  { latestAt, isFilled }: { latestAt: number | null; isFilled: boolean },
  now: number,
): "filled" | "low" | null {
  const isLow = latestAt === null || latestAt <= now + LOW_AHEAD_MS;
  if (isLow === !isFilled) return null;
  return isLow ? "low" : "filled";
}
