// The number of posts that a network accepts from one account within 24 hours. Posts above it wait, and are too late after a
// day.
import type { LedgerEntry } from "../../simulators/ledger.ts";
import { DRAFTS_PER_DAY, POSTS_PER_DAY } from "../../simulators/tiktok/post-rules.ts";
import type { Span } from "./history.ts";
import { isDraft } from "./networks.ts";
import type { Channel } from "./wanted.ts";
import type { World } from "./world.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Posts and drafts are counted separately. */
const CAPS: Record<string, { posts: number; drafts: number }> = {
  tiktok: { posts: POSTS_PER_DAY, drafts: DRAFTS_PER_DAY },
};
/** A delivery at the cap is tried this long after its time. After each of these tries, its channel pauses for an hour. */
const TRIES_AFTER_MS = [1, 2, 4, 8, 16, 24 - 1 / 6].map((hours) => hours * HOUR_MS);
const REST_MS = HOUR_MS;

/** When an account was at its cap, until the next try of a delivery that is due at `dueAt`. Epoch milliseconds. */
export function spansAtCap(world: World, { platform, handle }: Channel, dueAt: number): Span[] {
  const caps = CAPS[platform];
  if (caps === undefined) return [];
  const [drafts, posts] = [true, false].map((are) =>
    world.networks.ledger.list({ platform, account: handle }).filter((entry) => isDraft(entry) === are),
  );
  return [...spansOver(posts ?? [], caps.posts), ...spansOver(drafts ?? [], caps.drafts)].map(({ from, to }) => {
    const tries = TRIES_AFTER_MS.map((ms) => dueAt + ms);
    return { from, to: REST_MS + (tries.find((tryAt) => tryAt >= to) ?? to) };
  });
}

/** From the entry that fills the cap until the oldest entry is 24 hours old. */
const spansOver = (entries: readonly LedgerEntry[], cap: number): Span[] =>
  entries.flatMap(({ at_ms: from }, i) => {
    const first = entries[i + 1 - cap]?.at_ms;
    return first === undefined || first <= from - DAY_MS ? [] : [{ from, to: first + DAY_MS }];
  });

/** Whether the account of a channel was at its cap during the day in which a delivery may be sent. */
export const wasAtCap = (world: World, channel: Channel, dueAt: number): boolean =>
  spansAtCap(world, channel, dueAt).some(({ from, to }) => from < dueAt + DAY_MS && to > dueAt);
