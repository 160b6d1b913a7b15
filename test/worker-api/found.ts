// Posts as a list answers them, page by page.
import { expect } from "vitest";
import type { Query } from "../support/planted-posts.ts";
import { call, type PostBody } from "../support/world.ts";

interface Page {
  posts: PostBody[];
  next: string | null;
  looked_through: number | null;
}
export const page = async (key: string, query: Query) => {
  const present = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const answer = await call<Page>("GET", `/v1/posts?${new URLSearchParams(present)}`, { token: key });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
/** All pages of a query, and how many there were. */
export async function all(key: string, query: Query, limit = 7) {
  const found: PostBody[] = [];
  let cursor: string | null = null;
  for (let pages = 1; ; pages++) {
    const { posts, next }: Page = await page(key, {
      ...query,
      limit: `${limit}`,
      ...(cursor === null ? {} : { cursor }),
    });
    expect(posts.length).toBeLessThanOrEqual(limit);
    found.push(...posts);
    if (next === null) return { found, pages };
    cursor = next;
  }
}
