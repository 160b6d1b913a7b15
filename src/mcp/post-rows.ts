// Posts as rows of a list: what is needed to find one. A model pays for every word.
import type * as z from "zod";
import { operations } from "../contract/index.ts";
import { Post } from "../contract/post-shapes.ts";
import type { JsonObject } from "../domain/json.ts";
import { refuse } from "../domain/refusal.ts";
import type { Schema } from "./tool-schema.ts";

const EXCERPT_LENGTH = 120;
/** The fields of a post that a row has as they are. */
const ROW = ["id", "rev", "status", "due_at"] as const;
const FIELDS: readonly string[] = Object.keys(Post.shape);

/** The argument that names further fields of a post. */
export const FIELDS_ARGUMENT: Schema = {
  type: "array",
  description: "More fields of each post, whole: `text`, `media`, `overrides` or any other of `get_post`.",
};

/** The rows of a page of posts, with the fields that the call asks for. */
export function listRows(body: unknown, { fields = [] }: JsonObject): object {
  const wanted = Array.isArray(fields) ? fields : [fields];
  const unknown = wanted.find((name) => typeof name !== "string" || !FIELDS.includes(name));
  if (unknown !== undefined) {
    throw refuse("invalid_field", { field: "/fields", message: `\`${String(unknown)}\` is not a field of a post.` });
  }
  const { posts, ...page } = operations["posts.list"].result.parse(body);
  return { posts: posts.map((post) => toRow(post, wanted)), ...page };
}

type ListedPost = z.output<typeof Post>;

function toRow(post: ListedPost, wanted: readonly unknown[]): object {
  const asIs: readonly string[] = [...ROW, ...FIELDS.filter((name) => wanted.includes(name))];
  return {
    ...(wanted.includes("text") ? {} : { excerpt: excerptOf(post) }),
    ...(post.labels.length === 0 ? {} : { labels: post.labels }),
    deliveries: post.deliveries.map(({ channel, platform, status, url, error }) => ({
      ...(wanted.includes("channels") ? { channel } : {}),
      platform,
      status,
      ...(url === null ? {} : { url }),
      ...(error === null ? {} : { error }),
    })),
    ...Object.fromEntries(Object.entries(post).filter(([name]) => asIs.includes(name))),
  };
}

/** The beginning of a text in one line. */
function excerptOf({ text }: { text: string }): string {
  const letters = [...text.replaceAll(/\s+/g, " ").trim()];
  return letters.length <= EXCERPT_LENGTH ? letters.join("") : `${letters.slice(0, EXCERPT_LENGTH).join("")}…`;
}
