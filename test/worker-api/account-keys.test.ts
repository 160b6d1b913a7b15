// Account keys: their creation, what they may do in the workspaces that their creator owns, and the events that end them.
import { describe, expect, it } from "vitest";
import { ACCOUNT_SCOPES, type AccountScope } from "../../src/domain/account-scopes.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { challengeIn, prove, showCode, signUpProtected } from "../support/factors.ts";
import { makeAccountKey } from "../support/keys.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { join } from "../support/members.ts";
import { type Account, call, signUp } from "../support/world.ts";

const DEAD = { status: 401, body: { error: "key_revoked" } };
const listKeys = ({ session }: Pick<Account, "session">) =>
  call<{ keys: object[] }>("GET", "/v1/auth/keys", { token: session });
const listWorkspaces = (token: string) =>
  call<{ workspaces: { id: string; name: string }[] }>("GET", "/v1/workspaces", { token });
const inWorkspace = (token: string, workspace: string) => ({ token, headers: { "x-workspace": workspace } });
const create = (owner: Pick<Account, "session" | "password">, body: object) =>
  call("POST", "/v1/auth/keys", {
    token: owner.session,
    body: { name: "Our platform", scopes: ["read"], password: owner.password, ...body },
  });

describe("the creation of an account key", () => {
  it("shows the key once, stores its hash, and tells its creator by mail", async () => {
    const owner = await signUp();
    const created = await makeAccountKey(owner, ["read", "workspaces", "read"]);
    expect(created).toMatchObject({ name: "Our platform", scopes: ["workspaces", "read"], expires_at: null });
    expect(created.id).toMatch(/^akey_/);
    expect(created.key).toMatch(/^crier_acct_\w{49}$/);
    expect(created.key.startsWith(created.start)).toBe(true);
    const { key: _key, ...listed } = created;
    expect((await listKeys(owner)).body).toEqual({ keys: [listed], next: null });
    const rows = await testEnv.DB.prepare("SELECT * FROM account_keys WHERE id = ?").bind(created.id).all();
    expect(JSON.stringify(rows.results)).not.toContain(created.key.slice(20));
    expect((await mailsTo(owner.email, 1))[0]?.text).toContain('The account key "Our platform" was created');
  });

  it.each([
    [{ password: "not the password" }, "current_password_wrong", "/password"],
    [{ scopes: [] }, "invalid_field", "/scopes"],
    [{ scopes: ["publish"] }, "invalid_field", "/scopes/0"],
    [{ name: "" }, "invalid_field", "/name"],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "invalid_field", "/expires_at"],
    [{ channels: ["ch_1"] }, "unknown_field", "/channels"],
  ])("refuses %j, and names the field", async (body, error, field) => {
    const owner = await signUp();
    expect(await create(owner, body)).toMatchObject({ status: 422, body: { error, field } });
    expect((await listKeys(owner)).body.keys).toEqual([]);
  });

  it("asks a person with a second factor to show it", async () => {
    const owner = await signUpProtected();
    const asked = await create(owner, {});
    expect((await prove(owner.session, challengeIn(asked), { code: await showCode(owner.factor) })).status).toBe(204);
    expect((await create(owner, {})).status).toBe(201);
  });

  it("refuses the twenty-first key, and other people neither see nor revoke a key", async () => {
    const [owner, stranger] = [await signUp(), await signUp()];
    const { id } = await makeAccountKey(owner, ["read"]);
    expect((await listKeys(stranger)).body.keys).toEqual([]);
    expect((await call("DELETE", `/v1/auth/keys/${id}`, { token: stranger.session })).status).toBe(404);
    for (let i = 1; i < 20; i++) await makeAccountKey(owner, ["read"]);
    expect(await create(owner, {})).toMatchObject({ status: 422, body: { error: "too_many_keys" } });
  });

  it.each(["a workspace key", "an account key"])("is refused to %s", async (kind) => {
    const owner = await signUp();
    const token = kind === "a workspace key" ? owner.key : (await makeAccountKey(owner, ACCOUNT_SCOPES)).key;
    expect(await create({ ...owner, session: token }, {})).toMatchObject({
      status: 403,
      body: { error: "key_not_allowed" },
    });
  });
});

