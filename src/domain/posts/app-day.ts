// How much of its day an app has used, on a network that takes so many posts a day from an app and does not say how many are left.
import { isoInstant, lastMidnight, nextMidnight } from "../instant.ts";
import type { PlatformRule } from "./platform-rule.ts";

export type AppDay = NonNullable<PlatformRule["app_posts_per_day"]>;

/** What a network takes from this deployment's app in a day. `granted`: by platform, where it is more than usual. */
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
  /** How many deliveries of its own come before it. */
  before: number;
}
/** A span of time, in epoch milliseconds, both ends included. */
interface Span {
  from: number;
  to: number;
}

/**
 * Why a post may have to wait until its network's next day; null: there is room, or the network names no such number. `count` tells how
 * many posts of the app are in a span of time, by database; null: a database does not say. That counts as none, for this only warns:
 * whether there is room is the network's to say.
 */
export async function whyNextDay(
  rule: Pick<PlatformRule, "platform" | "app_posts_per_day">,
  granted: Readonly<Partial<Record<string, number>>>,
  { dueAt, before }: DuePost,
  count: (span: Span, limit: number) => Promise<(number | null)[]>,
): Promise<string | null> {
  const day = readAppDay(rule, granted);
  if (day === undefined) return null;
  const counts = await count({ from: lastMidnight(dueAt, day.timezone), to: dueAt }, day.limit);
  const used = counts.reduce<number>((sum, posts) => sum + (posts ?? 0), before);
  if (used < day.limit) return null;
  const next = isoInstant(nextMidnight(dueAt, day.timezone));
  return `${rule.platform} takes ${day.limit} posts a day from this deployment's app, and they are used up by then: the post may have to wait until ${next}`;
}
