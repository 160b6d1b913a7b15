// Posts: dry runs, the limit of the plan, and reading.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, finished, getPost, type PostBody, post, signUp, uploadImage } from "../support/world.ts";
import { readDigest, sendRefusedPost } from "./refused-post.ts";

describe("a dry run", () => {
  it("a dry run writes nothing, and shows for each channel what would be sent", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const before = await readDigest(account.workspace);
    const answer = await call("POST", "/v1/posts", {
      token: account.key,
      headers: { "idempotency-key": "k" },
      body: {
        text: "héllo 👩‍👩‍👧",
        channels: [channel.id],
        dry_run: true,
        media_preview: [{ kind: "image", bytes: 10 }],
      },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        dry_run: true,
        valid: true,
        status: "scheduled",
        deliveries: [
          {
            channel: channel.id,
            text: "héllo 👩‍👩‍👧",
            text_length: 7,
            text_limit: 300,
            text_unit: "graphemes",
            post_type: "feed",
            media: 1,
          },
        ],
        counts: { posts_used: 0, posts_allowed: null },
      },
    });
    expect(await readDigest(account.workspace)).toBe(before);
  });

  it("a dry run is refused with the same body as the real call", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const body = { text: "a".repeat(400), channels: [channel.id] };
    const real = await sendRefusedPost(account, body);
    const dry = await sendRefusedPost(account, { ...body, dry_run: true });
    const neutral = (answer: typeof real) => JSON.stringify(answer.body).replace(/req_\w+/, "");
    expect(dry.status).toBe(real.status);
    expect(neutral(dry)).toBe(neutral(real));
  });
});

describe("the limit of the plan", () => {
  it("the plan accepts exactly its number of posts, also from simultaneous calls", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
    const body = { text: "x", channels: [channel.id], publish_at: tomorrow() };
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => call("POST", "/v1/posts", { token: account.key, body })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(30);
    const over = answers.find(({ status }) => status !== 201);
    expect(over).toMatchObject({
      status: 402,
      body: { error: "plan_limit", limit: "posts_per_month", plan: "free", used: 30, allowed: 30 },
    });
  });
});

describe("reading posts", () => {
  it("the list is newest first, has pages without gaps, leaves out drafts and can be filtered by status", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const ids: string[] = [];
    for (let i = 0; i < 5; i++)
      ids.unshift((await post(account.key, { text: `${i}`, channels: [channel.id], publish_at: tomorrow() })).id);
    const draft = await post(account.key, { text: "draft", draft: true });
    const list = async (query: string) =>
      (await call<{ posts: PostBody[]; next: string | null }>("GET", `/v1/posts${query}`, { token: account.key })).body;
    const listedIds: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page: { posts: PostBody[]; next: string | null } = await list(
        `?limit=2${next === "" ? "" : `&cursor=${next}`}`,
      );
      listedIds.push(...page.posts.map(({ id }) => id));
      next = page.next;
    }
    expect(listedIds).toEqual(ids);
    expect((await list("?status=draft")).posts.map(({ id }) => id)).toEqual([draft.id]);
    expect((await list("?status=scheduled")).posts).toHaveLength(5);
    expect((await list("?status=published")).posts).toEqual([]);
    for (const limit of ["0", "-1", "abc", "1&limit=2"]) expect((await list(`?limit=${limit}`)).posts).toHaveLength(5);
    expect(await call("GET", "/v1/posts?status=nonsense", { token: account.key })).toMatchObject({
      status: 422,
      body: { error: "unknown_status" },
    });
    expect(await call("GET", "/v1/posts?cursor=nonsense", { token: account.key })).toMatchObject({
      status: 422,
      body: { error: "unreadable_cursor" },
    });
  });

  it("another workspace's post cannot be read or cancelled", async () => {
    const [mine, stranger] = [await signUp(), await signUp()];
    const channel = await connect(stranger.key, "telegram");
    const { id } = await post(stranger.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    for (const method of ["GET", "DELETE"])
      expect((await call(method, `/v1/posts/${id}`, { token: mine.key })).status).toBe(404);
    expect((await getPost(stranger.key, id)).status).toBe("scheduled");
  });

  it("a time without an offset is read in the workspace's time zone, and the answer has both forms", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    await testEnv.DB.prepare("UPDATE workspaces SET timezone = 'Asia/Tokyo' WHERE id = ?")
      .bind(account.workspace)
      .run();
    const day = tomorrow().slice(0, 10);
    const created = await post(account.key, { text: "x", channels: [channel.id], publish_at: `${day}T23:30` });
    expect(created).toMatchObject({
      publish_at: `${day}T14:30:00.000Z`,
      publish_at_local: `${day}T23:30:00+09:00`,
      timezone: "Asia/Tokyo",
    });
  });

  it("a draft is discarded, and its idempotency key creates no other post", async () => {
    const account = await signUp();
    const headers = { "idempotency-key": "draft" };
    const { id } = await post(account.key, { text: "x", draft: true }, headers);
    expect((await call("DELETE", `/v1/posts/${id}`, { token: account.key })).status).toBe(204);
    expect((await call("GET", `/v1/posts/${id}`, { token: account.key })).status).toBe(404);
    const again = await call("POST", "/v1/posts", { token: account.key, headers, body: { text: "x", draft: true } });
    expect(again).toMatchObject({ status: 422, body: { error: "idempotency_key_reused" } });
  });

  it("each channel can have its own text and files", async () => {
    const account = await signUp();
    const [a, b] = [await connect(account.key, "telegram"), await connect(account.key, "telegram")];
    const image = await uploadImage(account);
    const { id } = await post(account.key, {
      text: "for all",
      channels: [a.id, b.id],
      overrides: { [b.id]: { text: "for b", media: [image.id], silent: true } },
      metadata: { ticket: "7" },
    });
    const published = await finished(account.key, id);
    expect(published).toMatchObject({ status: "published", metadata: { ticket: "7" } });
  });
});