describe("an account key", () => {
  it("creates, lists, renames and deletes workspaces, and the audit log names the key", async () => {
    const owner = await signUp();
    const { id, key } = await makeAccountKey(owner, ["workspaces"]);
    const made = await call<{ id: string }>("POST", "/v1/workspaces", { token: key, body: { name: "Customer 1" } });
    expect(made).toMatchObject({ status: 201, body: { name: "Customer 1" } });
    expect(made.body).not.toHaveProperty("role");
    expect((await listWorkspaces(key)).body.workspaces.map(({ name }) => name)).toEqual([
      "Customer 1",
      "Ada's workspace",
    ]);
    const path = `/v1/workspaces/${made.body.id}`;
    expect(await call("PATCH", path, { token: key, body: { name: "Customer One" } })).toMatchObject({
      status: 200,
      body: { name: "Customer One" },
    });
    const zone = { ...inWorkspace(key, made.body.id), body: { timezone: "Europe/Berlin" } };
    expect(await call("PATCH", "/v1/workspace", zone)).toMatchObject({ body: { timezone: "Europe/Berlin" } });
    const log = await call<{ audit: object[] }>("GET", "/v1/audit", inWorkspace(owner.session, made.body.id));
    expect(log.body.audit).toMatchObject(
      ["workspace.changed", "workspace.changed", "workspace.created"].map((act) => ({
        act,
        actor: { kind: "key", id, name: "Our platform" },
      })),
    );
    expect((await call("DELETE", path, { token: key, body: { name: "Customer One" } })).status).toBe(204);
    expect((await listWorkspaces(key)).body.workspaces.map(({ id }) => id)).toEqual([owner.workspace]);
  });

  it.each(["approval", "four_eyes", "require_factor"])("cannot change %s, which people have set", async (setting) => {
    const owner = await signUp();
    const { key } = await makeAccountKey(owner, ACCOUNT_SCOPES);
    const body = { [setting]: setting === "approval" ? "all" : true };
    expect(await call("PATCH", `/v1/workspaces/${owner.workspace}`, { token: key, body })).toMatchObject({
      status: 403,
      body: { error: "key_not_allowed", field: `/${setting}` },
    });
  });

  it("reveals, creates and revokes keys of its owner's workspaces, which a workspace key cannot", async () => {
    const owner = await signUp();
    const { key } = await makeAccountKey(owner, ["keys"]);
    const path = `/v1/workspaces/${owner.workspace}`;
    expect((await call("GET", `${path}/key`, { token: key })).body).toMatchObject({ key: owner.key });
    const body = { name: "The assistant", scopes: ["read"] };
    const named = await call<{ id: string; key: string }>("POST", `${path}/keys`, { token: key, body });
    expect((await call("GET", "/v1/posts", { token: named.body.key })).status).toBe(200);
    expect((await call("DELETE", `${path}/keys/${named.body.id}`, { token: key })).status).toBe(204);
    expect(await call("GET", "/v1/posts", { token: named.body.key })).toMatchObject(DEAD);
    expect((await call("POST", `${path}/key/rotate`, { token: key })).status).toBe(200);
    expect(await call("POST", "/v1/workspaces", { token: owner.key, body: { name: "x" } })).toMatchObject(DEAD);
  });

  it("reads posts and hides what only those see who may manage a workspace", async () => {
    const owner = await signUp();
    const { key } = await makeAccountKey(owner, ["read"]);
    await call("POST", "/v1/webhooks", {
      token: owner.key,
      body: { url: "https://hooks.example.com/secret-path", events: ["delivery.failed"] },
    });
    expect((await call("GET", "/v1/posts", inWorkspace(key, owner.workspace))).body).toMatchObject({ posts: [] });
    const webhooks = await call("GET", "/v1/webhooks", inWorkspace(key, owner.workspace));
    expect(JSON.stringify(webhooks.body)).not.toContain("secret-path");
  });

  it("acts only where its creator is an owner, and only while they are", async () => {
    const [owner, person] = [await signUp(), await signUp()];
    const userId = await join(owner, person, "publisher");
    const { key } = await makeAccountKey(person, ["read"]);
    const read = () => call("GET", "/v1/posts", inWorkspace(key, owner.workspace));
    const setRole = (role: string) =>
      call("PATCH", `/v1/workspaces/${owner.workspace}/members/${userId}`, { token: owner.session, body: { role } });
    const refused = { status: 403, body: { error: "not_a_member" } };
    expect(await read()).toMatchObject(refused);
    expect((await listWorkspaces(key)).body.workspaces.map(({ id }) => id)).toEqual([person.workspace]);
    await setRole("owner");
    expect((await read()).status).toBe(200);
    await setRole("publisher");
    expect(await read()).toMatchObject(refused);
  });

  it("does not open MCP", async () => {
    const { key } = await makeAccountKey(await signUp(), ACCOUNT_SCOPES);
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const headers = { accept: "application/json, text/event-stream" };
    expect((await call("POST", "/mcp", { token: key, body, headers })).status).toBe(401);
  });
});

describe("the end of an account key", () => {
  const use = (key: string, scope: AccountScope = "read") =>
    scope === "read" ? listWorkspaces(key) : call("GET", "/v1/workspaces/allowance", { token: key });

  it("comes when it is revoked, which works once", async () => {
    const owner = await signUp();
    const { id, key } = await makeAccountKey(owner, ["read"]);
    expect((await use(key)).status).toBe(200);
    const revoke = () => call("DELETE", `/v1/auth/keys/${id}`, { token: owner.session });
    expect((await revoke()).status).toBe(204);
    expect(await use(key)).toMatchObject(DEAD);
    expect((await revoke()).status).toBe(404);
    expect((await listKeys(owner)).body.keys).toEqual([]);
  });

  it("comes when it expires", async () => {
    const owner = await signUp();
    const { id, key } = await makeAccountKey(owner, ["workspaces"], { expires_at: tomorrow() });
    expect((await use(key, "workspaces")).status).toBe(200);
    await testEnv.DB.prepare("UPDATE account_keys SET expires_at = 1 WHERE id = ?").bind(id).run();
    expect(await use(key, "workspaces")).toMatchObject({ ...DEAD, body: { message: "This account key has expired." } });
  });

  it("comes with the account, of which no row stays", async () => {
    const owner = await signUp();
    const { key } = await makeAccountKey(owner, ["read"]);
    expect((await call("DELETE", "/v1/auth/me", { token: owner.session })).status).toBe(204);
    expect((await use(key)).status).toBe(401);
  });

  it("comes when another person proves the address of an account that was never verified", async () => {
    const owner = await signUp();
    const { key } = await makeAccountKey(owner, ["read"]);
    await call("POST", "/v1/auth/forgot", { body: { email: owner.email } });
    const token = tokenIn((await mailsTo(owner.email, 2)).at(-1));
    await call("POST", "/v1/auth/reset", { body: { token, password: "a better horse battery" } });
    expect(await use(key)).toMatchObject(DEAD);
  });
});
