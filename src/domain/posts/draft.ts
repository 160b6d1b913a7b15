import { columnsWhere, type PostContent } from "./post-fields.ts";

/** The approximate size of a draft in the database: its content as JSON in UTF-8. */
export function draftBytes(post: PostContent): number {
  const always = columnsWhere(({ counts }) => counts === "always").map((column) => post[column]);
  const filled = columnsWhere(({ counts }) => counts === "unless empty")
    .map((column) => post[column])
    .filter((value) => value !== null && !(Array.isArray(value) && value.length === 0));
  return new TextEncoder().encode(JSON.stringify([...always, ...filled])).length;
}
