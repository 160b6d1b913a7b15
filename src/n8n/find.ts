// The operation that reads the list of posts.
import type { IExecuteFunctions, Properties } from "n8n-workflow";
import type { Client, Query } from "../client/client.ts";
import { everyItem, type Post } from "../client/pages.ts";
import { LIST_LIMIT_MAX } from "../domain/limits.ts";
import { type ItemContext, readCollection, readSwitch, readText, refuseInput } from "./inputs.ts";

/** The posts that match an item's filters: all of them, or up to its limit. */
export async function findPosts(context: IExecuteFunctions, client: Client, item: number): Promise<Properties[]> {
  const place = { context, item };
  const filters = readCollection(place, "Filters", context.getNodeParameter("filters", item, {}));
  const texts = [...filters].map(([name, value]) => [name, readText(place, `Filter ${name}`, value) ?? ""]);
  const query: Query<"posts.list"> = Object.fromEntries(texts);
  const isUnlimited = readSwitch(place, "Return All", context.getNodeParameter("returnAll", item, false));
  const totalLimit = isUnlimited ? Number.POSITIVE_INFINITY : readLimit(place);
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

function readLimit(place: ItemContext): number {
  const limit = Number(readText(place, "Limit", place.context.getNodeParameter("limit", place.item)));
  if (!(Number.isInteger(limit) && limit >= 1)) throw refuseInput(place, "Limit must be a whole number from 1");
  return limit;
}
