// A bulk call stays within the queries that D1 allows an invocation, however many posts it names.
import { describe, expect, it } from "vitest";
import { callOnPlan } from "../support/counted-call.ts";
import { tomorrow } from "../support/dates.ts";
import { type Account, call, connect, type PostBody, post, signUp, uploadImage } from "../support/world.ts";

interface Answers {
  posts: { id: string; status: number; post: { rev: number } | null; error: { error: string } | null }[];
}

/** Posts with a file and a link on three channels. */
async function setUpPosts(count: number, approval: "none" | "all" = "none") {
  const account = await signUp();
  await call("PATCH", `/v1/workspaces/${account.workspace}`, { token: account.session, body: { approval } });
  const channels: string[] = [];
  for (const platform of ["telegram", "bluesky", "x"]) channels.push((await connect(account.key, platform)).id);
  const posts: PostBody[] = [];
  for (let i = 0; i < count; i++) {
    const { id } = await uploadImage(account);
    posts.push(
      await post(account.key, { text: `${i} https://example.com`, media: [id], channels, publish_at: tomorrow() }),
    );
  }
  return { account, named: posts.map(({ id, rev }) => ({ id, rev })) };
}

const bulk = (plan: "free" | "paid", account: Account, body: object) =>
  callOnPlan<Answers>(plan, account, "POST", "/v1/posts/bulk", { body });

describe("a bulk call", () => {
  it.each([
    ["move", { do: "move", by_seconds: 60 }, "none"],
    ["label", { do: "label", labels: { add: ["z"] } }, "none"],
    ["approve", { do: "approve" }, "all"],
    ["delete", { do: "delete" }, "none"],
  ] as const)("to %s takes at most 30 statements for each post", async (_, act, approval) => {
    const { account, named } = await setUpPosts(3, approval);
    const one = await bulk("paid", account, { posts: named.slice(0, 1), ...act });
    const two = await bulk("paid", account, { posts: named.slice(1), ...act });
    expect([one, two].flatMap((answer) => answer.json().posts.map(({ status }) => status))).toEqual([200, 200, 200]);
    expect(two.statements - one.statements).toBeLessThanOrEqual(30);
  });

  it("does not begin with a 31st post", async () => {
    const account = await signUp();
    const posts = Array.from({ length: 100 }, (_, i) => ({ id: `post_${i}`, rev: 1 }));
    const { posts: answers } = (await bulk("paid", account, { posts, do: "delete" })).json();
    expect(answers.map(({ id }) => id)).toEqual(posts.map(({ id }) => id));
    expect(answers.slice(0, 30).map(({ error }) => error?.error)).toEqual(Array(30).fill("not_found"));
    expect(answers.slice(30).map(({ status, error }) => [status, error?.error])).toEqual(
      Array(70).fill([429, "rate_limited"]),
    );
  });

  it("changes one post on Workers Free, and leaves the others as they are", async () => {
    const { account, named } = await setUpPosts(3);
    const move = async (posts: object[]) => {
      const answer = await bulk("free", account, { posts, do: "move", by_seconds: 60 });
      expect(answer.statements).toBeLessThanOrEqual(40);
      return answer.json().posts;
    };
    const first = await move(named);
    expect(first.map(({ status, error }) => [status, error?.error])).toEqual([
      [200, undefined],
      [429, "rate_limited"],
      [429, "rate_limited"],
    ]);
    expect(await move(named.slice(1))).toMatchObject([{ status: 200, post: { rev: 2 } }, { status: 429 }]);
  });
});
