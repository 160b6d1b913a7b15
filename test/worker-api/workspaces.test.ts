import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { noteKeySeen } from "../../src/store/accounts/workspaces.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { mailsTo } from "../support/mails.ts";
import { call, connect, post, signUp, unique, uploadImage } from "../support/world.ts";

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const setPlan = (workspace: string, plan: string) =>
  testEnv.DB.prepare("UPDATE workspaces SET plan = ? WHERE id = ?").bind(plan, workspace).run();

describe("workspaces", () => {
  it("are as many as the plan allows, inherit it, and each has its own key", async () => {
    const { session, workspace } = await signUp();
    await setPlan(workspace, "pro");
    const create = (name: string) =>
      call<{ id: string }>("POST", "/v1/workspaces", { token: session, body: { name, timezone: "Europe/Berlin" } });
    const made = await Promise.all(["a", "b", "c", "d", "e", "f"].map(create));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 402, 402]);
    const [first] = made.filter(({ status }) => status === 201);
    expect(first?.body).toMatchObject({ plan: "pro", timezone: "Europe/Berlin", role: "owner" });
    expect(made.find(({ status }) => status === 402)?.body).toMatchObject({
      error: "plan_limit",
      limit: "workspaces",
      plan: "pro",
      used: 5,
      allowed: 5,
    });
    expect((await call("GET", "/v1/workspaces/allowance", { token: session })).body).toEqual({
      held: 5,
      allowed: 5,
      plan: "pro",
    });
    const key = await call<{ key: string }>("GET", `/v1/workspaces/${first?.body.id}/key`, { token: session });
    expect((await call("GET", "/v1/workspace", { token: key.body.key })).body).toMatchObject({ id: first?.body.id });
  });

  it("are not made by a key", async () => {
    const { key } = await signUp();
    expect(await call("POST", "/v1/workspaces", { token: key, body: { name: "x" } })).toMatchObject({
      status: 403,
      body: { error: "key_not_allowed" },
    });
  });

  it.each(["Mars/X", "", "+02:00", "europe/nowhere"])("refuse the zone %j", async (timezone) => {
    const { key } = await signUp();
    const answer = await call("PATCH", "/v1/workspace", { token: key, body: { timezone } });
    expect(answer).toMatchObject({ status: 422, body: { error: "timezone_unknown", field: "/timezone" } });
  });

  it("change their clock without moving what is queued", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const day = tomorrow().slice(0, 10);
    const before = await post(key, { text: "x", channels: [channel.id], publish_at: `${day}T23:00` });
    const changed = await call("PATCH", "/v1/workspace", { token: key, body: { timezone: "America/New_York" } });
    expect(changed).toMatchObject({ status: 200, body: { timezone: "America/New_York" } });
    expect((await call("GET", `/v1/posts/${before.id}`, { token: key })).body).toMatchObject({
      publish_at: `${day}T23:00:00.000Z`,
      timezone: "UTC",
    });
  });
});

describe("the workspace key", () => {
  it("is dead on the very next request after its rotation, and says why", async () => {
    const { session, workspace, key } = await signUp();
    const rotated = await call<{ key: string }>("POST", `/v1/workspaces/${workspace}/key/rotate`, { token: session });
    expect(rotated.status).toBe(200);
    expect(await call("GET", "/v1/workspace", { token: key })).toMatchObject({
      status: 401,
      body: { error: "key_revoked" },
    });
    expect((await call("GET", "/v1/workspace", { token: rotated.body.key })).status).toBe(200);
    const revealed = await call<{ key: string }>("GET", `/v1/workspaces/${workspace}/key`, { token: session });
    expect(revealed.body.key).toBe(rotated.body.key);
    const left = await testEnv.DB.prepare(
      "SELECT COUNT(*) AS n FROM workspace_keys WHERE workspace_id = ? AND sealed IS NOT NULL",
    )
      .bind(workspace)
      .first("n");
    expect(left).toBe(1);
  });

  it("survives ten rotations at once as exactly one", async () => {
    const { session, workspace } = await signUp();
    const rotate = () => call<{ key: string }>("POST", `/v1/workspaces/${workspace}/key/rotate`, { token: session });
    const keys = (await Promise.all(Array.from({ length: 10 }, rotate))).map(({ body }) => body.key);
    const alive = await Promise.all(
      keys.map(async (key) => (await call("GET", "/v1/workspace", { token: key })).status === 200),
    );
    expect(alive.filter(Boolean)).toHaveLength(1);
  });
});

