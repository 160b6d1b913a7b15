// Posts as calendar entries: each on its day, by the workspace's clock.
import type { Channel, Post } from "../types.ts";
import { listAccounts } from "../ui/list-accounts.ts";
import { count } from "../words/counts.ts";
import { wallClock } from "./days.ts";

export interface Entry {
  id: string;
  post: Post;
  /** The channels whose own time this is; null: the post's time. */
  ownTimeOf: readonly string[] | null;
  day: string;
  /** `09:30:05` */
  time: string;
  title: string;
  /** Each network that it goes to, once. */
  networks: readonly string[];
  /** Whether publishing failed on any channel. */
  failed: boolean;
  movable: boolean;
}
export type Days = ReadonlyMap<string, readonly Entry[]>;

export const NONE: readonly Entry[] = [];

/** The times of a post, each with the channels that are published then; null: all that have no time of their own. */
function listTimes({ due_at: dueAt, publish_at: publishAt, channels, overrides }: Post) {
  const own = new Map<string, string[]>();
  for (const channel of channels) {
    const ownTime = overrides[channel]?.publish_at;
    if (typeof ownTime === "string") own.set(ownTime, [...(own.get(ownTime) ?? []), channel]);
  }
  const timed = [...own.values()].flat();
  const times: { at: string; channels: string[] | null }[] = [...own].map(([at, ids]) => ({ at, channels: ids }));
  const base = own.size === 0 ? dueAt : publishAt;
  const isFollowed = channels.length === 0 || channels.some((channel) => !timed.includes(channel));
  return base !== null && isFollowed ? [{ at: base, channels: null }, ...times] : times;
}

/** Creates the entries of a post, one for each of its times. The same post always gets the same objects, so that components do not render again. */
export function entryMaker(
  timeZone: string,
  channels: readonly Pick<Channel, "id" | "platform">[],
  canMove: (post: Post) => boolean,
): (post: Post) => readonly Entry[] {
  const clock = wallClock(timeZone);
  const entriesByPost = new WeakMap<Post, readonly Entry[]>();
  return (post) => {
    const knownEntries = entriesByPost.get(post);
    if (knownEntries !== undefined) return knownEntries;
    const times = listTimes(post);
    const timed = times.flatMap((time) => time.channels ?? []);
    const accounts = listAccounts(post, channels);
    const entries = times.map(({ at, channels: ids }, i): Entry => {
      const localTime = clock(Date.parse(at));
      const isHere = (channel: string) => (ids === null ? !timed.includes(channel) : ids.includes(channel));
      return {
        id: i === 0 ? post.id : `${post.id}/${i}`,
        post,
        ownTimeOf: ids,
        day: localTime.slice(0, 10),
        time: localTime.slice(11),
        title: buildTitle(post),
        networks: [...new Set(accounts.flatMap(({ channel, platform }) => (isHere(channel) ? [platform] : [])))],
        failed: post.status === "failed" || post.status === "partially_published",
        movable: canMove(post),
      };
    });
    entriesByPost.set(post, entries);
    return entries;
  };
}

/** The entries of each day, by time. `moving` has the new positions of entries whose move is still in progress. */
export function byDay(entries: Iterable<Entry>, moving: ReadonlyMap<string, string>): Days {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const to = moving.get(entry.id);
    const displayedEntry =
      to === undefined ? entry : { ...entry, day: to.slice(0, 10), time: to.slice(11), movable: false };
    const day = days.get(displayedEntry.day);
    if (day === undefined) days.set(displayedEntry.day, [displayedEntry]);
    else day.push(displayedEntry);
  }
  for (const day of days.values())
    day.sort((first, second) => (first.time < second.time ? -1 : first.time > second.time ? 1 : 0));
  return days;
}

/** Whether two days have the same entries. */
export const isSame = (first: readonly Entry[], second: readonly Entry[]): boolean =>
  first === second || (first.length === second.length && first.every((entry, i) => entry === second[i]));

/** At most `count` entries, failed ones first, in order of time; and the remaining ones. */
export function atMost(count: number, entries: readonly Entry[]): { shown: readonly Entry[]; rest: readonly Entry[] } {
  if (entries.length <= count) return { shown: entries, rest: NONE };
  const failedFirst = [...entries.filter(({ failed }) => failed), ...entries.filter(({ failed }) => !failed)];
  const chosen = new Set(failedFirst.slice(0, count));
  return {
    shown: entries.filter((entry) => chosen.has(entry)),
    rest: entries.filter((entry) => !chosen.has(entry)),
  };
}

const TITLE_MAX = 60;
const buildTitle = ({ text, media }: Post): string => {
  const words = text.trim().replace(/\s+/g, " ") || count(media.length, "file");
  return words.length > TITLE_MAX ? `${words.slice(0, TITLE_MAX)}…` : words;
};
