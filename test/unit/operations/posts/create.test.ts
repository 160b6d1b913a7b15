// Creating posts: the rows, the publishers that are woken, and repeats under one idempotency key.
import { describe, expect, it } from "vitest";
import { operations } from "../../../../src/contract/index.ts";
import { HOUR_MS } from "../../../../src/domain/limits.ts";
import { createPost } from "../../../../src/operations/posts/create.ts";
import type { CheckMaterial } from "../../../../src/operations/posts/read-for-check.ts";
import { readToCheck } from "../../../../src/operations/posts/read-for-check.ts";
import { parseInput } from "../../../../src/operations/run.ts";
import { getWorkspace } from "../../../../src/store/accounts/workspaces.ts";
import { ask } from "../../../../src/store/db/batch.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

const LATER = new Date(NOW + HOUR_MS).toISOString();

describe("a post that is created", () => {
  it("a new post has a delivery for each channel, and wakes the publishers of all its lanes at its time", async () => {
    const { create, readPosts, readDeliveries, armed, first, second } = await setUpWorkspace();
    const { status, body } = await create({ publish_at: LATER, metadata: { a: "1" }, labels: ["x"] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: "scheduled", text: "hello", publish_at: LATER });
    expect(await readPosts()).toMatchObject([
      { id: body.id, status: "scheduled", dueAt: NOW + HOUR_MS, metadata: { a: "1" } },
    ]);
    expect(await readDeliveries()).toMatchObject([
      { channelId: first, state: "pending", nextAt: NOW + HOUR_MS, platform: "telegram" },
      { channelId: second, state: "pending", nextAt: NOW + HOUR_MS },
    ]);
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW + HOUR_MS })));
  });

  it("a post without a time is due immediately", async () => {
    const { create, readPosts, armed } = await setUpWorkspace();
    expect((await create()).body).toMatchObject({ status: "scheduled", publish_at: null });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW, publishAt: null, author: { kind: "key", id: "key_1" } }]);
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW })));
  });

  it("a post stores its type, and has a warning if a token expires before its time", async () => {
    const { create, readPosts } = await setUpWorkspace({ channel: { tokenExpiresAt: NOW + 5_000 } });
    const warnings = async (body: object) =>
      Object((await create(body)).body).warnings.map(({ code }: { code: string }) => code);
    for (const dry_run of [true, false]) {
      expect(await warnings({ publish_at: LATER, dry_run, text: `later ${dry_run}` })).toEqual([
        "token_expires_before_publish_at",
        "token_expires_before_publish_at",
      ]);
      expect(await warnings({ dry_run, text: `now ${dry_run}` })).toEqual([]);
    }
    const typed = { draft: true, channels: [], post_type: "story" };
    expect((await create(typed)).body).toMatchObject({ post_type: "story" });
    expect((await readPosts()).map(({ postType }) => postType)).toContain("story");
  });

  it("a draft has no deliveries and is not due, and wakes no publisher", async () => {
    const { create, readPosts, readDeliveries, armed } = await setUpWorkspace();
    const { status, body } = await create({ draft: true, publish_at: LATER });
    expect([status, body.status]).toEqual([201, "draft"]);
    expect(await readPosts()).toMatchObject([
      { status: "draft", dueAt: null, publishAt: NOW + HOUR_MS, countedMonth: null },
    ]);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
  });

  it("a post in a dry run is described and not stored", async () => {
    const { create, readPosts, armed, first } = await setUpWorkspace();
    const { status, body } = await create({ dry_run: true }, { key: "once" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      dry_run: true,
      valid: true,
      status: "scheduled",
      counts: { posts_used: 0, posts_allowed: null },
      deliveries: [{ channel: first, text: "hello", text_length: 5, parts: null }, {}],
    });
    expect([await readPosts(), armed]).toEqual([[], []]);
  });

  it("a post that needs approval has no deliveries, and wakes no publisher", async () => {
    const { create, readPosts, readDeliveries, armed } = await setUpWorkspace({ workspace: { approval: "authors" } });
    const { body } = await create({ publish_at: LATER }, { scopes: ["draft"] });
    expect(body).toMatchObject({ status: "awaiting_approval", approval: { state: "waiting", rev: 1 } });
    expect(await readPosts()).toMatchObject([{ status: "awaiting_approval", countedMonth: null }]);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
  });

  it("a key that may only draft cannot create a post in a workspace without approvals", async () => {
    const { create, readPosts } = await setUpWorkspace();
    expect(await catchRefusal(create({}, { scopes: ["draft"] }))).toMatchObject({ status: 403 });
    expect(await readPosts()).toEqual([]);
  });

  it("a post is refused if the plan's monthly limit is used up, unless it is a draft", async () => {
    const { create, readPosts } = await setUpWorkspace({ workspace: { plan: "free" } });
    const { body } = await create({ dry_run: true });
    const { posts_allowed: allowed } = Object(body.counts);
    for (let i = 0; i < allowed; i++) await create({ text: `post ${i}` });
    const refused = await catchRefusal(create());
    expect([refused.status, refused.code]).toEqual([402, "plan_limit"]);
    expect(refused.detail.extra).toMatchObject({ limit: "posts_per_month", used: allowed, allowed });
    expect(await catchRefusal(create({ dry_run: true }))).toMatchObject({ code: "plan_limit" });
    expect((await create({ draft: true })).status).toBe(201);
    expect(await readPosts()).toHaveLength(allowed + 1);
  });
});

