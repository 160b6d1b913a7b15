// What a feed remembers, and what it does with an item.

/** Why a feed's last read made nothing, or less than the feed has. */
export const FEED_PROBLEMS = [
  "unreachable",
  "not_a_feed",
  "too_large",
  "not_public",
  "maker_gone",
  "refused",
  "kept_as_draft",
] as const;
export type FeedProblem = (typeof FEED_PROBLEMS)[number];

/** Marks of the items that a feed has had, newest first. */
export type Seen = readonly string[];

/** `seen` with the marks of further items, at most `max`. Marks of items that are still in the document stay longest. */
export function withSeen(seen: Seen, done: readonly string[], inDocument: readonly string[], max: number): string[] {
  const present = new Set(inDocument);
  const marks = [...new Set([...done, ...seen])];
  return [...marks.filter((mark) => present.has(mark)), ...marks.filter((mark) => !present.has(mark))].slice(0, max);
}
