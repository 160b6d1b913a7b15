// Creating posts: what is written, whom it wakes, and what a repeat under one key is answered.
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
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

const LATER = new Date(NOW + HOUR_MS).toISOString();

describe("a post that is created", () => {
  it("has a delivery for each channel, and wakes the publishers of all its lanes at its time", async () => {
    const { create, readPosts, readDeliveries, armed, first, second } = await workspaceOfTwo();
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

  it("without a time is due immediately", async () => {
    const { create, readPosts, armed } = await workspaceOfTwo();
    expect((await create()).body).toMatchObject({ status: "scheduled", publish_at: null });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW, publishAt: null, author: { kind: "key", id: "key_1" } }]);
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW })));
  });

  it("keeps its type and has a warning only for a token that expires before its time", async () => {
    const { create, readPosts } = await workspaceOfTwo({ channel: { tokenExpiresAt: NOW + 5_000 } });
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

  it("as a draft has no deliveries and no time, and wakes no publisher", async () => {
    const { create, readPosts, readDeliveries, armed } = await workspaceOfTwo();
    const { status, body } = await create({ draft: true, publish_at: LATER });
    expect([status, body.status]).toEqual([201, "draft"]);
    expect(await readPosts()).toMatchObject([
      { status: "draft", dueAt: null, publishAt: NOW + HOUR_MS, countedMonth: null },
    ]);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
  });

  it("in a dry run is described and not stored", async () => {
    const { create, readPosts, armed, first } = await workspaceOfTwo();
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

  it("waits for approval without deliveries if the workspace requires that, and wakes no publisher", async () => {
    const { create, readPosts, readDeliveries, armed } = await workspaceOfTwo({ workspace: { approval: "authors" } });
    const { body } = await create({ publish_at: LATER }, { scopes: ["draft"] });
    expect(body).toMatchObject({ status: "awaiting_approval", approval: { state: "waiting", rev: 1 } });
    expect(await readPosts()).toMatchObject([{ status: "awaiting_approval", countedMonth: null }]);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
  });

  it("is refused to a draft key if the workspace has no approvals", async () => {
    const { create, readPosts } = await workspaceOfTwo();
    expect(await refusal(create({}, { scopes: ["draft"] }))).toMatchObject({ status: 403 });
    expect(await readPosts()).toEqual([]);
  });

  it("is refused when the plan's month is used up, unless it is a draft", async () => {
    const { create, readPosts } = await workspaceOfTwo({ workspace: { plan: "free" } });
    const { body } = await create({ dry_run: true });
    const { posts_allowed: allowed } = Object(body.counts);
    for (let i = 0; i < allowed; i++) await create({ text: `post ${i}` });
    const full = await refusal(create());
    expect([full.status, full.code]).toEqual([402, "plan_limit"]);
    expect(full.detail.extra).toMatchObject({ limit: "posts_per_month", used: allowed, allowed });
    expect(await refusal(create({ dry_run: true }))).toMatchObject({ code: "plan_limit" });
    expect((await create({ draft: true })).status).toBe(201);
    expect(await readPosts()).toHaveLength(allowed + 1);
  });
});

describe("a repeat under one idempotency key", () => {
  it("returns the post of the first call and writes nothing", async () => {
    const { create, readPosts } = await workspaceOfTwo();
    const { body } = await create({}, { key: "once" });
    const repeat = await create({}, { key: "once" });
    expect(repeat).toMatchObject({ status: 200, replayed: true, body: { id: body.id } });
    expect(await readPosts()).toHaveLength(1);
  });

  it("with a different body is refused and does not return the first post", async () => {
    const { create, readPosts } = await workspaceOfTwo();
    await create({}, { key: "once" });
    const other = await refusal(create({ text: "other" }, { key: "once" }));
    expect([other.status, other.code, other.detail.field]).toEqual([422, "idempotency_key_reused", "Idempotency-Key"]);
    expect(await readPosts()).toHaveLength(1);
  });

  it("is not found by a key that does not reach the post's channels", async () => {
    const { create, first } = await workspaceOfTwo();
    await create({}, { key: "once" });
    const message = "Not found: no post with this id in this workspace.";
    expect(await refusal(create({}, { key: "once", reach: [first] }))).toMatchObject({ status: 404, message });
  });

  it("is refused once the draft that it made was discarded", async () => {
    const { create, call } = await workspaceOfTwo();
    const { body } = await create({ draft: true }, { key: "once" });
    await call("posts.remove", { id: String(body.id) });
    const gone = await refusal(create({ draft: true }, { key: "once" }));
    expect([gone.code, gone.detail.field]).toEqual(["idempotency_key_reused", "Idempotency-Key"]);
    expect(gone.message).toContain("was discarded");
  });
});

describe("two calls at once under one idempotency key", () => {
  /** Reads for a call with this body, lets another call with `winner` go by, and carries the first one out. */
  async function raced(body: object, winner: object) {
    const workspace = await workspaceOfTwo();
    const { ctx, workspaceId, first, second } = workspace;
    const raw = {
      params: {},
      query: {},
      body: { text: "hello", channels: [first, second], ...body },
      idempotencyKey: "once",
    };
    const input = parseInput(operations["posts.create"], raw);
    const part = readToCheck(ctx, db, workspaceId, input.body, { idempotencyKey: "once" });
    const found: CheckMaterial = await ask(db, part);
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
    return { ...workspace, won, lose: () => createPost.run(ctx, caller, input, found) };
  }

  it("with the same body create one post, and both return it", async () => {
    const { won, lose, readPosts } = await raced({}, {});
    expect(await lose()).toMatchObject({ status: 200, replayed: true, body: { id: won.body.id } });
    expect(await readPosts()).toHaveLength(1);
  });

  it("with different bodies create one post, and the loser does not see it", async () => {
    const { lose, readPosts } = await raced({}, { text: "other" });
    const field = "Idempotency-Key";
    expect(await refusal(lose())).toMatchObject({ code: "idempotency_key_reused", detail: { field } });
    expect(await readPosts()).toMatchObject([{ text: "other" }]);
  });
});

describe("a dry run", () => {
  it("counts towards the limit of checks, unlike a real post", async () => {
    const taken: unknown[] = [];
    const take = async (limit: string) => {
      taken.push(limit);
      return 0;
    };
    const { create } = await workspaceOfTwo({ outside: { limits: { take, clear: async () => {} } } });
    await create();
    expect(taken).toEqual([]);
    await create({ dry_run: true });
    expect(taken).toEqual(["check_caller"]);
  });

  it("shows the time in the workspace's zone, each part of a thread, and the estimated cost", async () => {
    const { create } = await workspaceOfTwo({
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

  it("under a used idempotency key is only described", async () => {
    const { create, readPosts } = await workspaceOfTwo();
    await create({}, { key: "once" });
    expect((await create({ dry_run: true, text: "other" }, { key: "once" })).body).toMatchObject({ dry_run: true });
    expect(await readPosts()).toHaveLength(1);
  });
});

describe("a caller with one right", () => {
  it("creates a post without the right to draft, and a draft without the right to publish", async () => {
    const { create } = await workspaceOfTwo();
    expect((await create({}, { scopes: ["publish"] })).status).toBe(201);
    expect((await create({ draft: true }, { scopes: ["draft"] })).status).toBe(201);
    expect(await refusal(create({ draft: true }, { scopes: ["publish"] }))).toMatchObject({ code: "scope_missing" });
  });
});

describe("a post that is created", () => {
  it("uses the drafts' quota only if it is a draft or waits for approval", async () => {
    const readDrafts = async ({ workspaceId }: { workspaceId: string }) => {
      const { drafts, draftBytes } = (await getWorkspace(db, workspaceId)) ?? expect.fail("it is gone");
      return { drafts, hasBytes: draftBytes > 0 };
    };
    const workspace = await workspaceOfTwo({ workspace: { approval: "authors" } });
    await workspace.create();
    expect(await readDrafts(workspace)).toEqual({ drafts: 0, hasBytes: false });
    await workspace.create({ draft: true });
    expect(await readDrafts(workspace)).toEqual({ drafts: 1, hasBytes: true });
    await workspace.create({}, { scopes: ["draft"] });
    expect((await readDrafts(workspace)).drafts).toBe(2);
  });

  it("notifies members only if it waits for approval", async () => {
    const sent: unknown[] = [];
    const { create } = await workspaceOfTwo({ outside: { queue: { send: async (jobs) => void sent.push(jobs) } } });
    const { body } = await create();
    expect(sent).toEqual([]);
    expect(String(body.id)).toMatch(/^post_/);
    expect(Object(body.deliveries)[0].id).toMatch(/^dlv_/);
  });
});
