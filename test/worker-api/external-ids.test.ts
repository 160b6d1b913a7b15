// Workspaces that a program creates for its customers: found again by the customer's id, with metadata and with their key.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { makeAccountKey } from "../support/keys.ts";
import { join } from "../support/members.ts";
import { type Account, call, signUp } from "../support/world.ts";

interface Created {
  id: string;
  name: string;
  external_id: string | null;
  metadata: Record<string, string>;
  key?: string;
}
const create = (token: string, body: object) =>
  call<Created>("POST", "/v1/workspaces", { token, body: { name: "Customer", ...body } });
const list = (token: string, query = "") =>
  call<{ workspaces: Created[] }>("GET", `/v1/workspaces${query}`, { token }).then(({ body }) => body.workspaces);
const deleteWorkspace = ({ session }: Account, { id, name }: Created) =>
  call("DELETE", `/v1/workspaces/${id}`, { token: session, body: { name } });

describe("an external id", () => {
  it("returns the same workspace when it is sent again, and changes nothing", async () => {
    const owner = await signUp();
    const first = await create(owner.session, { external_id: "customer-1", metadata: { segment: "agency" } });
    expect(first).toMatchObject({
      status: 201,
      body: { external_id: "customer-1", metadata: { segment: "agency" }, role: "owner" },
    });
    const again = await create(owner.session, { name: "Other", external_id: "customer-1", metadata: {} });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect((await create(owner.session, {})).body).toMatchObject({ external_id: null, metadata: {} });
    expect(await list(owner.session, "?external_id=customer-1")).toMatchObject([{ id: first.body.id }]);
    expect(await list(owner.session, "?external_id=customer")).toEqual([]);
    expect(await list(owner.session)).toHaveLength(3);
  });

  it("makes one workspace when many calls send it at once", async () => {
    const owner = await signUp();
    const { key } = await makeAccountKey(owner, ["workspaces", "keys"]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create(key, { external_id: "customer-1", include_key: true })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(new Set(answers.map(({ body }) => `${body.id} ${body.key}`)).size).toBe(1);
    expect(await list(key)).toHaveLength(2);
  });

  it("is free again once its workspace is deleted, and belongs to each account separately", async () => {
    const [owner, stranger] = [await signUp(), await signUp()];
    const { body: first } = await create(owner.session, { external_id: "customer-1" });
    expect((await create(stranger.session, { external_id: "customer-1" })).status).toBe(201);
    expect((await deleteWorkspace(owner, first)).status).toBe(204);
    const second = await create(owner.session, { external_id: "customer-1" });
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.id);
  });

  it.each(["leaves", "steps down"])(
    "is free again for a person who %s, and does not show them the workspace",
    async (act) => {
      const [owner, second] = [await signUp(), await signUp()];
      const { body } = await create(owner.session, { external_id: "customer-1", metadata: { secret: "x" } });
      await join({ session: owner.session, workspace: body.id }, second, "owner");
      const me = await call<{ user: { id: string } }>("GET", "/v1/auth/me", { token: owner.session });
      const member = `/v1/workspaces/${body.id}/members/${me.body.user.id}`;
      if (act === "leaves") await call("DELETE", member, { token: owner.session });
      else await call("PATCH", member, { token: owner.session, body: { role: "viewer" } });
      expect(await list(owner.session, "?external_id=customer-1")).toEqual([]);
      const again = await create(owner.session, { external_id: "customer-1" });
      expect(again.status).toBe(201);
      expect(again.body.id).not.toBe(body.id);
    },
  );

  it("finds its workspace even if the plan has no room for another one", async () => {
    const owner = await signUp();
    const { body } = await create(owner.session, { external_id: "customer-1" });
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id IN (?, ?)")
      .bind(owner.workspace, body.id)
      .run();
    expect((await create(owner.session, { external_id: "customer-1" })).status).toBe(200);
    expect(await create(owner.session, { external_id: "customer-2" })).toMatchObject({
      status: 402,
      body: { limit: "workspaces" },
    });
  });

  it.each([
    [{ external_id: "" }, "/external_id"],
    [{ external_id: "x".repeat(201) }, "/external_id"],
    [{ external_id: "two\nlines" }, "/external_id"],
    [{ metadata: { a: 1 } }, "/metadata/a"],
    [{ metadata: { a: "x".repeat(501) } }, "/metadata/a"],
    [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, ""])) }, "/metadata"],
    [{ include_key: "yes" }, "/include_key"],
  ])("is refused with %j, and the field is named", async (body, field) => {
    const owner = await signUp();
    expect(await create(owner.session, body)).toMatchObject({ status: 422, body: { field } });
  });

  it("is told to the key of the workspace, with metadata that its owner can replace", async () => {
    const owner = await signUp();
    const { body } = await create(owner.session, { external_id: "customer-1", include_key: true });
    const path = `/v1/workspaces/${body.id}`;
    const patch = (metadata: unknown) => call("PATCH", path, { token: owner.session, body: { metadata } });
    expect((await patch({ segment: "shop" })).body).toMatchObject({ metadata: { segment: "shop" } });
    expect((await call("GET", "/v1/workspace", { token: body.key ?? "" })).body).toMatchObject({
      external_id: "customer-1",
      metadata: { segment: "shop" },
    });
    expect((await patch(null)).body).toMatchObject({ metadata: {} });
  });
});

describe("the key in the answer that creates a workspace", () => {
  it("works, is recorded as seen, and is there again when the call is repeated", async () => {
    const owner = await signUp();
    const { id, key } = await makeAccountKey(owner, ["workspaces", "keys"]);
    const body = { external_id: "customer-1", include_key: true };
    const made = await create(key, body);
    expect(made.status).toBe(201);
    expect((await call("GET", "/v1/posts", { token: made.body.key ?? "" })).status).toBe(200);
    expect((await create(key, body)).body.key).toBe(made.body.key);
    const log = await call<{ audit: object[] }>("GET", "/v1/audit?act=key.revealed", {
      token: owner.session,
      headers: { "x-workspace": made.body.id },
    });
    const actor = { kind: "key", id, name: "Our platform" };
    expect(log.body.audit).toMatchObject([{ actor }, { actor }]);
  });

  it("is not there unless it is asked for, and asks for the scope keys", async () => {
    const owner = await signUp();
    const { key } = await makeAccountKey(owner, ["workspaces"]);
    expect((await create(key, { external_id: "customer-1" })).body).not.toHaveProperty("key");
    for (const externalId of ["customer-1", "customer-2"]) {
      expect(await create(key, { external_id: externalId, include_key: true })).toMatchObject({
        status: 403,
        body: { error: "scope_missing", scope: "keys" },
      });
    }
    expect(await list(key)).toHaveLength(2);
  });

  it("is shown for more customers than a person can reveal keys in an hour", async () => {
    const owner = await signUp();
    const { key } = await makeAccountKey(owner, ["workspaces", "keys"]);
    for (let i = 0; i < 12; i++) {
      const body = { external_id: `customer-${i}`, include_key: true };
      expect((await create(key, body)).status).toBe(201);
      const again = await create(key, body);
      expect(again).toMatchObject({ status: 200, body: { key: expect.any(String) } });
    }
  });
});
