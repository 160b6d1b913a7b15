// A workspace where nobody approves what they changed last.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { as } from "../support/members.ts";
import { register, send, tokensFor } from "../support/oauth.ts";
import { type Account, call, type PostBody } from "../support/world.ts";
import { openTeam } from "./approvals.ts";
import { callTool, connected, ERAS } from "./mcp/clients.ts";
import { approve as approveByLink, makeLink } from "./reviewed-post.ts";

const REFUSED = { status: 403, body: { error: "four_eyes", hint: expect.stringContaining("another member") } };

const setFourEyes = ({ session, workspace }: Account, isOn: unknown) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { four_eyes: isOn } });

/** A workspace where each post takes two people. */
async function teamOfTwo() {
  const members = await openTeam("all");
  expect(await setFourEyes(members.owner, true)).toMatchObject({ status: 200, body: { four_eyes: true } });
  const write = async (by: Account) => {
    const { status, body } = await members.create(by);
    expect([status, body.status]).toEqual([201, "awaiting_approval"]);
    return body;
  };
  const { channel } = members;
  const writeByKey = async (token: string) =>
    (await call<PostBody>("POST", "/v1/posts", { token, body: { text: "x", channels: [channel.id] } })).body;
  const approveByKey = (token: string, { id, rev }: PostBody) =>
    call<PostBody>("POST", `/v1/posts/${id}/approve`, { token, body: { rev } });
  return { ...members, write, writeByKey, approveByKey };
}

it("does not let the author of a post approve it, but lets another person approve it", async () => {
  const { owner, publisher, write, approve } = await teamOfTwo();
  const { id, rev } = await write(publisher);
  expect(await approve(publisher, id, { rev })).toMatchObject(REFUSED);
  expect(await approve(owner, id, { rev })).toMatchObject({ status: 200, body: { status: "scheduled" } });
});

it("applies to the person who last edited a post, not to the one who wrote it", async () => {
  const { owner, publisher, write, patch, approve } = await teamOfTwo();
  const { id } = await write(publisher);
  const { rev } = (await patch(owner, id, { text: "edited" })).body;
  expect(await approve(owner, id, { rev })).toMatchObject(REFUSED);
  expect(await approve(publisher, id, { rev })).toMatchObject({ status: 200 });
});

it("lets people approve and decline their own posts as long as the option is off", async () => {
  const { owner, publisher, write, approve, decline } = await teamOfTwo();
  expect((await decline(publisher, (await write(publisher)).id)).status).toBe(200);
  await setFourEyes(owner, false);
  const { id, rev } = await write(publisher);
  expect((await approve(publisher, id, { rev })).status).toBe(200);
});

describe("keys and applications", () => {
  it("count a named key as the person who made it", async () => {
    const { owner, publisher, write, writeByKey, approve, approveByKey } = await teamOfTwo();
    const named = await makeKey(owner, { scopes: ["read", "publish"] });
    const byOwner = await write(owner);
    expect(await approveByKey(named.key, byOwner)).toMatchObject(REFUSED);
    const byKey = await writeByKey(named.key);
    expect(await approveByKey(named.key, byKey)).toMatchObject(REFUSED);
    expect(await approve(owner, byKey.id, { rev: byKey.rev })).toMatchObject(REFUSED);
    expect((await approve(publisher, byKey.id, { rev: byKey.rev })).status).toBe(200);
    expect((await approveByKey(named.key, await write(publisher))).status).toBe(200);
  });

  it("count the workspace key as each of its owners, because they can all read it", async () => {
    const { owner, publisher, write, writeByKey, approve, approveByKey } = await teamOfTwo();
    expect(await approveByKey(owner.key, await write(owner))).toMatchObject(REFUSED);
    const byKey = await writeByKey(owner.key);
    expect(await approveByKey(owner.key, byKey)).toMatchObject(REFUSED);
    expect(await approve(owner, byKey.id, { rev: byKey.rev })).toMatchObject(REFUSED);
    expect((await approve(publisher, byKey.id, { rev: byKey.rev })).status).toBe(200);
    expect((await approveByKey(owner.key, await write(publisher))).status).toBe(200);
  });

  it("count an application as the person who connected it, even after it was removed", async () => {
    const { owner, publisher, channel, write, approve } = await teamOfTwo();
    const tokens = await tokensFor({ ...publisher, workspace: owner.workspace }, await register());
    const client = await connected(tokens.access_token, ERAS[1] ?? "2026-07-28");
    const { body } = await callTool(client, "queue_post", { text: "x", channels: [channel.id] });
    const id = String(body.id);
    const own = await write(publisher);
    const byApp = await callTool(client, "review_post", { id: own.id, decision: "approve", rev: own.rev });
    expect(byApp.body).toMatchObject({ error: "four_eyes" });
    await testEnv.DB.prepare("DELETE FROM oauth_grants WHERE workspace_id = ?").bind(owner.workspace).run();
    expect(await approve(publisher, id, { rev: 1 })).toMatchObject(REFUSED);
    expect((await approve(owner, id, { rev: 1 })).status).toBe(200);
  });
});

describe("review links", () => {
  it("cannot be created by the person who last changed the post", async () => {
    const { owner, publisher, write } = await teamOfTwo();
    const { id } = await write(publisher);
    expect(await makeLink(publisher, owner, id)).toMatchObject(REFUSED);
    const { body } = await makeLink(owner, owner, id);
    expect((await approveByLink(new URL(body.url).pathname)).status).toBe(200);
    expect((await call<PostBody>("GET", `/v1/posts/${id}`, { token: owner.key })).body.status).toBe("scheduled");
  });

  it("approve nothing if that person made them before the option was on, or uses one while signed in", async () => {
    const { owner, publisher, write } = await teamOfTwo();
    await setFourEyes(owner, false);
    const { id } = await write(publisher);
    const own = new URL((await makeLink(publisher, owner, id)).body.url).pathname;
    await setFourEyes(owner, true);
    const page = await approveByLink(own);
    expect([page.status, await page.text()]).toEqual([422, expect.stringContaining("another member")]);

    const foreign = new URL((await makeLink(owner, owner, id)).body.url).pathname;
    const fields = { decision: "approve", name: "Clara Client", reason: "" };
    expect((await send(foreign, publisher.session, fields)).status).toBe(422);
    expect((await call<PostBody>("GET", `/v1/posts/${id}`, { token: owner.key })).body.status).toBe(
      "awaiting_approval",
    );
    expect((await send(foreign, null, fields)).status).toBe(200);
  });
});

it("is set by an owner alone, is not for other values, and stands in the audit log", async () => {
  const { owner, publisher } = await teamOfTwo();
  const byPublisher = await call("PATCH", `/v1/workspaces/${owner.workspace}`, {
    token: publisher.session,
    body: { four_eyes: false },
  });
  expect(byPublisher).toMatchObject({ status: 403, body: { error: "role_missing", role: "owner" } });
  expect(await setFourEyes(owner, "yes")).toMatchObject({ status: 422, body: { field: "/four_eyes" } });
  expect((await call("GET", "/v1/workspace", { token: owner.key })).body).toMatchObject({ four_eyes: true });
  const { body } = await call<{ audit: { details: object }[] }>(
    "GET",
    "/v1/audit?act=workspace.changed",
    as(owner, owner),
  );
  expect(body.audit[0]?.details).toEqual({ four_eyes: "true" });
});