describe("a member who has seen the key", () => {
  const removed = async (leaves: boolean, what: { sees: boolean; rotates?: "owner" | "member" }) => {
    const [owner, member] = [await signUp(), await signUp()];
    const path = `/v1/workspaces/${owner.workspace}`;
    await call("POST", `${path}/members`, { token: owner.session, body: { email: member.email } });
    const { user } = (await call<{ user: { id: string } }>("GET", "/v1/auth/me", { token: member.session })).body;
    if (what.sees) expect((await call("GET", `${path}/key`, { token: member.session })).status).toBe(200);
    if (what.rotates !== undefined) {
      const { session } = what.rotates === "owner" ? owner : member;
      expect((await call("POST", `${path}/key/rotate`, { token: session })).status).toBe(200);
    }
    const { session } = leaves ? member : owner;
    const answer = await call("DELETE", `${path}/members/${user.id}`, { token: session });
    return { owner, answer };
  };

  it("is told of to the owner who removes them, so that the key can be replaced", async () => {
    const { answer } = await removed(false, { sees: true });
    expect(answer).toMatchObject({
      status: 200,
      body: { key_seen: true, hint: expect.stringContaining("key/rotate") },
    });
    expect((await removed(false, { sees: false, rotates: "member" })).answer.status).toBe(200);
  });

  it("is like any other once the key was replaced, and so is who never saw it", async () => {
    expect((await removed(false, { sees: true, rotates: "owner" })).answer.status).toBe(204);
    expect((await removed(false, { sees: false })).answer.status).toBe(204);
  });

  it("and leaves by themselves is told of to the owner by mail", async () => {
    const { owner, answer } = await removed(true, { sees: true });
    expect(answer.status).toBe(204);
    const [mail] = await mailsTo(owner.email, 1);
    expect(mail?.text).toContain("They have seen the workspace key");
    await mailsTo((await removed(true, { sees: false })).owner.email, 0);
  });

  it("is not shown it when they are removed meanwhile", async () => {
    const [owner, stranger] = [await signUp(), await signUp()];
    const me = await call<{ user: { id: string } }>("GET", "/v1/auth/me", { token: stranger.session });
    const ctx = compose(testEnv, () => {});
    const seen = { workspaceId: owner.workspace, id: unique("evt"), userId: me.body.user.id, keyId: "key_1" };
    expect(await noteKeySeen(ctx.accounts, { ...seen, act: "key.revealed" })).toBe(false);
  });
});

describe("members", () => {
  it("act in the workspace from the moment they are added until they are removed", async () => {
    const [owner, member] = [await signUp(), await signUp()];
    const path = `/v1/workspaces/${owner.workspace}/members`;
    const asMember = () =>
      call("GET", "/v1/channels", { token: member.session, headers: { "x-workspace": owner.workspace } });
    expect((await asMember()).status).toBe(403);
    const added = await call<{ id: string }>("POST", path, {
      token: owner.session,
      body: { email: member.email.toUpperCase() },
    });
    expect(added).toMatchObject({ status: 201, body: { email: member.email, role: "member" } });
    expect((await call("POST", path, { token: owner.session, body: { email: member.email } })).status).toBe(200);
    expect((await asMember()).status).toBe(200);
    expect((await call<{ members: object[] }>("GET", path, { token: member.session })).body.members).toHaveLength(2);
    expect(await call("POST", path, { token: member.session, body: { email: owner.email } })).toMatchObject({
      status: 403,
      body: { error: "not_the_owner" },
    });
    expect((await call("DELETE", `${path}/${added.body.id}`, { token: owner.session })).status).toBe(204);
    expect((await asMember()).status).toBe(403);
    expect(await call("POST", path, { token: owner.session, body: { email: "nobody@example.com" } })).toMatchObject({
      status: 404,
    });
  });
});

