// The list of channels names the person or key that connected each channel.
import { describe, expect, it } from "vitest";
import { CREDENTIALS } from "../support/credentials.ts";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { asMember, join } from "../support/members.ts";
import { type Account, type ChannelBody, call, connect, signUp, unique } from "../support/world.ts";

const buildInput = (account: string) => ({ platform: "telegram", ...CREDENTIALS.telegram?.(account) });
const listConnectedBy = async ({ key }: Account) =>
  (await call<{ channels: ChannelBody[] }>("GET", "/v1/channels", { token: key })).body.channels.map(
    ({ connected_by }) => connected_by,
  );

describe("connected_by", () => {
  it("connected_by is the name of the person or key that connected the channel last", async () => {
    const owner = await signUp();
    const account = unique("acct");
    const body = buildInput(account);
    const answer = await call("POST", "/v1/channels", asMember(owner, owner, body));
    expect(answer).toMatchObject({ status: 201, body: { connected_by: "Ada" } });

    const { key } = await makeKey(owner, { name: "The shop", scopes: ["read", "manage"] });
    const again = await call("POST", "/v1/channels", { token: key, body });
    expect(again).toMatchObject({ status: 200, body: { id: answer.body.id, connected_by: "the key The shop" } });
    await call("POST", "/v1/channels", { token: owner.key, body });
    expect(await listConnectedBy(owner)).toEqual(["the workspace key"]);
  });

  it("connected_by is the email address of a person without a name, and null once their account is erased", async () => {
    const [owner, second] = [await signUp(), await signUp()];
    await join(owner, second, "owner");
    expect((await call("PATCH", "/v1/auth/me", { token: second.session, body: { name: null } })).status).toBe(200);
    await call("POST", "/v1/channels", asMember(second, owner, buildInput(unique("acct"))));
    expect(await listConnectedBy(owner)).toEqual([second.email]);
    expect((await call("DELETE", "/v1/auth/me", { token: second.session })).status).toBe(204);
    expect(await listConnectedBy(owner)).toEqual([null]);
  });

  it("connected_by keeps the name that a person had when they left the workspace", async () => {
    const [owner, second] = [await signUp(), await signUp()];
    const id = await join(owner, second, "owner");
    const rename = (name: string) => call("PATCH", "/v1/auth/me", { token: second.session, body: { name } });
    await rename("Grace");
    const body = buildInput(unique("acct"));
    await call("POST", "/v1/channels", asMember(second, owner, body));
    await call("DELETE", `/v1/workspaces/${owner.workspace}/members/${id}`, { token: owner.session });
    await rename("Ada, the owner");
    expect(await listConnectedBy(owner)).toEqual(["Grace"]);
    expect((await call("POST", "/v1/channels", asMember(owner, owner, body))).body).toMatchObject({
      connected_by: "Ada",
    });
  });

  it("connected_by is null for a channel that was connected before it was recorded", async () => {
    const owner = await signUp();
    const { id } = await connect(owner.key, "telegram");
    await testEnv.DB.prepare("UPDATE channels SET connected_by = NULL WHERE id = ?").bind(id).run();
    expect(await listConnectedBy(owner)).toEqual([null]);
  });

  it("connected_by is part of the export", async () => {
    const owner = await signUp();
    await connect(owner.key, "telegram");
    const file = await call<string>("GET", "/v1/export", { token: owner.key });
    expect(JSON.stringify(file.body)).toContain("the workspace key");
  });
});
