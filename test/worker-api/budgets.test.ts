// The monthly budgets of a workspace and of a key.
import { describe, expect, it } from "vitest";
import { inDays, tomorrowNoon } from "../support/dates.ts";
import { makeKey } from "../support/keys.ts";
import { type Account, type Answer, call, connect, type PostBody, post, signUp } from "../support/world.ts";

/** The cost of a post on X at noon, in a workspace that has not changed its `rechecks`. */
const POST_COST = 0.03;
const LINK = "see https://example.com/";

const setBudget = ({ session, workspace }: Account, budget_usd: unknown) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { budget_usd } });
const readSpending = async ({ key }: Account) =>
  (await call<{ spending: object }>("GET", "/v1/usage", { token: key })).body.spending;
const readUsedUsd = async (account: Account) => ({ used_usd: 0, ...(await readSpending(account)) }).used_usd;

async function openOnX(budget: number | null) {
  const account = await signUp();
  const x = await connect(account.key, "x");
  const telegram = await connect(account.key, "telegram");
  expect(await setBudget(account, budget)).toMatchObject({ status: 200, body: { budget_usd: budget } });
  const body = () => ({ text: crypto.randomUUID(), channels: [x.id], publish_at: tomorrowNoon() });
  const create = (fields: object = {}, options: { token?: string; headers?: Record<string, string> } = {}) =>
    call<PostBody & { error?: string }>("POST", "/v1/posts", {
      token: account.key,
      ...options,
      body: { ...body(), ...fields },
    });
  const patch = (id: string, change: object, token = account.key) =>
    call<PostBody>("PATCH", `/v1/posts/${id}`, { token, body: change });
  return { account, x, telegram, body, create, patch };
}
const buildRefusal = (budgetOwner: "workspace" | "key", usedUsd: number, allowed: number) => ({
  status: 402,
  body: {
    error: "plan_limit",
    limit: "budget",
    budget_of: budgetOwner,
    used: usedUsd,
    allowed,
    resets_at: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00.000Z$/),
    hint: expect.stringContaining("the month begins again at"),
  },
});
const listStatuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();

