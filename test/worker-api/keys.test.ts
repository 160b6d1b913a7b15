// Named keys: their creation, and the events that end them.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { makeKey, revoke } from "../support/keys.ts";
import { getUserId, join } from "../support/members.ts";
import { type Account, call, connect, signUp } from "../support/world.ts";

const listKeys = ({ session, workspace }: Account) =>
  call<{ keys: object[]; next: string | null }>("GET", `/v1/workspaces/${workspace}/keys`, { token: session });
const DEAD = { status: 401, body: { error: "key_revoked" } };

describe("a named key", () => {
  it("a named key is shown once, listed without its secret and stored as a hash", async () => {
    const owner = await signUp();
    const created = await makeKey(owner, { name: "The assistant", scopes: ["draft", "read", "draft"] });
    expect(created).toMatchObject({
      name: "The assistant",
      scopes: ["read", "draft"],
      channels: null,
      created_by: await getUserId(owner),
      last_used_at: null,
      expires_at: null,
    });
    expect(created.key).toMatch(/^crier_live_\w{49}$/);
    expect(created.key.startsWith(created.start)).toBe(true);
    const { key: _key, ...listed } = created;
    expect((await listKeys(owner)).body).toEqual({ keys: [listed], next: null });
    const rows = await testEnv.DB.prepare("SELECT * FROM named_keys WHERE workspace_id = ?")
      .bind(owner.workspace)
      .all();
    expect(JSON.stringify(rows.results)).not.toContain(created.key.slice(20));
  });

  it.each([
    [{ scopes: [] }, "/scopes"],
    [{ scopes: ["write"] }, "/scopes/0"],
    [{ scopes: ["read"], name: "" }, "/name"],
    [{ scopes: ["read"], channels: [] }, "/channels"],
    [{ scopes: ["read"], channels: ["ch_none"] }, "/channels/0"],
    [{ scopes: ["read"], expires_at: "2020-01-01T00:00:00Z" }, "/expires_at"],
    [{ scopes: ["read"], expires_at: "tomorrow" }, "/expires_at"],
    [{ scopes: ["read"], expires_at: "9999-12-31T23:59:59-23:59" }, "/expires_at"],
    [{ scopes: ["read"], secret: "x" }, "/secret"],
  ])("a named key with %j is refused, and the field is named", async (body, field) => {
    const owner = await signUp();
    const answer = await call("POST", `/v1/workspaces/${owner.workspace}/keys`, {
      token: owner.session,
      body: { name: "one", ...body },
    });
    expect(answer).toMatchObject({ status: 422, body: { field } });
    expect((await listKeys(owner)).body.keys).toEqual([]);
  });

  it("a named key cannot be limited to another workspace's channel", async () => {
    const [owner, stranger] = [await signUp(), await signUp()];
    const channel = await connect(stranger.key, "telegram");
    const body = { name: "one", scopes: ["read"], channels: [channel.id] };
    expect(await call("POST", `/v1/workspaces/${owner.workspace}/keys`, { token: owner.session, body })).toMatchObject({
      status: 422,
      body: { error: "unknown_channel", field: "/channels/0" },
    });
  });

  it("the last use of a named key is not written with each call", async () => {
    const owner = await signUp();
    const { key } = await makeKey(owner, { scopes: ["read"] });
    await call("GET", "/v1/posts", { token: key });
    const readLastUse = () =>
      testEnv.DB.prepare("SELECT last_used_at AS at FROM named_keys WHERE workspace_id = ?")
        .bind(owner.workspace)
        .first<number>("at");
    await expect.poll(readLastUse).not.toBeNull();
    const first = await readLastUse();
    await call("GET", "/v1/posts", { token: key });
    expect(await readLastUse()).toBe(first);
  });

  it("named keys can be created, listed and revoked only by owners, with at most fifty in a workspace", async () => {
    const [owner, publisher] = [await signUp(), await signUp()];
    await join(owner, publisher, "publisher");
    const path = `/v1/workspaces/${owner.workspace}/keys`;
    const body = { name: "one", scopes: ["read"] };
    expect(await call("POST", path, { token: publisher.session, body })).toMatchObject({ status: 403 });
    expect(await call("GET", path, { token: publisher.session })).toMatchObject({ status: 403 });
    expect(await call("POST", path, { token: owner.key, body })).toMatchObject({ body: { error: "key_not_allowed" } });
    for (let i = 0; i < 50; i++) await makeKey(owner, { scopes: ["read"] });
    expect(await call("POST", path, { token: owner.session, body })).toMatchObject({
      body: { error: "too_many_keys" },
    });
  });
});

