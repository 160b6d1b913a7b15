// The times that single channels of a post have of their own: `publish_at` in a channel's override. A channel without one
// is published at the post's time. A call may give any form that the post's own `publish_at` may have; the stored form is an
// instant, so it keeps its meaning when the workspace's time zone changes.
import { isoInstant } from "../instant.ts";
import type { JsonObject } from "../json.ts";

/** An override as far as its time is concerned. */
interface WithOwnTime {
  publish_at?: string | null | undefined;
}

/** The stored own times by channel id, in epoch milliseconds. */
export function readOwnTimes(overrides: Record<string, { publish_at?: unknown }>): Map<string, number> {
  const times = new Map<string, number>();
  for (const [channel, { publish_at: value }] of Object.entries(overrides)) {
    const ownTime = typeof value === "string" ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(ownTime)) times.set(channel, ownTime);
  }
  return times;
}

/** The overrides with exactly these own times. */
export function withOwnTimes<Override extends WithOwnTime>(
  overrides: Record<string, Override>,
  times: ReadonlyMap<string, number>,
): Record<string, Override> {
  return Object.fromEntries(
    Object.entries(overrides).map(([channel, override]) => {
      const ownTime = times.get(channel);
      // A property that is `undefined` is not stored.
      return [channel, { ...override, publish_at: ownTime === undefined ? undefined : isoInstant(ownTime) }];
    }),
  );
}

/** The overrides without own times: what is published, whenever that is. */
export const withoutOwnTimes = (overrides: Record<string, JsonObject>): Record<string, JsonObject> =>
  Object.fromEntries(Object.entries(overrides).map(([channel, { publish_at: _, ...content }]) => [channel, content]));

/** The times of a post, in epoch milliseconds. */
export interface PostTimes {
  /** The time of channels without one of their own; null: not known yet. */
  base: number | null;
  /** Whether there are such channels. */
  isFollowed: boolean;
  /** The earliest own time; null: no channel has one. */
  own: number | null;
}

/** The earliest time of a post; null: none is known. */
export function earliestTime({ base, isFollowed, own }: PostTimes): number | null {
  const times = [isFollowed ? base : null, own].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** The times of a stored post whose channels without one of their own are published at `base`. */
export function readTimes(
  { channels, overrides }: { channels: readonly string[]; overrides: Record<string, { publish_at?: unknown }> },
  base: number | null,
): PostTimes {
  const ownTimes = readOwnTimes(overrides);
  const own = channels.flatMap((channel) => ownTimes.get(channel) ?? []);
  return {
    base,
    isFollowed: channels.length === 0 || own.length < channels.length,
    own: own.length === 0 ? null : Math.min(...own),
  };
}
