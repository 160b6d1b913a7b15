// The operation that reads the list of posts.
import type { IExecuteFunctions, Properties } from "n8n-workflow";
import type { Client, Query } from "../client/client.ts";
import { everyItem, type Post } from "../client/pages.ts";
import { isObject } from "../domain/json.ts";
import { LIST_LIMIT_MAX } from "../domain/limits.ts";

/** The posts that match an item's filters: all of them, or up to its limit. */
export async function findPosts(context: IExecuteFunctions, client: Client, item: number): Promise<Properties[]> {
  const filters = context.getNodeParameter("filters", item, {});
  const filterEntries = Object.entries(isObject(filters) ? filters : {}).map(([name, value]) => [name, String(value)]);
  const query: Query<"posts.list"> = Object.fromEntries(filterEntries);
  const totalLimit =
    context.getNodeParameter("returnAll", item, false) === true
      ? Number.POSITIVE_INFINITY
      : Number(context.getNodeParameter("limit", item));
  const posts: Post[] = [];
  const pages = everyItem(async (cursor) => {
    const limit = Math.min(LIST_LIMIT_MAX, totalLimit - posts.length);
    const { body } = await client.call("posts.list", { query: { ...query, limit, cursor } });
    return { items: body.posts, next: body.next };
  });
  for await (const post of pages) {
    posts.push(post);
    if (posts.length >= totalLimit) break;
  }
  return posts.map((post) => ({ ...post }));
}
