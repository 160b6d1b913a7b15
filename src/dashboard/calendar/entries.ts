// Posts as calendar entries: each on its day, by the workspace's clock.
import type { Post } from "../types.ts";
import { wallClock } from "./days.ts";

export interface Entry {
  id: string;
  post: Post;
  day: string;
  /** `09:30:05` */
  time: string;
  title: string;
  /** Whether publishing failed on any channel. */
  failed: boolean;
  movable: boolean;
}
export type Days = ReadonlyMap<string, readonly Entry[]>;

export const NONE: readonly Entry[] = [];

/** Creates the entry of a post. The same post always gets the same entry object, so that components do not render again. */
export function entryMaker(timeZone: string, mayMove: boolean): (post: Post) => Entry | null {
  const clock = wallClock(timeZone);
  const made = new WeakMap<Post, Entry>();
  return (post) => {
    if (post.due_at === null) return null;
    const known = made.get(post);
    if (known !== undefined) return known;
    const at = clock(Date.parse(post.due_at));
    const entry: Entry = {
      id: post.id,
      post,
      day: at.slice(0, 10),
      time: at.slice(11),
      title: titleOf(post),
      failed: post.status === "failed" || post.status === "partially_published",
      movable: post.status === "scheduled" && mayMove,
    };
    made.set(post, entry);
    return entry;
  };
}

/** The entries of each day, by time. `moving` has the new positions of entries whose move is still in progress. */
export function byDay(entries: Iterable<Entry>, moving: ReadonlyMap<string, string>): Days {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const to = moving.get(entry.id);
    const shown = to === undefined ? entry : { ...entry, day: to.slice(0, 10), time: to.slice(11), movable: false };
    const day = days.get(shown.day);
    if (day === undefined) days.set(shown.day, [shown]);
    else day.push(shown);
  }
  for (const day of days.values())
    day.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
  return days;
}

/** Whether two days have the same entries. */
export const isSame = (one: readonly Entry[], other: readonly Entry[]): boolean =>
  one === other || (one.length === other.length && one.every((entry, i) => entry === other[i]));

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
const titleOf = ({ text, media, status }: Post): string => {
  const words = text.trim().replace(/\s+/g, " ") || `${media.length} files`;
  const mark = status === "failed" || status === "partially_published" ? "! " : "";
  return mark + (words.length > TITLE_MAX ? `${words.slice(0, TITLE_MAX)}…` : words);
};
