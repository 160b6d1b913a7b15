// The queue as shown: posts by time, and the free slots between them.
import type { Post } from "../types.ts";

export type Entry = { at: string; post: Post } | { at: string; post: null };

/**
 * `isAll`: there are no later posts. Otherwise, slots after the last post are omitted, because the posts after it are
 * unknown.
 */
export function buildEntries(posts: Post[], free: string[], isAll: boolean): Entry[] {
  const queued = posts.flatMap((post): Entry[] => (post.publish_at === null ? [] : [{ at: post.publish_at, post }]));
  const last = queued.at(-1)?.at;
  const visibleSlots = isAll || last === undefined ? free : free.filter((slotAt) => slotAt < last);
  return [...queued, ...visibleSlots.map((slotAt): Entry => ({ at: slotAt, post: null }))].sort((first, second) =>
    first.at < second.at ? -1 : first.at > second.at ? 1 : 0,
  );
}

/** The nearest post before or after another that has a different publish time; undefined: no such post. */
export function neighbour(posts: Post[], post: Post, which: "earlier" | "later"): Post | undefined {
  const index = posts.findIndex(({ id }) => id === post.id);
  const isOther = ({ publish_at }: Post) => publish_at !== post.publish_at;
  return which === "earlier" ? posts.slice(0, index).findLast(isOther) : posts.slice(index + 1).find(isOther);
}
