import { expect, it } from "vitest";
import { type BulkAnswer, changeInCalls } from "../../../src/client/change-in-calls.ts";

const POSTS = Array.from({ length: 230 }, (_, i) => ({ id: `post_${i}`, rev: 1 }));
const REFUSED = { error: "rate_limited" as const, message: "Too many requests.", retry_after: 1 };
const answer = (id: string, isBegun: boolean): BulkAnswer => ({
  id,
  status: isBegun ? 204 : 429,
  post: null,
  error: isBegun ? null : REFUSED,
});

it("sends the posts again that a call did not begin with, until each is changed once", async () => {
  const changed: string[] = [];
  const sizes: number[] = [];
  const answers = await changeInCalls(POSTS, async (posts) => {
    sizes.push(posts.length);
    changed.push(...posts.slice(0, 40).map(({ id }) => id));
    return posts.map(({ id }, i) => answer(id, i < 40));
  });
  expect(changed).toEqual(POSTS.map(({ id }) => id));
  expect(answers).toEqual(POSTS.map(({ id }) => answer(id, true)));
  expect(sizes).toEqual([100, 100, 100, 100, 70, 30]);
});

it("reports the posts of a call that begins with none of them", async () => {
  const answers = await changeInCalls(POSTS, async (posts) => posts.map(({ id }) => answer(id, false)));
  expect(answers).toEqual(POSTS.map(({ id }) => answer(id, false)));
});
