// What a month may cost: the budget of a workspace, and that of a key.
import { describe, expect, it } from "vitest";
import { inDays, tomorrowNoon } from "../support/dates.ts";
import { makeKey } from "../support/keys.ts";
import { type Account, type Answer, call, connect, type PostBody, post, signUp } from "../support/world.ts";

/** What a post on X costs, as a workspace without its own `rechecks` has it at noon. */
const ONE = 0.03;
const LINK = "see https://example.com/";

const setBudget = ({ session, workspace }: Account, budget_usd: unknown) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { budget_usd } });
const spending = async ({ key }: Account) =>
  (await call<{ spending: object }>("GET", "/v1/usage", { token: key })).body.spending;
const used = async (account: Account) => ({ used_usd: 0, ...(await spending(account)) }).used_usd;

async function onX(budget: number | null) {
  const account = await signUp();
  const x = await connect(account.key, "x");
  const telegram = await connect(account.key, "telegram");
  expect(await setBudget(account, budget)).toMatchObject({ status: 200, body: { budget_usd: budget } });
  const body = () => ({ text: crypto.randomUUID(), channels: [x.id], publish_at: tomorrowNoon() });
  const create = (more: object = {}, options: { token?: string; headers?: Record<string, string> } = {}) =>
    call<PostBody & { error?: string }>("POST", "/v1/posts", {
      token: account.key,
      ...options,
      body: { ...body(), ...more },
    });
  const patch = (id: string, change: object, token = account.key) =>
    call<PostBody>("PATCH", `/v1/posts/${id}`, { token, body: change });
  return { account, x, telegram, body, create, patch };
}
const refused = (of: "workspace" | "key", usedUsd: number, allowed: number) => ({
  status: 402,
  body: {
    error: "plan_limit",
    limit: "budget",
    budget_of: of,
    used: usedUsd,
    allowed,
    resets_at: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00.000Z$/),
    hint: expect.stringContaining("the month begins again at"),
  },
});
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();

describe("the budget of a workspace", () => {
  it("must be an exact amount and can be set only by an owner", async () => {
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

  it("accepts posts exactly while they fit, in dry runs too", async () => {
    const { account, telegram, create } = await onX(0.09);
    for (let i = 0; i < 3; i++) expect((await create()).status).toBe(201);
    expect(await spending(account)).toEqual({ used_usd: 0.09, allowed_usd: 0.09, remaining_usd: 0 });
    expect(await create()).toMatchObject(refused("workspace", 0.09, 0.09));
    expect(await create({ dry_run: true })).toMatchObject(refused("workspace", 0.09, 0.09));
    expect((await create({ channels: [telegram.id] })).status).toBe(201);
    expect((await create({ draft: true })).status).toBe(201);
    await setBudget(account, null);
    expect((await create()).status).toBe(201);
    expect(await spending(account)).toEqual({ used_usd: 0.12, allowed_usd: null, remaining_usd: null });
  });

  it("of 0 refuses every post that costs money", async () => {
    const { telegram, create } = await onX(0);
    expect(await create()).toMatchObject(refused("workspace", 0, 0));
    expect((await create({ channels: [telegram.id] })).status).toBe(201);
  });

  it("regains the cost of cancelled and withdrawn posts, like the monthly post count", async () => {
    const { account, create, patch } = await onX(ONE);
    const { body } = await create();
    expect(await create()).toMatchObject(refused("workspace", ONE, ONE));
    expect((await call("DELETE", `/v1/posts/${body.id}`, { token: account.key })).status).toBe(200);
    expect(await used(account)).toBe(0);
    const second = (await create()).body;
    expect((await patch(second.id, { draft: true })).status).toBe(200);
    expect(await used(account)).toBe(0);
    const third = (await create()).body;
    expect(await patch(second.id, { draft: false })).toMatchObject(refused("workspace", ONE, ONE));
    await patch(third.id, { draft: true });
    expect((await patch(second.id, { draft: false })).status).toBe(200);
    expect(await used(account)).toBe(ONE);
  });

  it("counts only the cost difference of an edit and accepts every edit that makes a post cheaper", async () => {
    const { account, telegram, create, patch } = await onX(0.1);
    const { body } = await create();
    expect(await patch(body.id, { text: LINK })).toMatchObject(refused("workspace", 0, 0.1));
    expect((await patch(body.id, { text: "other" })).status).toBe(200);
    expect(await used(account)).toBe(ONE);
    await setBudget(account, 0.3);
    expect((await patch(body.id, { text: LINK })).status).toBe(200);
    expect(await used(account)).toBe(0.215);
    await setBudget(account, 0);
    expect((await patch(body.id, { text: "cheaper" })).status).toBe(200);
    expect((await patch(body.id, { publish_at: inDays(2) })).status).toBe(200);
    expect((await patch(body.id, { channels: [telegram.id] })).status).toBe(200);
    expect(await used(account)).toBe(0);
  });

  it("accepts the repeat of an accepted post, whatever remains", async () => {
    const { account, body, create } = await onX(ONE);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const same = body();
    const first = await create(same, { headers });
    expect(first.status).toBe(201);
    await setBudget(account, 0);
    expect(await create(same, { headers })).toMatchObject({ body: { id: first.body.id } });
    expect(await used(account)).toBe(ONE);
  });

  it("never gives its last amount to two posts, releases or edits", async () => {
    const { account, create, patch } = await onX(0.06);
    const drafts = await Promise.all([1, 2, 3].map(async () => (await create({ draft: true })).body.id));
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => create()));
    expect(statuses(made)).toEqual([201, 201, 402, 402, 402]);
    expect(await used(account)).toBe(0.06);
    await setBudget(account, 0.06 + ONE);
    const released = await Promise.all(drafts.map((id) => patch(id, { draft: false })));
    expect(statuses(released)).toEqual([200, 402, 402]);
    expect(await used(account)).toBe(0.09);
  });

  it("applies to imports: either all rows fit, or none is written", async () => {
    const { account, x, body } = await onX(0.06);
    const importRows = (n: number) =>
      call<{ created: number }>("POST", "/v1/posts/import", {
        token: account.key,
        headers: { "content-type": "application/x-ndjson" },
        body: Array.from({ length: n }, () => JSON.stringify({ ...body(), channels: [x.id] })).join("\n"),
      });
    expect(await importRows(3)).toMatchObject(refused("workspace", 0, 0.06));
    expect(await used(account)).toBe(0);
    expect(await importRows(2)).toMatchObject({ status: 200, body: { created: 2 } });
    expect(await used(account)).toBe(0.06);
    await setBudget(account, 0.15);
    const imports = await Promise.all([importRows(3), importRows(3)]);
    expect(await used(account)).toBe(0.15);
    const written = imports.map(({ body: { created } }) => created ?? 0);
    expect(written.sort()).toEqual([0, 3]);
  });
});