describe("a repeat under one idempotency key", () => {
  it("a repeat under an idempotency key returns the post of the first call and writes nothing", async () => {
    const { create, readPosts } = await setUpWorkspace();
    const { body } = await create({}, { key: "once" });
    const repeat = await create({}, { key: "once" });
    expect(repeat).toMatchObject({ status: 200, replayed: true, body: { id: body.id } });
    expect(await readPosts()).toHaveLength(1);
  });

  it("a repeat with a different body is refused and does not return the first post", async () => {
    const { create, readPosts } = await setUpWorkspace();
    await create({}, { key: "once" });
    const reused = await catchRefusal(create({ text: "other" }, { key: "once" }));
    expect([reused.status, reused.code, reused.detail.field]).toEqual([
      422,
      "idempotency_key_reused",
      "Idempotency-Key",
    ]);
    expect(await readPosts()).toHaveLength(1);
  });

  it("a repeat by a key that may not use the post's channels does not find the post", async () => {
    const { create, first } = await setUpWorkspace();
    await create({}, { key: "once" });
    const message = "Not found: no post with this id in this workspace.";
    expect(await catchRefusal(create({}, { key: "once", reach: [first] }))).toMatchObject({ status: 404, message });
  });

  it("a repeat is refused once the draft of the first call has been discarded", async () => {
    const { create, call } = await setUpWorkspace();
    const { body } = await create({ draft: true }, { key: "once" });
    await call("posts.remove", { id: String(body.id) });
    const refused = await catchRefusal(create({ draft: true }, { key: "once" }));
    expect([refused.code, refused.detail.field]).toEqual(["idempotency_key_reused", "Idempotency-Key"]);
    expect(refused.message).toContain("was discarded");
  });
});

describe("two calls at once under one idempotency key", () => {
  /** Reads the material of a call with `body`, runs another call with `winner`, and returns the first call as `lose`. */
  async function race(body: object, winner: object) {
    const workspace = await setUpWorkspace();
    const { ctx, workspaceId, first, second } = workspace;
    const raw = {
      params: {},
      query: {},
      body: { text: "hello", channels: [first, second], ...body },
      idempotencyKey: "once",
    };
    const input = parseInput(operations["posts.create"], raw);
    const statements = readToCheck(ctx, db, workspaceId, input.body, { idempotencyKey: "once" });
    const material: CheckMaterial = await ask(db, statements);
    const won = await workspace.create(winner, { key: "once" });
    const caller = {
      kind: "key",
      keyId: "key_1",
      name: "CI",
      workspaceId,
      scopes: ["publish", "draft"],
      channels: null,
      budget: null,
    } as const;
    return { ...workspace, won, lose: () => createPost.run(ctx, caller, input, material) };
  }

  it("two simultaneous calls with the same body create one post, and both return it", async () => {
    const { won, lose, readPosts } = await race({}, {});
    expect(await lose()).toMatchObject({ status: 200, replayed: true, body: { id: won.body.id } });
    expect(await readPosts()).toHaveLength(1);
  });

  it("two simultaneous calls with different bodies create one post, and the second is refused", async () => {
    const { lose, readPosts } = await race({}, { text: "other" });
    const field = "Idempotency-Key";
    expect(await catchRefusal(lose())).toMatchObject({ code: "idempotency_key_reused", detail: { field } });
    expect(await readPosts()).toMatchObject([{ text: "other" }]);
  });
});

