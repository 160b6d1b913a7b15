// The queue as shown: posts by time, and the free slots between them.
import type { Post } from "../types.ts";

export type Entry = { at: string; post: Post } | { at: string; post: null };

/**
 * `isAll`: there are no later posts. Otherwise, slots after the last post are omitted, because the posts after it are
 * unknown.
 */
export function entriesOf(posts: Post[], free: string[], isAll: boolean): Entry[] {
  const queued = posts.flatMap((post): Entry[] => (post.publish_at === null ? [] : [{ at: post.publish_at, post }]));
  const last = queued.at(-1)?.at;
  const known = isAll || last === undefined ? free : free.filter((at) => at < last);
  return [...queued, ...known.map((at): Entry => ({ at, post: null }))].sort((one, other) =>
    one.at < other.at ? -1 : one.at > other.at ? 1 : 0,
  );
}

/** The nearest post before or after another that has a different publish time; undefined: no such post. */
export function neighbour(posts: Post[], post: Post, which: "earlier" | "later"): Post | undefined {
  const at = posts.findIndex(({ id }) => id === post.id);
  const isOther = ({ publish_at }: Post) => publish_at !== post.publish_at;
  return which === "earlier" ? posts.slice(0, at).findLast(isOther) : posts.slice(at + 1).find(isOther);
}
