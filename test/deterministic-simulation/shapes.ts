// How big a world is and what its callers are like: most small, some of many workspaces, many accounts and a burst.
import { Chance } from "./prng.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Seeds from here on are of full runs: those below keep the schedules that once showed something. */
export const FULL_FROM = 1_000_000;
/** And from here on of wide ones: full runs in which databases move and go back, and workspaces have more than one lane. */
export const WIDE_FROM = 20_000_000;

/** And from here on of rich ones: wide runs with readers of the feed, endpoints that fail for days, networks that ask to wait briefly for long, and full plans. */
export const RICH_FROM = 40_000_000;

/** And from here on of the newest ones: rich runs in which some posts go to TikTok as drafts. */
export const NEWEST_FROM = 72_000_000;

/** And from here on of those in which the month turns: newest runs whose first workspace has little room in its plan and its budget. */
export const TURNING_FROM = 80_000_000;

export interface Shape {
  /** For each workspace the network of each of its accounts. */
  tenants: string[][];
  /** Posts besides those of the burst. */
  posts: number;
  /** Posts of the first workspace that are due at one instant. */
  burst: number;
  /** Milliseconds after the beginning at which the burst is due. */
  burstAfterMs: number;
  /** One post, at once, and nobody changes their mind. */
  golden: boolean;
  /** Callers only create posts. */
  calm: boolean;
  webhooks: boolean;
  /** Callers also make threads and additions, take down, approve, and look at what their networks show. */
  full: boolean;
  /** Decides about additions alone, so that all other choices of a seed stay what they are. */
  additions: Chance;
  /** Decides which posts are drafts on TikTok; null: none is. */
  drafts: Chance | null;
}

export const goldenShape = (platform: string): Shape => ({
  tenants: [[platform]],
  posts: 1,
  burst: 0,
  burstAfterMs: 0,
  golden: true,
  calm: true,
  webhooks: true,
  full: false,
  additions: new Chance(1),
  drafts: null,
});

export function chanceShape(chance: Chance, platforms: readonly string[], full: boolean, additions: Chance): Shape {
  const big = chance.happens(0.03);
  const others = platforms.filter((_, i) => i > 0);
  const accounts = (): string[] =>
    platforms.flatMap((name, i) => {
      if (i > 0 && !chance.happens(0.7)) return [];
      return chance.happens(big ? 0.5 : 0.15) ? [name, name] : [name];
    });
  const tenants = [accounts()];
  const more = big ? 2 : chance.happens(0.25) ? 1 : 0;
  for (let i = 0; i < more; i++)
    tenants.push(others.length > 0 && chance.happens(0.3) ? [chance.pick(others)] : accounts());
  return {
    tenants,
    posts: big ? chance.between(3, 6) : chance.between(1, 3),
    burst: big ? chance.between(20, 26) : chance.happens(0.06) ? chance.between(4, 9) : 0,
    burstAfterMs: chance.between(30 * SECOND, 20 * MINUTE),
    golden: false,
    calm: chance.happens(0.2),
    webhooks: chance.happens(0.4),
    full,
    additions,
    drafts: null,
  };
}