describe("a dry run", () => {
  it("a dry run counts towards the rate limit of checks, unlike a real post", async () => {
    const limitsTaken: unknown[] = [];
    const take = async (limit: string) => {
      limitsTaken.push(limit);
      return 0;
    };
    const { create } = await setUpWorkspace({ outside: { limits: { take, clear: async () => {}, room: () => null } } });
    await create();
    expect(limitsTaken).toEqual([]);
    await create({ dry_run: true });
    expect(limitsTaken).toEqual(["check_caller"]);
  });

  it("a dry run shows the time in the workspace's zone, each thread part, and the estimated cost", async () => {
    const { create } = await setUpWorkspace({
      workspace: { timezone: "Europe/Berlin" },
      channel: { platform: "x" },
    });
    const { body } = await create({ dry_run: true, publish_at: LATER, thread: [{ text: "more!" }] });
    expect(body).toMatchObject({ publish_at: LATER, publish_at_local: expect.stringContaining("+01:00") });
    const [delivery] = Object(body.deliveries);
    expect(delivery).toMatchObject({
      parts: [
        { position: 0, text: "hello", text_length: 5, text_limit: 280, media: 0 },
        { position: 1, text: "more!", text_length: 5 },
      ],
      files: [],
    });
    expect(delivery.estimated_cost_usd).toBeGreaterThan(0);
    expect(delivery.cost).not.toBeNull();
    expect((await create({ dry_run: true })).body).toMatchObject({ publish_at: null, publish_at_local: null });
  });

  it("a dry run ignores a used idempotency key", async () => {
    const { create, readPosts } = await setUpWorkspace();
    await create({}, { key: "once" });
    expect((await create({ dry_run: true, text: "other" }, { key: "once" })).body).toMatchObject({ dry_run: true });
    expect(await readPosts()).toHaveLength(1);
  });
});

describe("a caller with one right", () => {
  it("a caller with the scope publish alone may create posts, and one with draft alone may create drafts", async () => {
    const { create } = await setUpWorkspace();
    expect((await create({}, { scopes: ["publish"] })).status).toBe(201);
    expect((await create({ draft: true }, { scopes: ["draft"] })).status).toBe(201);
    expect(await catchRefusal(create({ draft: true }, { scopes: ["publish"] }))).toMatchObject({
      code: "scope_missing",
    });
  });
});

describe("a post that is created", () => {
  it("a post counts towards the quota of drafts only if it is a draft or waits for approval", async () => {
    const readDrafts = async ({ workspaceId }: { workspaceId: string }) => {
      const { drafts, draftBytes } = (await getWorkspace(db, workspaceId)) ?? expect.fail("it is gone");
      return { drafts, hasBytes: draftBytes > 0 };
    };
    const workspace = await setUpWorkspace({ workspace: { approval: "authors" } });
    await workspace.create();
    expect(await readDrafts(workspace)).toEqual({ drafts: 0, hasBytes: false });
    await workspace.create({ draft: true });
    expect(await readDrafts(workspace)).toEqual({ drafts: 1, hasBytes: true });
    await workspace.create({}, { scopes: ["draft"] });
    expect((await readDrafts(workspace)).drafts).toBe(2);
  });

  it("creating a post that needs no approval notifies no members", async () => {
    const jobsSent: unknown[] = [];
    const { create } = await setUpWorkspace({ outside: { queue: { send: async (jobs) => void jobsSent.push(jobs) } } });
    const { body } = await create();
    expect(jobsSent).toEqual([]);
    expect(String(body.id)).toMatch(/^post_/);
    expect(Object(body.deliveries)[0].id).toMatch(/^dlv_/);
  });
});
