// The operation that reads the list of posts.
import type { IExecuteFunctions, Properties } from "n8n-workflow";
import type { Client, Query } from "../client/client.ts";
import { everyItem, type Post } from "../client/pages.ts";
import { LIST_LIMIT_MAX } from "../domain/limits.ts";
import { type ItemContext, readCollection, readSwitch, readText, refuseInput } from "./inputs.ts";

/** The posts that match an item's filters: all of them, or up to its limit. */
export async function findPosts(context: IExecuteFunctions, client: Client, item: number): Promise<Properties[]> {
  const itemContext = { context, item };
  const filters = readCollection(itemContext, "Filters", context.getNodeParameter("filters", item, {}));
  const texts = [...filters].map(([name, value]) => [name, readText(itemContext, `Filter ${name}`, value) ?? ""]);
  const query: Query<"posts.list"> = Object.fromEntries(texts);
  const isUnlimited = readSwitch(itemContext, "Return All", context.getNodeParameter("returnAll", item, false));
  const totalLimit = isUnlimited ? Number.POSITIVE_INFINITY : readLimit(itemContext);
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

function readLimit(itemContext: ItemContext): number {
  const limit = Number(readText(itemContext, "Limit", itemContext.context.getNodeParameter("limit", itemContext.item)));
  if (!(Number.isInteger(limit) && limit >= 1)) throw refuseInput(itemContext, "Limit must be a whole number from 1");
  return limit;
}