describe("the budget of a workspace", () => {
  it("a workspace's budget must be an exact amount and can be set only by an owner", async () => {
    const account = await signUp();
    for (const wrong of [-1, 0.0000001, 1_000_001, "5"]) {
      expect(await setBudget(account, wrong)).toMatchObject({ status: 422, body: { field: "/budget_usd" } });
    }
    const answer = await call("PATCH", `/v1/workspaces/${account.workspace}`, {
      token: account.key,
      body: { budget_usd: 5 },
    });
    expect(answer).toMatchObject({ status: 403, body: { error: "key_not_allowed" } });
  });

  it("a workspace's budget accepts posts exactly while they fit, also in dry runs", async () => {
    const { account, telegram, create } = await openOnX(0.09);
    for (let i = 0; i < 3; i++) expect((await create()).status).toBe(201);
    expect(await readSpending(account)).toEqual({ used_usd: 0.09, allowed_usd: 0.09, remaining_usd: 0 });
    expect(await create()).toMatchObject(buildRefusal("workspace", 0.09, 0.09));
    expect(await create({ dry_run: true })).toMatchObject(buildRefusal("workspace", 0.09, 0.09));
    expect((await create({ channels: [telegram.id] })).status).toBe(201);
    expect((await create({ draft: true })).status).toBe(201);
    await setBudget(account, null);
    expect((await create()).status).toBe(201);
    expect(await readSpending(account)).toEqual({ used_usd: 0.12, allowed_usd: null, remaining_usd: null });
  });

  it("a budget of 0 refuses each post that costs money", async () => {
    const { telegram, create } = await openOnX(0);
    expect(await create()).toMatchObject(buildRefusal("workspace", 0, 0));
    expect((await create({ channels: [telegram.id] })).status).toBe(201);
  });

  it("cancelled and withdrawn posts return their cost to the budget", async () => {
    const { account, create, patch } = await openOnX(POST_COST);
    const { body } = await create();
    expect(await create()).toMatchObject(buildRefusal("workspace", POST_COST, POST_COST));
    expect((await call("DELETE", `/v1/posts/${body.id}`, { token: account.key })).status).toBe(200);
    expect(await readUsedUsd(account)).toBe(0);
    const second = (await create()).body;
    expect((await patch(second.id, { draft: true })).status).toBe(200);
    expect(await readUsedUsd(account)).toBe(0);
    const third = (await create()).body;
    expect(await patch(second.id, { draft: false })).toMatchObject(buildRefusal("workspace", POST_COST, POST_COST));
    await patch(third.id, { draft: true });
    expect((await patch(second.id, { draft: false })).status).toBe(200);
    expect(await readUsedUsd(account)).toBe(POST_COST);
  });

  it("an edit counts only its cost difference, and an edit that makes a post cheaper is always accepted", async () => {
    const { account, telegram, create, patch } = await openOnX(0.1);
    const { body } = await create();
    expect(await patch(body.id, { text: LINK })).toMatchObject(buildRefusal("workspace", 0, 0.1));
    expect((await patch(body.id, { text: "other" })).status).toBe(200);
    expect(await readUsedUsd(account)).toBe(POST_COST);
    await setBudget(account, 0.3);
    expect((await patch(body.id, { text: LINK })).status).toBe(200);
    expect(await readUsedUsd(account)).toBe(0.215);
    await setBudget(account, 0);
    expect((await patch(body.id, { text: "cheaper" })).status).toBe(200);
    expect((await patch(body.id, { publish_at: inDays(2) })).status).toBe(200);
    expect((await patch(body.id, { channels: [telegram.id] })).status).toBe(200);
    expect(await readUsedUsd(account)).toBe(0);
  });

  it("the repeat of an accepted post is accepted even if the budget is used up", async () => {
    const { account, body, create } = await openOnX(POST_COST);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const sameBody = body();
    const first = await create(sameBody, { headers });
    expect(first.status).toBe(201);
    await setBudget(account, 0);
    expect(await create(sameBody, { headers })).toMatchObject({ body: { id: first.body.id } });
    expect(await readUsedUsd(account)).toBe(POST_COST);
  });

  it("simultaneous posts, releases and edits never exceed the budget", async () => {
    const { account, create, patch } = await openOnX(0.06);
    const drafts = await Promise.all([1, 2, 3].map(async () => (await create({ draft: true })).body.id));
    const creations = await Promise.all([1, 2, 3, 4, 5].map(() => create()));
    expect(listStatuses(creations)).toEqual([201, 201, 402, 402, 402]);
    expect(await readUsedUsd(account)).toBe(0.06);
    await setBudget(account, 0.06 + POST_COST);
    const released = await Promise.all(drafts.map((id) => patch(id, { draft: false })));
    expect(listStatuses(released)).toEqual([200, 402, 402]);
    expect(await readUsedUsd(account)).toBe(0.09);
  });

  it("an import is written only if all its rows fit the budget", async () => {
    const { account, x, body } = await openOnX(0.06);
    const importRows = (n: number) =>
      call<{ created: number }>("POST", "/v1/posts/import", {
        token: account.key,
        headers: { "content-type": "application/x-ndjson" },
        body: Array.from({ length: n }, () => JSON.stringify({ ...body(), channels: [x.id] })).join("\n"),
      });
    expect(await importRows(3)).toMatchObject(buildRefusal("workspace", 0, 0.06));
    expect(await readUsedUsd(account)).toBe(0);
    expect(await importRows(2)).toMatchObject({ status: 200, body: { created: 2 } });
    expect(await readUsedUsd(account)).toBe(0.06);
    await setBudget(account, 0.15);
    const imports = await Promise.all([importRows(3), importRows(3)]);
    expect(await readUsedUsd(account)).toBe(0.15);
    const createdRows = imports.map(({ body: { created } }) => created ?? 0);
    expect(createdRows.sort()).toEqual([0, 3]);
  });
});

