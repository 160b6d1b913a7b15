// One act on many posts: each post is treated as by the call for it alone.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { makeKey } from "../support/keys.ts";
import { type Account, call, connect, finished, getPost, type PostBody, post, signUp } from "../support/world.ts";

interface Answer {
  id: string;
  status: number;
  post: { status: string; rev: number; publish_at: string | null; due_at: string | null; labels: string[] } | null;
  error: { error: string; message: string; violations?: unknown[] } | null;
}

const bulk = (key: string, body: object) => call<{ posts: Answer[] }>("POST", "/v1/posts/bulk", { token: key, body });
const name = ({ id, rev }: Pick<PostBody, "id" | "rev">) => ({ id, rev });

async function setUpPosts(count = 2) {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const posts: PostBody[] = [];
  for (let i = 0; i < count; i++) {
    posts.push(
      await post(account.key, { text: `${i}`, channels: [channel.id], publish_at: tomorrow(), labels: ["a"] }),
    );
  }
  return { account, channel, posts, key: account.key };
}

const setApproval = ({ session, workspace }: Account) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { approval: "all" } });

describe("a bulk call", () => {
  it("moves each post from its own time, or all to one time", async () => {
    const { key, posts } = await setUpPosts();
    const later = await bulk(key, { posts: posts.map(name), do: "move", by_seconds: 3_600 });
    expect(later.status).toBe(200);
    expect(later.body.posts).toEqual(
      posts.map(({ id, publish_at }) => {
        const time = new Date(Date.parse(publish_at ?? "") + 3_600_000).toISOString();
        return {
          id,
          status: 200,
          post: { status: "scheduled", rev: 2, publish_at: time, due_at: time, labels: ["a"] },
          error: null,
        };
      }),
    );
    const time = tomorrow();
    const together = posts.map(({ id }) => ({ id, rev: 2 }));
    const { body } = await bulk(key, { posts: together, do: "move", publish_at: time });
    expect(body.posts.map((answer) => answer.post?.publish_at)).toEqual([time, time]);
    for (const { id } of posts) expect(await getPost(key, id)).toMatchObject({ publish_at: time, rev: 3 });
  });

  it("adds and removes labels, and leaves a post alone whose labels stay the same", async () => {
    const { key, posts } = await setUpPosts();
    const labels = { add: ["b", "a"], remove: ["c"] };
    const added = await bulk(key, { posts: posts.map(name), do: "label", labels });
    expect(added.body.posts.map((answer) => answer.post)).toMatchObject(
      posts.map(() => ({ labels: ["a", "b"], rev: 2 })),
    );
    const again = posts.map(({ id }) => ({ id, rev: 2 }));
    const same = await bulk(key, { posts: again, do: "label", labels });
    expect(same.body.posts).toMatchObject(posts.map(() => ({ status: 200, post: { rev: 2 } })));
    const removed = await bulk(key, { posts: again, do: "label", labels: { remove: ["a"] } });
    expect(removed.body.posts.map((answer) => answer.post?.labels)).toEqual([["b"], ["b"]]);
  });

  it("approves the posts that wait", async () => {
    const account = await signUp();
    await setApproval(account);
    const channel = await connect(account.key, "telegram");
    const waiting = await post(account.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    const draft = await post(account.key, { text: "x", draft: true });
    const { body } = await bulk(account.key, { posts: [name(waiting), name(draft)], do: "approve" });
    expect(body.posts).toMatchObject([
      { status: 200, post: { status: "scheduled" }, error: null },
      { status: 409, post: null, error: { error: "post_not_waiting" } },
    ]);
  });

  it("cancels scheduled posts and discards drafts", async () => {
    const { key, posts } = await setUpPosts(1);
    const draft = await post(key, { text: "x", draft: true });
    const { body } = await bulk(key, { posts: [...posts.map(name), name(draft)], do: "delete" });
    expect(body.posts).toMatchObject([
      { status: 200, post: { status: "cancelled" } },
      { id: draft.id, status: 204, post: null, error: null },
    ]);
    expect((await call("GET", `/v1/posts/${draft.id}`, { token: key })).status).toBe(404);
  });

  it("answers each post with the status and code of the single call, and changes the others", async () => {
    const { key, channel, posts } = await setUpPosts();
    const [first, second] = posts;
    const live = await post(key, { text: "now", channels: [channel.id] });
    await finished(key, live.id);
    const stranger = await setUpPosts(1);
    const all = [first, { id: second?.id ?? "", rev: 7 }, live, ...stranger.posts].map((entry) =>
      name(entry ?? expect.fail("no post")),
    );
    const { body } = await bulk(key, { posts: all, do: "move", by_seconds: 60 });
    expect(body.posts.map(({ status, error }) => [status, error?.error])).toEqual([
      [200, undefined],
      [412, "post_changed"],
      [409, "post_not_editable"],
      [404, "not_found"],
    ]);
    expect(await getPost(key, second?.id ?? "")).toMatchObject({ rev: 1, publish_at: second?.publish_at });
    for (const { error } of body.posts) expect(Object.keys(error ?? {})).not.toContain("request_id");
  });

  it("shows the broken rules of a post that may not be moved there", async () => {
    const { key, posts } = await setUpPosts(1);
    const { body } = await bulk(key, { posts: posts.map(name), do: "move", publish_at: "2020-01-01T00:00:00Z" });
    expect(body.posts).toMatchObject([{ status: 422, error: { error: "publish_at_in_past", violations: [{}] } }]);
  });

  it("refuses to move a draft without a time by seconds", async () => {
    const { key } = await setUpPosts(0);
    const draft = await post(key, { text: "x", draft: true });
    const { body } = await bulk(key, { posts: [name(draft)], do: "move", by_seconds: 60 });
    expect(body.posts).toMatchObject([{ status: 422, error: { error: "publish_at_invalid" } }]);
  });

  it("refuses each post that the caller's rights do not allow", async () => {
    const { account, posts } = await setUpPosts(1);
    const { key } = await makeKey(account, { scopes: ["draft"] });
    for (const act of [{ do: "delete" }, { do: "move", by_seconds: 60 }, { do: "approve" }]) {
      const { body } = await bulk(key, { posts: posts.map(name), ...act });
      expect(body.posts, act.do).toMatchObject([{ status: 403, error: { error: "scope_missing", scope: "publish" } }]);
    }
    const reader = await makeKey(account, { scopes: ["read"] });
    expect((await bulk(reader.key, { posts: posts.map(name), do: "delete" })).status).toBe(403);
  });

  it.each([
    ["no posts", { posts: [], do: "delete" }, "/posts"],
    ["a post that is given twice", { posts: [1, 2].map((rev) => ({ id: "post_1", rev })), do: "delete" }, "/posts"],
    ["101 posts", { posts: Array.from({ length: 101 }, (_, i) => ({ id: `p${i}`, rev: 1 })), do: "delete" }, "/posts"],
    ["an unknown act", { posts: [{ id: "post_1", rev: 1 }], do: "publish" }, "/do"],
    ["a move to nowhere", { posts: [{ id: "post_1", rev: 1 }], do: "move" }, "/publish_at"],
    [
      "a move by two ways",
      { posts: [{ id: "post_1", rev: 1 }], do: "move", publish_at: null, by_seconds: 1 },
      "/publish_at",
    ],
    ["labels of a deletion", { posts: [{ id: "post_1", rev: 1 }], do: "delete", labels: {} }, "/labels"],
  ])("refuses %s as a whole", async (_, body, field) => {
    const { key } = await signUp();
    expect(await bulk(key, body)).toMatchObject({ status: 422, body: { error: "invalid_field", field } });
  });
});
