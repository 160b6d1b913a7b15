import { describe, expect, it } from "vitest";
import { PAGE_BYTES_MAX } from "../../src/domain/limits.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { type Account, call, connect, type PostBody, post, signUp } from "../support/world.ts";

const MIB = 1024 ** 2;
const { DB } = testEnv;

async function signUpOnFree(): Promise<Account> {
  const account = await signUp();
  await DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
  return account;
}
/** Adds drafts and bytes to the count of the workspace. */
const occupy = ({ workspace }: Account, drafts: number, bytes = 0) =>
  DB.prepare("UPDATE workspaces SET drafts = drafts + ?2, draft_bytes = draft_bytes + ?3 WHERE id = ?1")
    .bind(workspace, drafts, bytes)
    .run();
const createDraft = ({ key }: Account, body: object = {}) =>
  call<PostBody>("POST", "/v1/posts", { token: key, body: { text: "x", draft: true, ...body } });
const patch = ({ key }: Account, id: string, body: object) =>
  call("PATCH", `/v1/posts/${id}`, { token: key, body }).then(({ status, body }) => ({ status, body }));
const discard = ({ key }: Account, id: string) => call("DELETE", `/v1/posts/${id}`, { token: key });
const readUsage = async ({ key }: Account) => {
  const { body } = await call<Record<"drafts" | "draft_bytes", { used: number }>>("GET", "/v1/usage", { token: key });
  return [body.drafts.used, body.draft_bytes.used];
};
const listStatuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

describe("drafts", () => {
  it("drafts are limited by the plan, even if many are created at once, and also in dry runs", async () => {
    const account = await signUpOnFree();
    await occupy(account, 98);
    const answers = await Promise.all(Array.from({ length: 6 }, () => createDraft(account)));
    expect(listStatuses(answers)).toEqual([201, 201, 402, 402, 402, 402]);
    const full = {
      status: 402,
      body: { error: "plan_limit", limit: "drafts", plan: "free", used: 100, allowed: 100, resets_at: null },
    };
    expect(await createDraft(account)).toMatchObject(full);
    expect(await createDraft(account, { dry_run: true })).toMatchObject(full);
    const created = answers.filter(({ status }) => status === 201);
    expect((await discard(account, created[0]?.body.id ?? "")).status).toBe(204);
    expect((await discard(account, created[0]?.body.id ?? "")).status).toBe(404);
    expect(await readUsage(account)).toEqual([99, expect.any(Number)]);
    expect((await createDraft(account)).status).toBe(201);
  });

  it("drafts count by their size as they grow and shrink, and may always shrink", async () => {
    const account = await signUpOnFree();
    const { body } = await createDraft(account, { text: "é".repeat(1_000) });
    expect(await readUsage(account)).toEqual([1, 2_016]);
    expect((await patch(account, body.id, { text: "x", metadata: { a: "b" } })).status).toBe(200);
    expect(await readUsage(account)).toEqual([1, 24]);
    await occupy(account, 0, 5 * MIB - 100);
    const over = { status: 402, body: { error: "plan_limit", limit: "draft_bytes", allowed: 5 * MIB } };
    expect(await createDraft(account, { text: "x".repeat(100) })).toMatchObject(over);
    expect(await patch(account, body.id, { text: "x".repeat(100) })).toMatchObject(over);
    const grown = await Promise.all(
      Array.from({ length: 4 }, (_, i) => patch(account, body.id, { text: `${i}${"x".repeat(69)}` })),
    );
    expect(listStatuses(grown)).toEqual([200, 200, 200, 200]);
    expect(await readUsage(account)).toEqual([1, 5 * MIB - 7]);
    await occupy(account, 500, MIB);
    expect((await patch(account, body.id, { text: "" })).status).toBe(200);
    expect(await readUsage(account)).toEqual([501, 6 * MIB - 77]);
    expect((await discard(account, body.id)).status).toBe(204);
    expect(await readUsage(account)).toEqual([500, 6 * MIB - 100]);
  });

  it("released drafts no longer count, and posts cannot become drafts beyond the plan", async () => {
    const account = await signUpOnFree();
    const channel = await connect(account.key, "telegram");
    const release = { draft: false, channels: [channel.id], publish_at: tomorrow() };
    const first = await createDraft(account);
    expect((await patch(account, first.body.id, release)).status).toBe(200);
    expect(await readUsage(account)).toEqual([0, 0]);
    await occupy(account, 99);
    const second = await createDraft(account);
    expect(await patch(account, first.body.id, { draft: true })).toMatchObject({
      status: 402,
      body: { limit: "drafts" },
    });
    expect((await patch(account, second.body.id, release)).status).toBe(200);
    const back = await Promise.all([first, second].map(({ body }) => patch(account, body.id, { draft: true })));
    expect(listStatuses(back)).toEqual([200, 402]);
    expect((await readUsage(account))[0]).toBe(100);
  });
});

