import { MEDIA_TAGS_MAX } from "../../domain/limits.ts";

/** Tags as people type them: "product, summer". A tag that is typed twice counts once. */
export const parseTags = (typed: string): string[] =>
  [...new Set(typed.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "").slice(0, MEDIA_TAGS_MAX);