describe("the budget of a key", () => {
  const change = ({ session, workspace }: Account, key: string, budget_usd: unknown) =>
    call("PATCH", `/v1/workspaces/${workspace}/keys/${key}`, { token: session, body: { budget_usd } });

  it("a key's budget counts the posts that the key schedules, in addition to the workspace's budget", async () => {
    const { account, create } = await openOnX(0.12);
    const key = await makeKey(account, { scopes: ["read", "draft", "publish"], budget_usd: 0.06 });
    expect(key).toMatchObject({ budget_usd: 0.06 });
    for (let i = 0; i < 2; i++) expect((await create({}, { token: key.key })).status).toBe(201);
    expect(await create({}, { token: key.key })).toMatchObject(buildRefusal("key", 0.06, 0.06));
    expect((await create()).status).toBe(201);
    expect(await change(account, key.id, 1)).toMatchObject({ status: 200, body: { id: key.id, budget_usd: 1 } });
    expect((await create({}, { token: key.key })).status).toBe(201);
    expect(await create({}, { token: key.key })).toMatchObject(buildRefusal("workspace", 0.12, 0.12));
    const listed = await call("GET", `/v1/workspaces/${account.workspace}/keys`, { token: account.session });
    expect(listed.body).toMatchObject({ keys: [{ budget_usd: 1 }] });
  });

  it("a key's budget counts a post that the key has changed, even after a person changes it again", async () => {
    const { account, create, patch } = await openOnX(null);
    const key = await makeKey(account, { scopes: ["read", "draft", "publish"], budget_usd: POST_COST });
    const workspacePost = (await create()).body;
    const keyPost = (await create({}, { token: key.key })).body;
    expect(await patch(workspacePost.id, { text: "taken over" }, key.key)).toMatchObject(
      buildRefusal("key", POST_COST, POST_COST),
    );
    expect((await patch(keyPost.id, { text: "changed" }, key.key)).status).toBe(200);
    const session = { token: account.session, headers: { "x-workspace": account.workspace } };
    await call("PATCH", `/v1/posts/${keyPost.id}`, { ...session, body: { text: "by a person" } });
    expect(await create({}, { token: key.key })).toMatchObject(buildRefusal("key", POST_COST, POST_COST));
    expect((await call("DELETE", `/v1/posts/${keyPost.id}`, session)).status).toBe(200);
    expect((await patch(workspacePost.id, { text: "taken over" }, key.key)).status).toBe(200);
    expect(await create({}, { token: key.key })).toMatchObject(buildRefusal("key", POST_COST, POST_COST));
  });

  it("only owners can change a key's budget, and the change is in the audit log", async () => {
    const { account } = await openOnX(null);
    const key = await makeKey(account, { scopes: ["read"] });
    expect(key).toMatchObject({ budget_usd: null });
    expect(await change(account, key.id, -1)).toMatchObject({ status: 422, body: { field: "/budget_usd" } });
    expect((await change(account, "key_01kac4cw4z8a4c0e7g3j8m2q6s", 1)).status).toBe(404);
    expect((await change(await signUp(), key.id, 1)).status).toBe(404);
    await change(account, key.id, 2.5);
    const { body } = await call<{ audit: object[] }>("GET", "/v1/audit?act=key.changed", {
      token: account.session,
      headers: { "x-workspace": account.workspace },
    });
    expect(body.audit).toMatchObject([{ target: { id: key.id, name: "one" }, details: { budget_usd: "2.5" } }]);
  });
});

it("a waiting post counts at its approval, which the budget can refuse", async () => {
  const { account, create } = await openOnX(0.05);
  const owner = { token: account.session, headers: { "x-workspace": account.workspace } };
  await call("PATCH", `/v1/workspaces/${account.workspace}`, { token: account.session, body: { approval: "all" } });
  const [firstPost, secondPost] = [(await create()).body, (await create()).body];
  expect(await readUsedUsd(account)).toBe(0);
  const approve = ({ id, rev }: PostBody) => call("POST", `/v1/posts/${id}/approve`, { ...owner, body: { rev } });
  expect((await approve(firstPost)).status).toBe(200);
  expect(await approve(secondPost)).toMatchObject(buildRefusal("workspace", POST_COST, 0.05));
});

it("a budget does not limit posts on free networks", async () => {
  const { account, telegram } = await openOnX(0);
  expect(await post(account.key, { text: "free", channels: [telegram.id] })).toMatchObject({
    deliveries: [{ estimated_cost_usd: null, cost: null }],
  });
});