describe("erasing an account", () => {
  it("takes the workspaces that nobody else has with everything in them, and leaves shared ones to their heir", async () => {
    const [leaving, heir] = [await signUp(), await signUp()];
    const channel = await connect(leaving.key, "telegram");
    const image = await uploadImage(leaving);
    await post(
      leaving.key,
      { text: "x", media: [image.id], channels: [channel.id], publish_at: tomorrow() },
      { "idempotency-key": "k" },
    );
    const shared = await call<{ id: string }>("POST", "/v1/workspaces", {
      token: leaving.session,
      body: { name: "shared" },
    });
    await call("POST", `/v1/workspaces/${shared.body.id}/members`, {
      token: leaving.session,
      body: { email: heir.email },
    });

    expect((await call("DELETE", "/v1/auth/me", { token: leaving.session })).status).toBe(204);
    expect((await call("GET", "/v1/auth/me", { token: leaving.session })).status).toBe(401);
    expect((await call("GET", "/v1/workspace", { token: leaving.key })).status).toBe(401);
    expect(
      (await call("POST", "/v1/auth/login", { body: { email: leaving.email, password: leaving.password } })).status,
    ).toBe(401);
    const me = await call<{ workspaces: object[] }>("GET", "/v1/auth/me", { token: heir.session });
    expect(me.body.workspaces).toContainEqual(expect.objectContaining({ id: shared.body.id, role: "owner" }));

    const tables = await testEnv.DB.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%workspace_id%'",
    ).all<{ name: string }>();
    for (const { name } of tables.results.filter(({ name }) => name !== "clearances")) {
      const left = await testEnv.DB.prepare(`SELECT COUNT(*) AS n FROM ${name} WHERE workspace_id = ?`)
        .bind(leaving.workspace)
        .first("n");
      expect(left, name).toBe(0);
    }
    await eventually(async () => {
      expect((await testEnv.MEDIA?.list({ prefix: `m/${leaving.workspace}/` }))?.objects).toEqual([]);
      const left = await runInDurableObject(
        testEnv.PUBLISHER.getByName(`${leaving.workspace}:0`),
        async (_, { storage }) => [await storage.getAlarm(), ...(await storage.list()).keys()],
      );
      expect(left).toEqual([null]);
      // What is left is the note that it is cleared once more, when nothing can be uploaded to it any more.
      const clearances = await testEnv.DB.prepare(
        "SELECT COUNT(*) AS n FROM clearances WHERE workspace_id = ? AND next_at < since",
      )
        .bind(leaving.workspace)
        .first("n");
      expect(clearances).toBe(0);
    });
  });
});

describe("usage and connector requests", () => {
  it("usage counts what was accepted and staged, against the plan", async () => {
    const account = await signUp();
    await setPlan(account.workspace, "free");
    const channel = await connect(account.key, "telegram");
    const image = await uploadImage(account);
    await post(account.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    await post(account.key, { text: "draft", draft: true });
    const month = new Date().toISOString().slice(0, 7);
    expect((await call("GET", "/v1/usage", { token: account.key })).body).toEqual({
      period: { from: `${month}-01T00:00:00.000Z`, to: expect.stringMatching(/-01T00:00:00\.000Z$/) },
      plan: "free",
      posts: { used: 1, allowed: 30, remaining: 29 },
      media_bytes: { used: image.bytes, allowed: 1_073_741_824, remaining: 1_073_741_824 - image.bytes },
      drafts: { used: 1, allowed: 100, remaining: 99 },
      draft_bytes: { used: 21, allowed: 5_242_880, remaining: 5_242_859 },
      uploads: { available: true },
    });
  });

  it("a demand is recorded once, and only for what cannot be connected", async () => {
    const { key } = await signUp();
    const ask = (platform: string) => call("POST", "/v1/connector-requests", { token: key, body: { platform } });
    const first = await ask("discord");
    expect(first).toMatchObject({ status: 201, body: { platform: "discord" } });
    expect(await ask("discord")).toMatchObject({ status: 200, body: first.body });
    expect(await ask("bluesky")).toMatchObject({
      status: 422,
      body: { error: "unknown_platform", field: "/platform" },
    });
    expect((await call("GET", "/v1/connector-requests", { token: key })).body).toEqual({
      connector_requests: [first.body],
      next: null,
    });
  });
});
