// By whom a channel was connected, as its list says it.
import { describe, expect, it } from "vitest";
import { CREDENTIALS } from "../support/credentials.ts";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { as, join } from "../support/members.ts";
import { type Account, type ChannelBody, call, connect, signUp, unique } from "../support/world.ts";

const input = (account: string) => ({ platform: "telegram", ...CREDENTIALS.telegram?.(account) });
const connectedBy = async ({ key }: Account) =>
  (await call<{ channels: ChannelBody[] }>("GET", "/v1/channels", { token: key })).body.channels.map(
    ({ connected_by }) => connected_by,
  );

describe("the one who connected a channel", () => {
  it("is a person by name, a key by its name, and the last of several", async () => {
    const owner = await signUp();
    const account = unique("acct");
    const body = input(account);
    const made = await call("POST", "/v1/channels", as(owner, owner, body));
    expect(made).toMatchObject({ status: 201, body: { connected_by: "Ada" } });

    const { key } = await makeKey(owner, { name: "The shop", scopes: ["read", "manage"] });
    const again = await call("POST", "/v1/channels", { token: key, body });
    expect(again).toMatchObject({ status: 200, body: { id: made.body.id, connected_by: "the key The shop" } });
    await call("POST", "/v1/channels", { token: owner.key, body });
    expect(await connectedBy(owner)).toEqual(["the workspace key"]);
  });

  it("is the address of a person without a name, and nobody once their account is erased", async () => {
    const [owner, second] = [await signUp(), await signUp()];
    await join(owner, second, "owner");
    expect((await call("PATCH", "/v1/auth/me", { token: second.session, body: { name: null } })).status).toBe(200);
    await call("POST", "/v1/channels", as(second, owner, input(unique("acct"))));
    expect(await connectedBy(owner)).toEqual([second.email]);
    expect((await call("DELETE", "/v1/auth/me", { token: second.session })).status).toBe(204);
    expect(await connectedBy(owner)).toEqual([null]);
  });

  it("keeps the name that a person had then, whatever they are called once they have left", async () => {
    const [owner, second] = [await signUp(), await signUp()];
    const id = await join(owner, second, "owner");
    const rename = (name: string) => call("PATCH", "/v1/auth/me", { token: second.session, body: { name } });
    await rename("Grace");
    const body = input(unique("acct"));
    await call("POST", "/v1/channels", as(second, owner, body));
    await call("DELETE", `/v1/workspaces/${owner.workspace}/members/${id}`, { token: owner.session });
    await rename("Ada, the owner");
    expect(await connectedBy(owner)).toEqual(["Grace"]);
    expect((await call("POST", "/v1/channels", as(owner, owner, body))).body).toMatchObject({ connected_by: "Ada" });
  });

  it("is not known of a channel from before it was kept", async () => {
    const owner = await signUp();
    const { id } = await connect(owner.key, "telegram");
    await testEnv.DB.prepare("UPDATE channels SET connected_by = NULL WHERE id = ?").bind(id).run();
    expect(await connectedBy(owner)).toEqual([null]);
  });

  it("is in the export", async () => {
    const owner = await signUp();
    await connect(owner.key, "telegram");
    const file = await call<string>("GET", "/v1/export", { token: owner.key });
    expect(JSON.stringify(file.body)).toContain("the workspace key");
  });
});
