// The posts that a network takes of one account within 24 hours: what is over waits, and is too late after a day.
import type { Channel } from "./wanted.ts";
import type { World } from "./world.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** As the simulators count them. */
const POSTS_PER_DAY: Record<string, number> = { tiktok: 15 };
/** An account at its cap is asked again after that. */
const ASKED_AGAIN_MS = HOUR_MS;

/** The spans in which an account was at its cap, and one more wait: from and to in epoch milliseconds. */
export function spansAtCap(world: World, { platform, handle }: Channel): { from: number; to: number }[] {
  const cap = POSTS_PER_DAY[platform];
  if (cap === undefined) return [];
  const posted = world.networks.ledger.list({ platform, account: handle }).map(({ at_ms }) => at_ms);
  // With the one that fills it, until the first of those leaves.
  return posted.flatMap((from, i) => {
    const first = posted[i + 1 - cap];
    return first === undefined || first <= from - DAY_MS ? [] : [{ from, to: first + DAY_MS + ASKED_AGAIN_MS }];
  });
}

/** Whether the account of a channel was at its cap at any time of the day in which a delivery of it may be sent. */
export const wasAtCap = (world: World, channel: Channel, dueAt: number): boolean =>
  spansAtCap(world, channel).some(({ from, to }) => from < dueAt + DAY_MS && to > dueAt);
