// The words and the file that stand for a post in lists.
import type { Post } from "../types.ts";

export type WithFiles = Pick<Post, "media" | "thread" | "overrides">;

/** The id of the file that stands for the post, or null. */
export function findFirstFile({ media, thread, overrides }: WithFiles): string | null {
  const own = Object.values(overrides).flatMap((override) => (Array.isArray(override.media) ? override.media : []));
  return media[0] ?? thread?.flatMap((threadPart) => threadPart.media)[0] ?? own.map(String)[0] ?? null;
}

const TITLE_LENGTH = 60;

/** The post's first words, on one line. */
export function getPostTitle({ text, media, thread, overrides }: WithFiles & Pick<Post, "text">): string {
  const own = Object.values(overrides).flatMap(({ text: ownText }) => (typeof ownText === "string" ? [ownText] : []));
  const words = [text, ...own].map((candidate) => candidate.trim()).find((candidate) => candidate !== "");
  if (words === undefined) {
    const count = media.length + (thread ?? []).flatMap((threadPart) => threadPart.media).length;
    return count === 0 ? "Untitled post" : count === 1 ? "One file, no text" : `${count} files, no text`;
  }
  const [line = ""] = words.split("\n");
  const letters = [...line.trim()];
  if (letters.length <= TITLE_LENGTH) return line.trim();
  const cut = letters.slice(0, TITLE_LENGTH).join("");
  return `${cut.replace(/\s+\S*$/u, "").trimEnd()}…`;
}
