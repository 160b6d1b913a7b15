// Named keys: how one is made, and what ends it.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { makeKey, revoke } from "../support/keys.ts";
import { idOf, join } from "../support/members.ts";
import { type Account, call, connect, signUp } from "../support/world.ts";

const keysOf = ({ session, workspace }: Account) =>
  call<{ keys: object[]; next: string | null }>("GET", `/v1/workspaces/${workspace}/keys`, { token: session });
const DEAD = { status: 401, body: { error: "key_revoked" } };

describe("a named key", () => {
  it("is shown once, listed without its secret and stored as a hash", async () => {
    const owner = await signUp();
    const made = await makeKey(owner, { name: "The assistant", scopes: ["draft", "read", "draft"] });
    expect(made).toMatchObject({
      name: "The assistant",
      scopes: ["read", "draft"],
      channels: null,
      created_by: await idOf(owner),
      last_used_at: null,
      expires_at: null,
    });
    expect(made.key).toMatch(/^crier_live_\w{49}$/);
    expect(made.key.startsWith(made.start)).toBe(true);
    const { key: _key, ...listed } = made;
    expect((await keysOf(owner)).body).toEqual({ keys: [listed], next: null });
    const rows = await testEnv.DB.prepare("SELECT * FROM named_keys WHERE workspace_id = ?")
      .bind(owner.workspace)
      .all();
    expect(JSON.stringify(rows.results)).not.toContain(made.key.slice(20));
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
  ])("with %j is refused, and the field is named", async (body, field) => {
    const owner = await signUp();
    const answer = await call("POST", `/v1/workspaces/${owner.workspace}/keys`, {
      token: owner.session,
      body: { name: "one", ...body },
    });
    expect(answer).toMatchObject({ status: 422, body: { field } });
    expect((await keysOf(owner)).body.keys).toEqual([]);
  });

  it("cannot be limited to another workspace's channel", async () => {
    const [owner, other] = [await signUp(), await signUp()];
    const channel = await connect(other.key, "telegram");
    const body = { name: "one", scopes: ["read"], channels: [channel.id] };
    expect(await call("POST", `/v1/workspaces/${owner.workspace}/keys`, { token: owner.session, body })).toMatchObject({
      status: 422,
      body: { error: "unknown_channel", field: "/channels/0" },
    });
  });

  it("has a last use that is not written with every call", async () => {
    const owner = await signUp();
    const { key } = await makeKey(owner, { scopes: ["read"] });
    await call("GET", "/v1/posts", { token: key });
    const used = () =>
      testEnv.DB.prepare("SELECT last_used_at AS at FROM named_keys WHERE workspace_id = ?")
        .bind(owner.workspace)
        .first<number>("at");
    await expect.poll(used).not.toBeNull();
    const first = await used();
    await call("GET", "/v1/posts", { token: key });
    expect(await used()).toBe(first);
  });

  it("can be created, listed and revoked only by owners, with at most fifty in a workspace", async () => {
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

describe("a key ends", () => {
  const read = (key: string) => call("GET", "/v1/posts", { token: key });

  it("when it is revoked, and only once", async () => {
    const [owner, other] = [await signUp(), await signUp()];
    const { id, key } = await makeKey(owner, { scopes: ["read"] });
    expect((await read(key)).status).toBe(200);
    expect((await revoke(other, id)).status).toBe(404);
    expect((await revoke(owner, id)).status).toBe(204);
    expect(await read(key)).toMatchObject(DEAD);
    expect((await revoke(owner, id)).status).toBe(404);
    expect((await keysOf(owner)).body.keys).toEqual([]);
    expect((await call("GET", "/v1/posts", { token: owner.key })).status).toBe(200);
  });

  it("when it expires, even during a call that has already read it", async () => {
    const owner = await signUp();
    const channel = await connect(owner.key, "telegram");
    const made = await makeKey(owner, { scopes: ["read", "publish"], expires_at: tomorrow() });
    expect((await read(made.key)).status).toBe(200);
    await testEnv.DB.prepare("UPDATE named_keys SET expires_at = 1 WHERE id = ?").bind(made.id).run();
    expect(await read(made.key)).toMatchObject({ ...DEAD, body: { message: "This workspace key has expired." } });
    const body = { text: "x", channels: [channel.id], publish_at: tomorrow() };
    expect(await call("POST", "/v1/posts", { token: made.key, body })).toMatchObject(DEAD);
    expect((await call("GET", "/v1/posts", { token: owner.key })).body).toMatchObject({ posts: [] });
  });

  it.each(["leaves", "is removed", "steps down", "erases their account"])(
    "when the owner who made it %s",
    async (how) => {
      const [owner, second] = [await signUp(), await signUp()];
      const id = await join(owner, second, "owner");
      const theirs = await makeKey({ ...second, workspace: owner.workspace }, { scopes: ["read", "publish"] });
      const ours = await makeKey(owner, { scopes: ["read"] });
      expect((await read(theirs.key)).status).toBe(200);
      const member = `/v1/workspaces/${owner.workspace}/members/${id}`;
      if (how === "leaves") await call("DELETE", member, { token: second.session });
      if (how === "is removed") await call("DELETE", member, { token: owner.session });
      if (how === "steps down") await call("PATCH", member, { token: second.session, body: { role: "publisher" } });
      if (how === "erases their account") await call("DELETE", "/v1/auth/me", { token: second.session });
      expect(await read(theirs.key)).toMatchObject(DEAD);
      expect((await read(ours.key)).status).toBe(200);
      // Who comes back makes new ones.
      if (how === "steps down") {
        await call("PATCH", member, { token: owner.session, body: { role: "owner" } });
        expect(await read(theirs.key)).toMatchObject(DEAD);
      }
    },
  );

  it("with its workspace", async () => {
    const owner = await signUp();
    const { key } = await makeKey(owner, { scopes: ["read"] });
    expect((await call("DELETE", "/v1/auth/me", { token: owner.session })).status).toBe(204);
    expect((await read(key)).status).toBe(401);
  });
});
