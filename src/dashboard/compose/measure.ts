// The room for a text on a network.
import type { Rule } from "../types.ts";
import type { PostType } from "./draft.ts";

export { type Measured, measure } from "../../domain/posts/measure-text.ts";

/** The most that a text may have on a network; 0: this type of post has no text. */
export function findLimit(rule: Rule, type: PostType | null, hasFiles: boolean): number {
  const ofType = type === null ? undefined : rule.per_type[type]?.text_limit;
  return ofType ?? (hasFiles ? rule.caption_limit : rule.text_limit);
}