describe("the budget of a key", () => {
  const change = ({ session, workspace }: Account, key: string, budget_usd: unknown) =>
    call("PATCH", `/v1/workspaces/${workspace}/keys/${key}`, { token: session, body: { budget_usd } });

  it("counts posts that the key schedules, in addition to the workspace's budget", async () => {
    const { account, create } = await onX(0.12);
    const key = await makeKey(account, { scopes: ["read", "draft", "publish"], budget_usd: 0.06 });
    expect(key).toMatchObject({ budget_usd: 0.06 });
    for (let i = 0; i < 2; i++) expect((await create({}, { token: key.key })).status).toBe(201);
    expect(await create({}, { token: key.key })).toMatchObject(refused("key", 0.06, 0.06));
    expect((await create()).status).toBe(201);
    expect(await change(account, key.id, 1)).toMatchObject({ status: 200, body: { id: key.id, budget_usd: 1 } });
    expect((await create({}, { token: key.key })).status).toBe(201);
    expect(await create({}, { token: key.key })).toMatchObject(refused("workspace", 0.12, 0.12));
    const listed = await call("GET", `/v1/workspaces/${account.workspace}/keys`, { token: account.session });
    expect(listed.body).toMatchObject({ keys: [{ budget_usd: 1 }] });
  });

  it("covers posts that the key changes, even after a person changes them again", async () => {
    const { account, create, patch } = await onX(null);
    const key = await makeKey(account, { scopes: ["read", "draft", "publish"], budget_usd: ONE });
    const theirs = (await create()).body;
    const own = (await create({}, { token: key.key })).body;
    expect(await patch(theirs.id, { text: "taken over" }, key.key)).toMatchObject(refused("key", ONE, ONE));
    expect((await patch(own.id, { text: "changed" }, key.key)).status).toBe(200);
    const session = { token: account.session, headers: { "x-workspace": account.workspace } };
    await call("PATCH", `/v1/posts/${own.id}`, { ...session, body: { text: "by a person" } });
    expect(await create({}, { token: key.key })).toMatchObject(refused("key", ONE, ONE));
    expect((await call("DELETE", `/v1/posts/${own.id}`, session)).status).toBe(200);
    expect((await patch(theirs.id, { text: "taken over" }, key.key)).status).toBe(200);
    expect(await create({}, { token: key.key })).toMatchObject(refused("key", ONE, ONE));
  });

  it("can be changed only by owners for valid keys, and the change is recorded", async () => {
    const { account } = await onX(null);
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

it("counts a waiting post at its approval, which can fail because of the budget", async () => {
  const { account, create } = await onX(0.05);
  const owner = { token: account.session, headers: { "x-workspace": account.workspace } };
  await call("PATCH", `/v1/workspaces/${account.workspace}`, { token: account.session, body: { approval: "all" } });
  const [one, other] = [(await create()).body, (await create()).body];
  expect(await used(account)).toBe(0);
  const approve = ({ id, rev }: PostBody) => call("POST", `/v1/posts/${id}/approve`, { ...owner, body: { rev } });
  expect((await approve(one)).status).toBe(200);
  expect(await approve(other)).toMatchObject(refused("workspace", ONE, 0.05));
});

it("does not limit posts on free networks", async () => {
  const { account, telegram } = await onX(0);
  expect(await post(account.key, { text: "free", channels: [telegram.id] })).toMatchObject({
    deliveries: [{ estimated_cost_usd: null, cost: null }],
  });
});
