// How much of its day an app has used, on a network that takes so many posts a day from an app and does not say how many are left.
import { isoInstant, lastMidnight, nextMidnight } from "../instant.ts";
import type { PlatformRule } from "./platform-rule.ts";

export type AppDay = NonNullable<PlatformRule["app_posts_per_day"]>;

/** What a network takes from this deployment's app in a day. `granted`: by platform, where it is more than usual. */
export function readAppDay(
  { platform, app_posts_per_day: day }: PlatformRule,
  granted: Readonly<Partial<Record<string, number>>>,
): AppDay | undefined {
  const limit = granted[platform];
  return day === undefined || limit === undefined ? day : { ...day, limit };
}

/** The first instant of the day of `at` (both epoch milliseconds). */
export const dayBegins = ({ timezone }: AppDay, at: number): number => lastMidnight(at, timezone);

/** Why a post that is due at `dueAt` may have to wait, where `used` posts of the app come before it that day. */
export function waitForNextDay(platform: string, { limit, timezone }: AppDay, used: number, dueAt: number) {
  if (used < limit) return null;
  const next = isoInstant(nextMidnight(dueAt, timezone));
  return `${platform} takes ${limit} posts a day from this deployment's app, and they are used up by then: the post may have to wait until ${next}`;
}
