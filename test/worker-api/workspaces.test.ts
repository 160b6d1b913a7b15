import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { openAccessToken } from "../../src/operations/oauth/open-access-token.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { mailsTo } from "../support/mails.ts";
import { join } from "../support/members.ts";
import { register, tokensFor } from "../support/oauth.ts";
import { type Account, call, connect, ledger, post, signUp, unique, uploadImage } from "../support/world.ts";

const setPlan = (workspace: string, plan: string) =>
  testEnv.DB.prepare("UPDATE workspaces SET plan = ? WHERE id = ?").bind(plan, workspace).run();

describe("workspaces", () => {
  it("a person can create as many workspaces as the plan allows, and each has that plan and its own key", async () => {
    const { session, workspace } = await signUp();
    await setPlan(workspace, "pro");
    const create = (name: string) =>
      call<{ id: string }>("POST", "/v1/workspaces", { token: session, body: { name, timezone: "Europe/Berlin" } });
    const answers = await Promise.all(["a", "b", "c", "d", "e", "f"].map(create));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 402, 402]);
    const [first] = answers.filter(({ status }) => status === 201);
    expect(first?.body).toMatchObject({ plan: "pro", timezone: "Europe/Berlin", role: "owner" });
    expect(answers.find(({ status }) => status === 402)?.body).toMatchObject({
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

  it("a key cannot create a workspace", async () => {
    const { key } = await signUp();
    expect(await call("POST", "/v1/workspaces", { token: key, body: { name: "x" } })).toMatchObject({
      status: 403,
      body: { error: "key_not_allowed" },
    });
  });

  it.each(["Mars/X", "", "+02:00", "europe/nowhere"])("the time zone %j is refused", async (timezone) => {
    const { key } = await signUp();
    const answer = await call("PATCH", "/v1/workspace", { token: key, body: { timezone } });
    expect(answer).toMatchObject({ status: 422, body: { error: "timezone_unknown", field: "/timezone" } });
  });

  it("a new time zone does not move scheduled posts", async () => {
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
  it("a rotated key is refused in the next request, with the reason", async () => {
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
    const sealedKeys = await testEnv.DB.prepare(
      "SELECT COUNT(*) AS n FROM workspace_keys WHERE workspace_id = ? AND sealed IS NOT NULL",
    )
      .bind(workspace)
      .first("n");
    expect(sealedKeys).toBe(1);
  });

  it("ten simultaneous rotations leave exactly one valid key", async () => {
    const { session, workspace } = await signUp();
    const rotate = () => call<{ key: string }>("POST", `/v1/workspaces/${workspace}/key/rotate`, { token: session });
    const keys = (await Promise.all(Array.from({ length: 10 }, rotate))).map(({ body }) => body.key);
    const alive = await Promise.all(
      keys.map(async (key) => (await call("GET", "/v1/workspace", { token: key })).status === 200),
    );
    expect(alive.filter(Boolean)).toHaveLength(1);
  });
});

describe("the name of a workspace", () => {
  it("the name of a workspace can be changed only by an owner", async () => {
    const [owner, publisher] = [await signUp(), await signUp()];
    await join(owner, publisher, "publisher");
    const path = `/v1/workspaces/${owner.workspace}`;
    const rename = (token: string, body: object) => call("PATCH", path, { token, body });
    expect(await rename(owner.session, { name: "Engines" })).toMatchObject({
      status: 200,
      body: { id: owner.workspace, name: "Engines", role: "owner" },
    });
    expect(await rename(owner.session, {})).toMatchObject({ status: 200, body: { name: "Engines" } });
    for (const name of ["", " ", "a\nb", "x".repeat(201), 5]) {
      expect(await rename(owner.session, { name })).toMatchObject({ status: 422, body: { field: "/name" } });
    }
    expect(await rename(owner.session, { plan: "pro" })).toMatchObject({ body: { error: "unknown_field" } });
    expect(await rename(publisher.session, { name: "x" })).toMatchObject({ body: { error: "role_missing" } });
    expect(await rename(owner.key, { name: "x" })).toMatchObject({ status: 403, body: { error: "key_not_allowed" } });
  });
});

describe("deleting a workspace", () => {
  const createWorkspace = async (owner: Account, name: string) =>
    (await call<{ id: string }>("POST", "/v1/workspaces", { token: owner.session, body: { name } })).body.id;
  const remove = ({ session }: Account, id: string, name: string) =>
    call("DELETE", `/v1/workspaces/${id}`, { token: session, body: { name } });

  it("deleting a workspace removes everything in it, stops scheduled posts and informs each member", async () => {
    const [owner, viewer] = [await signUp(), await signUp()];
    const id = await createWorkspace(owner, "Engines");
    const key = (await call<{ key: string }>("GET", `/v1/workspaces/${id}/key`, { token: owner.session })).body.key;
    const inWorkspace = { ...owner, workspace: id, key };
    await join(inWorkspace, viewer, "viewer");
    const account = unique("acct");
    const channel = await connect(key, "telegram", account);
    const image = await uploadImage(inWorkspace);
    await post(key, { text: "x", media: [image.id], channels: [channel.id], publish_at: tomorrow() });
    await call("POST", "/v1/webhooks", { token: key, body: { url: "https://listener.example.com/hook" } });
    const client = await register();
    const { access_token } = await tokensFor(owner, client, id);

    expect(await remove(owner, id, "engines")).toMatchObject({
      status: 422,
      body: { error: "invalid_field", field: "/name" },
    });
    expect(await remove(viewer, id, "Engines")).toMatchObject({ body: { error: "role_missing", role: "owner" } });
    expect(await remove(owner, id, "Engines")).toMatchObject({ status: 204 });

    await expectGone(id);
    expect((await call("GET", "/v1/channels", { token: key })).status).toBe(401);
    expect(
      await openAccessToken(
        compose(testEnv, () => {}),
        access_token,
      ),
    ).toBeNull();
    expect(await remove(owner, id, "Engines")).toMatchObject({ status: 403, body: { error: "not_a_member" } });
    for (const { email } of [owner, viewer]) {
      const mails = await mailsTo(email, email === viewer.email ? 2 : 1);
      expect(mails.at(-1)?.text).toContain("Deliveries that will not be sent: 1.");
    }
    expect(await ledger(account)).toEqual([]);
    const me = await call<{ workspaces: { id: string }[] }>("GET", "/v1/auth/me", { token: owner.session });
    expect(me.body.workspaces.map(({ id }) => id)).toEqual([owner.workspace]);
  });

  it("an owner keeps one workspace, even if they delete all of them at once", async () => {
    const owner = await signUp();
    const name = "Ada's workspace";
    const last = { status: 409, body: { error: "last_workspace" } };
    expect(await remove(owner, owner.workspace, name)).toMatchObject(last);
    const ids = [owner.workspace, await createWorkspace(owner, name), await createWorkspace(owner, name)];
    const answers = await Promise.all(ids.map((id) => remove(owner, id, name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 409]);
    const me = await call<{ workspaces: object[] }>("GET", "/v1/auth/me", { token: owner.session });
    expect(me.body.workspaces).toHaveLength(1);
  });
});

/** Expects that no row, no file and no alarm of a workspace is left. */
async function expectGone(workspace: string): Promise<void> {
  const tables = await testEnv.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%workspace_id%'",
  ).all<{ name: string }>();
  for (const { name } of tables.results.filter(({ name }) => name !== "clearances")) {
    const remainingRows = await testEnv.DB.prepare(`SELECT COUNT(*) AS n FROM ${name} WHERE workspace_id = ?`)
      .bind(workspace)
      .first("n");
    expect(remainingRows, name).toBe(0);
  }
  await eventually(async () => {
    expect((await testEnv.MEDIA?.list({ prefix: `m/${workspace}/` }))?.objects).toEqual([]);
    const objectState = await runInDurableObject(
      testEnv.PUBLISHER.getByName(`${workspace}:0`),
      async (_, { storage }) => [await storage.getAlarm(), ...(await storage.list()).keys()],
    );
    expect(objectState).toEqual([null]);
    // The remaining row makes the workspace be cleared once more, when nothing can be uploaded to it any more.
    const clearances = await testEnv.DB.prepare(
      "SELECT COUNT(*) AS n FROM clearances WHERE workspace_id = ? AND next_at < since",
    )
      .bind(workspace)
      .first("n");
    expect(clearances).toBe(0);
  });
}

describe("erasing an account", () => {
  it("erasing an account removes the workspaces without another member, and leaves shared ones to the named heir", async () => {
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
    const heirId = await join({ session: leaving.session, workspace: shared.body.id }, heir);

    const body = { heirs: { [shared.body.id]: heirId } };
    expect((await call("DELETE", "/v1/auth/me", { token: leaving.session, body })).status).toBe(204);
    expect((await call("GET", "/v1/auth/me", { token: leaving.session })).status).toBe(401);
    expect((await call("GET", "/v1/workspace", { token: leaving.key })).status).toBe(401);
    expect(
      (await call("POST", "/v1/auth/login", { body: { email: leaving.email, password: leaving.password } })).status,
    ).toBe(401);
    const me = await call<{ workspaces: object[] }>("GET", "/v1/auth/me", { token: heir.session });
    expect(me.body.workspaces).toContainEqual(expect.objectContaining({ id: shared.body.id, role: "owner" }));

    await expectGone(leaving.workspace);
  });
});

describe("usage and connector requests", () => {
  it("usage counts accepted posts and stored bytes against the plan", async () => {
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
      spending: { used_usd: 0, allowed_usd: null, remaining_usd: null },
    });
  });

  it("a requested connector is recorded once, and only for a network that cannot be connected", async () => {
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