describe("the end of a named key", () => {
  const read = (key: string) => call("GET", "/v1/posts", { token: key });

  it("a named key ends when it is revoked, which works once", async () => {
    const [owner, stranger] = [await signUp(), await signUp()];
    const { id, key } = await makeKey(owner, { scopes: ["read"] });
    expect((await read(key)).status).toBe(200);
    expect((await revoke(stranger, id)).status).toBe(404);
    expect((await revoke(owner, id)).status).toBe(204);
    expect(await read(key)).toMatchObject(DEAD);
    expect((await revoke(owner, id)).status).toBe(404);
    expect((await listKeys(owner)).body.keys).toEqual([]);
    expect((await call("GET", "/v1/posts", { token: owner.key })).status).toBe(200);
  });

  it("a named key ends when it expires, even during a call that has already read it", async () => {
    const owner = await signUp();
    const channel = await connect(owner.key, "telegram");
    const namedKey = await makeKey(owner, { scopes: ["read", "publish"], expires_at: tomorrow() });
    expect((await read(namedKey.key)).status).toBe(200);
    await testEnv.DB.prepare("UPDATE named_keys SET expires_at = 1 WHERE id = ?").bind(namedKey.id).run();
    expect(await read(namedKey.key)).toMatchObject({ ...DEAD, body: { message: "This workspace key has expired." } });
    const body = { text: "x", channels: [channel.id], publish_at: tomorrow() };
    expect(await call("POST", "/v1/posts", { token: namedKey.key, body })).toMatchObject(DEAD);
    expect((await call("GET", "/v1/posts", { token: owner.key })).body).toMatchObject({ posts: [] });
  });

  it.each(["leaves", "is removed", "steps down", "erases their account"])(
    "a named key ends when the owner who created it %s",
    async (ending) => {
      const [owner, second] = [await signUp(), await signUp()];
      const id = await join(owner, second, "owner");
      const theirs = await makeKey({ ...second, workspace: owner.workspace }, { scopes: ["read", "publish"] });
      const ours = await makeKey(owner, { scopes: ["read"] });
      expect((await read(theirs.key)).status).toBe(200);
      const member = `/v1/workspaces/${owner.workspace}/members/${id}`;
      if (ending === "leaves") await call("DELETE", member, { token: second.session });
      if (ending === "is removed") await call("DELETE", member, { token: owner.session });
      if (ending === "steps down") await call("PATCH", member, { token: second.session, body: { role: "publisher" } });
      if (ending === "erases their account") await call("DELETE", "/v1/auth/me", { token: second.session });
      expect(await read(theirs.key)).toMatchObject(DEAD);
      expect((await read(ours.key)).status).toBe(200);
      // A person who becomes an owner again has to create new keys.
      if (ending === "steps down") {
        await call("PATCH", member, { token: owner.session, body: { role: "owner" } });
        expect(await read(theirs.key)).toMatchObject(DEAD);
      }
    },
  );

  it("a named key ends with its workspace", async () => {
    const owner = await signUp();
    const { key } = await makeKey(owner, { scopes: ["read"] });
    expect((await call("DELETE", "/v1/auth/me", { token: owner.session })).status).toBe(204);
    expect((await read(key)).status).toBe(401);
  });
});
