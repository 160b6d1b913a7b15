// Named selections of channels.
import { describe, expect, it } from "vitest";
import { makeKey } from "../support/keys.ts";
import { type Account, call, connect, signUp } from "../support/world.ts";

interface Group {
  id: string;
  name: string;
  channels: string[];
}

const PATH = "/v1/channel-groups";
const create = (key: string, body: object) => call<Group>("POST", PATH, { token: key, body });
const patch = (key: string, id: string, body: object) => call<Group>("PATCH", `${PATH}/${id}`, { token: key, body });
const list = async (key: string, query = "") =>
  (await call<{ channel_groups: Group[]; next: string | null }>("GET", PATH + query, { token: key })).body;

async function setUpGroup() {
  const account = await signUp();
  const [first, second] = [await connect(account.key, "telegram"), await connect(account.key, "x")];
  const { status, body: group } = await create(account.key, { name: "Both", channels: [second.id, first.id] });
  expect(status).toBe(201);
  return { account, first, second, group };
}

describe("a channel group", () => {
  it("is listed with its channels in the given order, and can be changed and deleted", async () => {
    const { account, first, second, group } = await setUpGroup();
    const { key } = account;
    expect(group).toEqual({ id: expect.stringMatching(/^grp_/), name: "Both", channels: [second.id, first.id] });
    expect(await list(key)).toEqual({ channel_groups: [group], next: null });
    expect((await patch(key, group.id, { name: "All" })).body).toEqual({ ...group, name: "All" });
    expect((await patch(key, group.id, { channels: [first.id] })).body).toMatchObject({ channels: [first.id] });
    expect((await patch(key, group.id, {})).body).toMatchObject({ name: "All", channels: [first.id] });
    expect((await call("DELETE", `${PATH}/${group.id}`, { token: key })).status).toBe(204);
    expect(await list(key)).toEqual({ channel_groups: [], next: null });
    for (const answer of [await patch(key, group.id, { name: "x" }), await patch(key, group.id, {})]) {
      expect(answer.status).toBe(404);
    }
    expect((await call("DELETE", `${PATH}/${group.id}`, { token: key })).status).toBe(404);
  });

  it("loses a channel that is disconnected, even if the account is connected again", async () => {
    const { account, first, second, group } = await setUpGroup();
    await call("DELETE", `/v1/channels/${first.id}`, { token: account.key });
    const [remaining] = (await list(account.key)).channel_groups;
    expect(remaining).toEqual({ ...group, channels: [second.id] });
    await call("POST", "/v1/channels", { token: account.key, body: { platform: "telegram", handle: first.handle } });
    expect((await list(account.key)).channel_groups[0]?.channels).toEqual([second.id]);
  });

  it.each([
    ["a channel that is not in the workspace", ["ch_01kac41f6n9p4r0s7t8w2y3a5b"], "unknown_channel", "/channels/0"],
    ["a channel that is given twice", ["ch_a", "ch_a"], "duplicate_channel", "/channels/1"],
  ])("refuses %s", async (_, channels, error, field) => {
    const { account, group } = await setUpGroup();
    const refusal = { status: 422, body: { error, field } };
    expect(await create(account.key, { name: "x", channels })).toMatchObject(refusal);
    expect(await patch(account.key, group.id, { channels })).toMatchObject(refusal);
  });

  it("a disconnected channel and one of another workspace are unknown", async () => {
    const { account, first } = await setUpGroup();
    const stranger = await setUpGroup();
    await call("DELETE", `/v1/channels/${first.id}`, { token: account.key });
    for (const id of [first.id, stranger.first.id]) {
      expect(await create(account.key, { name: "x", channels: [id] })).toMatchObject({ status: 422 });
    }
  });

  it("a key that is limited to channels sees only these, and changes no group", async () => {
    const { account, first, group } = await setUpGroup();
    await create(account.key, { name: "None of them", channels: [] });
    const { key } = await makeKey(account, { scopes: ["read", "manage"], channels: [first.id] });
    expect((await list(key)).channel_groups).toEqual([{ ...group, channels: [first.id] }]);
    expect((await patch(key, group.id, { name: "x" })).status).toBe(403);
  });

  it("each page of groups is full unless it is the last", async () => {
    const account: Account = await signUp();
    for (const name of ["a", "b", "c"]) await create(account.key, { name, channels: [] });
    const first = await list(account.key, "?limit=2");
    expect(first.channel_groups.map(({ name }) => name)).toEqual(["c", "b"]);
    const second = await list(account.key, `?limit=2&cursor=${first.next}`);
    expect(second).toMatchObject({ channel_groups: [{ name: "a" }], next: null });
  });
});
