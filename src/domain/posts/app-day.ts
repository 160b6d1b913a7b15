// How much of its daily quota an app has used, on a network that limits an app's posts per day and does not report how many
// are left.
import { isoInstant, lastMidnight, nextMidnight } from "../instant.ts";
import type { PlatformRule } from "./platform-rule.ts";

export type AppDay = NonNullable<PlatformRule["app_posts_per_day"]>;

/** A network's daily limit for this deployment's app. `granted`: by platform, if the app was granted more than usual. */
export function readAppDay(
  { platform, app_posts_per_day: day }: Pick<PlatformRule, "platform" | "app_posts_per_day">,
  granted: Readonly<Partial<Record<string, number>>>,
): AppDay | undefined {
  const limit = granted[platform];
  return day === undefined || limit === undefined ? day : { ...day, limit };
}

/** A post that is due on a network. */
interface DuePost {
  /** Epoch milliseconds. */
  dueAt: number;
  /** How many deliveries of the same post come before it. */
  before: number;
}
/** A span of time, in epoch milliseconds, both ends included. */
interface Span {
  from: number;
  to: number;
}

/**
 * Returns why a post may have to wait until its network's next day; null if there is room, or if the network publishes no
 * limit. `count` returns the app's posts in a span of time, by database; null from a database that does not answer. That
 * counts as zero, because the result is only a warning: the network itself decides whether there is room.
 */
export async function whyNextDay(
  rule: Pick<PlatformRule, "platform" | "app_posts_per_day">,
  granted: Readonly<Partial<Record<string, number>>>,
  { dueAt, before }: DuePost,
  count: (span: Span, limit: number) => Promise<(number | null)[]>,
): Promise<{ words: string; until: string } | null> {
  const day = readAppDay(rule, granted);
  if (day === undefined) return null;
  const counts = await count({ from: lastMidnight(dueAt, day.timezone), to: dueAt }, day.limit);
  const used = counts.reduce<number>((sum, posts) => sum + (posts ?? 0), before);
  if (used < day.limit) return null;
  const until = isoInstant(nextMidnight(dueAt, day.timezone));
  const words = `${rule.platform} accepts ${day.limit} posts a day from this deployment's app, and they will be used up by then: the post may be delayed until ${until}`;
  return { words, until };
}
