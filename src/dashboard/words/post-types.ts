// Post types as people say them.
import type { PostType } from "../../domain/posts/platform-rule.ts";

const NAMES: Record<PostType, string> = {
  feed: "post",
  reel: "reel",
  short: "Short",
  story: "story",
  carousel: "carousel",
  article: "article",
};
const KNOWN: ReadonlyMap<string, string> = new Map(Object.entries(NAMES));

/** "post", "reel" */
export const namePostType = (type: string): string => KNOWN.get(type) ?? type;
/** "Post", "Reel" */
export const labelPostType = (type: string): string => capitalize(namePostType(type));
/** "posts", "stories" */
export const pluralPostType = (type: string): string =>
  namePostType(type).endsWith("y") ? `${namePostType(type).slice(0, -1)}ies` : `${namePostType(type)}s`;

export const capitalize = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
