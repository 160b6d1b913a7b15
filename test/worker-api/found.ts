// Reads lists of posts, page by page.
import { expect } from "vitest";
import type { Query } from "../support/planted-posts.ts";
import { call, type PostBody } from "../support/world.ts";

interface Page {
  posts: PostBody[];
  next: string | null;
  looked_through: number | null;
}
export const fetchPage = async (key: string, query: Query) => {
  const present = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const answer = await call<Page>("GET", `/v1/posts?${new URLSearchParams(present)}`, { token: key });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
/** Reads all pages of a query. Returns the posts and the number of pages. */
export async function fetchAll(key: string, query: Query, limit = 7) {
  const allPosts: PostBody[] = [];
  let cursor: string | null = null;
  for (let pages = 1; ; pages++) {
    const { posts, next }: Page = await fetchPage(key, {
      ...query,
      limit: `${limit}`,
      ...(cursor === null ? {} : { cursor }),
    });
    expect(posts.length).toBeLessThanOrEqual(limit);
    allPosts.push(...posts);
    if (next === null) return { posts: allPosts, pages };
    cursor = next;
  }
}