describe("posts that are cancelled before they start", () => {
  it("cancelled posts are returned to their month at most three times its limit, even if many are cancelled at once", async () => {
    const account = await signUpOnFree();
    const channel = await connect(account.key, "telegram");
    const scheduled = () => post(account.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    const ids = [(await scheduled()).id, (await scheduled()).id, (await scheduled()).id];
    await DB.prepare("UPDATE usage_months SET given_back = 88 WHERE workspace_id = ?").bind(account.workspace).run();
    const answers = await Promise.all(ids.map((id) => discard(account, id)));
    expect(listStatuses(answers)).toEqual([200, 200, 200]);
    const { body } = await call<{ posts: { used: number } }>("GET", "/v1/usage", { token: account.key });
    expect(body.posts.used).toBe(1);
    const row = await DB.prepare("SELECT given_back FROM usage_months WHERE workspace_id = ?").bind(account.workspace);
    expect(await row.first("given_back")).toBe(90);
  });
});

describe("a page of a list", () => {
  /** Reads all pages of a list. Returns the ids in their order and the length of each page. */
  async function walk(key: string, path: string, name: string) {
    const ids: string[] = [];
    const lengths: number[] = [];
    for (let cursor: unknown = null; ; ) {
      const cursorQuery = cursor === null ? "" : `&cursor=${cursor}`;
      const { body } = await call<Record<string, unknown>>("GET", `${path}${cursorQuery}`, { token: key });
      const page = body[name];
      if (!Array.isArray(page)) throw new Error(`no ${name}`);
      ids.push(...page.map(({ id }) => id));
      lengths.push(JSON.stringify(page).length);
      const { next } = body;
      if (next === null || page.length === 0) return { ids, lengths };
      cursor = next;
    }
  }

  it.each([
    ["drafts", 12, 200],
    ["drafts", 12, 5],
    ["oversized drafts", 4, 200, 2 * MIB],
  ])(
    "a page of %s ends before it is a megabyte long, and the cursor skips none (%i in pages of %i)",
    async (_, n, limit, size = 0) => {
      const { key, workspace } = await signUp();
      const createdIds: string[] = [];
      for (let i = 0; i < n; i++) createdIds.unshift((await post(key, { text: "x".repeat(64_000), draft: true })).id);
      const length = size === 0 ? 300_000 : size;
      await DB.prepare("UPDATE posts SET text = ?2 WHERE workspace_id = ?1").bind(workspace, "x".repeat(length)).run();
      const { ids, lengths } = await walk(key, `/v1/posts?status=draft&limit=${limit}`, "posts");
      expect(ids).toEqual(createdIds);
      expect(Math.max(...lengths)).toBeLessThan(Math.max(PAGE_BYTES_MAX, length) + 10_000);
    },
  );

  it("a page of events or files ends before it is a megabyte long, in each order", async () => {
    const { key, workspace } = await signUp();
    const NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)";
    await DB.prepare(
      `INSERT INTO events (workspace_id, seq, id, event, post_id, channel_id, dedupe_key, body, created_at) ${NUMBERS}
        SELECT ?1, i, printf('evt_%026d', i), 'delivery.failed', 'post_' || i, 'ch_1', 0,
          json_object('id', printf('evt_%026d', i), 'metadata', json_object('a', ?2)), 0 FROM n`,
    )
      .bind(workspace, "x".repeat(40_000))
      .run();
    await DB.prepare(
      `INSERT INTO media (workspace_id, id, kind, state, url, alt, created_at) ${NUMBERS}
        SELECT ?1, printf('med_%026d', i), 'image', 'registered', 'https://x.example/y', ?2, 0 FROM n`,
    )
      .bind(workspace, "x".repeat(40_000))
      .run();
    const listIds = (prefix: string) =>
      Array.from({ length: 150 }, (_, i) => `${prefix}_${String(150 - i).padStart(26, "0")}`);
    for (const [path, name, ids] of [
      ["/v1/media?limit=200", "media", listIds("med")],
      ["/v1/events?limit=200", "events", listIds("evt")],
      ["/v1/events?limit=200&channel=ch_1", "events", listIds("evt")],
      ["/v1/events?limit=200&order=oldest", "events", listIds("evt").reverse()],
    ] as const) {
      const walked = await walk(key, path, name);
      expect(walked.ids, path).toEqual(ids);
      expect(Math.max(...walked.lengths), path).toBeLessThan(PAGE_BYTES_MAX + 100_000);
    }
  });
});
