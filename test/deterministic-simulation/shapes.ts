// The size of a world and the behaviour of its callers. Most worlds are small; some have many workspaces, many accounts and a
// burst.
import { Chance } from "./prng.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Seeds from here on are full runs. Lower seeds keep the schedules that once revealed bugs. */
export const FULL_FROM = 1_000_000;
/** Seeds from here on are wide runs: full runs in which workspaces move to another database and have more than one lane. */
export const WIDE_FROM = 20_000_000;

/**
 * Seeds from here on are rich runs: wide runs with readers of the feed, endpoints that fail for days, networks that keep asking
 * for short waits, and full plans.
 */
export const RICH_FROM = 40_000_000;

/** Seeds from here on are rich runs in which some posts go to TikTok as drafts. */
export const NEWEST_FROM = 72_000_000;

/** Seeds from here on also have a turn of the month, with little room in the plan and the budget of the first workspace. */
export const TURNING_FROM = 80_000_000;

/** Seeds from here on are rich runs in which posts repeat, and in which channels have times of their own. */
export const SERIES_FROM = 76_000_000;
/** Seeds from here on have both, and a turn of the month. */
export const TURNING_SERIES_FROM = 84_000_000;
export const hasSeries = (seed: number): boolean =>
  (seed >= SERIES_FROM && seed < TURNING_FROM) || seed >= TURNING_SERIES_FROM;

export interface Shape {
  /** For each workspace, the network of each of its accounts. */
  tenants: string[][];
  /** Posts apart from the burst. */
  posts: number;
  /** Posts of the first workspace that are due at the same instant. */
  burst: number;
  /** When the burst is due, in milliseconds after the start. */
  burstAfterMs: number;
  /** One post, at once, without any change. */
  golden: boolean;
  /** Callers only create posts. */
  calm: boolean;
  webhooks: boolean;
  /** Callers also create threads and additions, take posts down, approve posts, and networks alter posts. */
  full: boolean;
  /** Decides about additions only, so that all other decisions of a seed stay the same. */
  additions: Chance;
  /** Decides which posts are drafts on TikTok; null: none. */
  drafts: Chance | null;
  /** Decides which channels have a time of their own; null: none. */
  ownTimes: Chance | null;
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
  ownTimes: null,
});

export function chanceShape(chance: Chance, platforms: readonly string[], full: boolean, additions: Chance): Shape {
  const big = chance.happens(0.03);
  const furtherPlatforms = platforms.filter((_, i) => i > 0);
  const accounts = (): string[] =>
    platforms.flatMap((name, i) => {
      if (i > 0 && !chance.happens(0.7)) return [];
      return chance.happens(big ? 0.5 : 0.15) ? [name, name] : [name];
    });
  const tenants = [accounts()];
  const furtherTenants = big ? 2 : chance.happens(0.25) ? 1 : 0;
  for (let i = 0; i < furtherTenants; i++)
    tenants.push(furtherPlatforms.length > 0 && chance.happens(0.3) ? [chance.pick(furtherPlatforms)] : accounts());
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
    ownTimes: null,
  };
}
