// A workspace whose members cannot approve their own last changes.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { asMember } from "../support/members.ts";
import { register, send, tokensFor } from "../support/oauth.ts";
import { type Account, call, type PostBody } from "../support/world.ts";
import { openTeam } from "./approvals.ts";
import { callTool, connectClient, ERAS } from "./mcp/clients.ts";
import { approve as approveByLink, createReviewLink } from "./reviewed-post.ts";

const REFUSED = { status: 403, body: { error: "four_eyes", hint: expect.stringContaining("another member") } };

const setFourEyes = ({ session, workspace }: Account, isOn: unknown) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { four_eyes: isOn } });

/** Opens a workspace in which each approval needs a second person. */
async function openFourEyes() {
  const members = await openTeam("all");
  expect(await setFourEyes(members.owner, true)).toMatchObject({ status: 200, body: { four_eyes: true } });
  const write = async (member: Account) => {
    const { status, body } = await members.create(member);
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

it("the author of a post cannot approve it, but another person can", async () => {
  const { owner, publisher, write, approve } = await openFourEyes();
  const { id, rev } = await write(publisher);
  expect(await approve(publisher, id, { rev })).toMatchObject(REFUSED);
  expect(await approve(owner, id, { rev })).toMatchObject({ status: 200, body: { status: "scheduled" } });
});

it("the option applies to the person who last edited a post, not to its author", async () => {
  const { owner, publisher, write, patch, approve } = await openFourEyes();
  const { id } = await write(publisher);
  const { rev } = (await patch(owner, id, { text: "edited" })).body;
  expect(await approve(owner, id, { rev })).toMatchObject(REFUSED);
  expect(await approve(publisher, id, { rev })).toMatchObject({ status: 200 });
});

it("people can decline their own posts, and can approve them while the option is off", async () => {
  const { owner, publisher, write, approve, decline } = await openFourEyes();
  expect((await decline(publisher, (await write(publisher)).id)).status).toBe(200);
  await setFourEyes(owner, false);
  const { id, rev } = await write(publisher);
  expect((await approve(publisher, id, { rev })).status).toBe(200);
});

describe("keys and applications", () => {
  it("a named key counts as the person who created it", async () => {
    const { owner, publisher, write, writeByKey, approve, approveByKey } = await openFourEyes();
    const namedKey = await makeKey(owner, { scopes: ["read", "publish"] });
    const byOwner = await write(owner);
    expect(await approveByKey(namedKey.key, byOwner)).toMatchObject(REFUSED);
    const byKey = await writeByKey(namedKey.key);
    expect(await approveByKey(namedKey.key, byKey)).toMatchObject(REFUSED);
    expect(await approve(owner, byKey.id, { rev: byKey.rev })).toMatchObject(REFUSED);
    expect((await approve(publisher, byKey.id, { rev: byKey.rev })).status).toBe(200);
    expect((await approveByKey(namedKey.key, await write(publisher))).status).toBe(200);
  });

  it("the workspace key counts as each of its owners, because all of them can read it", async () => {
    const { owner, publisher, write, writeByKey, approve, approveByKey } = await openFourEyes();
    expect(await approveByKey(owner.key, await write(owner))).toMatchObject(REFUSED);
    const byKey = await writeByKey(owner.key);
    expect(await approveByKey(owner.key, byKey)).toMatchObject(REFUSED);
    expect(await approve(owner, byKey.id, { rev: byKey.rev })).toMatchObject(REFUSED);
    expect((await approve(publisher, byKey.id, { rev: byKey.rev })).status).toBe(200);
    expect((await approveByKey(owner.key, await write(publisher))).status).toBe(200);
  });

  it("an application counts as the person who connected it, even after it was disconnected", async () => {
    const { owner, publisher, channel, write, approve } = await openFourEyes();
    const tokens = await tokensFor({ ...publisher, workspace: owner.workspace }, await register());
    const client = await connectClient(tokens.access_token, ERAS[1] ?? "2026-07-28");
    const { body } = await callTool(client, "queue_post", { text: "x", channels: [channel.id] });
    const id = String(body.id);
    const ownPost = await write(publisher);
    const byApp = await callTool(client, "review_post", { id: ownPost.id, decision: "approve", rev: ownPost.rev });
    expect(byApp.body).toMatchObject({ error: "four_eyes" });
    await testEnv.DB.prepare("DELETE FROM oauth_grants WHERE workspace_id = ?").bind(owner.workspace).run();
    expect(await approve(publisher, id, { rev: 1 })).toMatchObject(REFUSED);
    expect((await approve(owner, id, { rev: 1 })).status).toBe(200);
  });
});

describe("review links", () => {
  it("the person who last changed a post cannot create a review link for it", async () => {
    const { owner, publisher, write } = await openFourEyes();
    const { id } = await write(publisher);
    expect(await createReviewLink(publisher, owner, id)).toMatchObject(REFUSED);
    const { body } = await createReviewLink(owner, owner, id);
    expect((await approveByLink(new URL(body.url).pathname)).status).toBe(200);
    expect((await call<PostBody>("GET", `/v1/posts/${id}`, { token: owner.key })).body.status).toBe("scheduled");
  });

  it("a review link approves nothing if that person created it before the option was on, or uses it while signed in", async () => {
    const { owner, publisher, write } = await openFourEyes();
    await setFourEyes(owner, false);
    const { id } = await write(publisher);
    const ownLink = new URL((await createReviewLink(publisher, owner, id)).body.url).pathname;
    await setFourEyes(owner, true);
    const page = await approveByLink(ownLink);
    expect([page.status, await page.text()]).toEqual([422, expect.stringContaining("another member")]);

    const foreign = new URL((await createReviewLink(owner, owner, id)).body.url).pathname;
    const fields = { decision: "approve", name: "Clara Client", reason: "" };
    expect((await send(foreign, publisher.session, fields)).status).toBe(422);
    expect((await call<PostBody>("GET", `/v1/posts/${id}`, { token: owner.key })).body.status).toBe(
      "awaiting_approval",
    );
    expect((await send(foreign, null, fields)).status).toBe(200);
  });
});

it("only an owner can set the option, to true or false, and the change is in the audit log", async () => {
  const { owner, publisher } = await openFourEyes();
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
    asMember(owner, owner),
  );
  expect(body.audit[0]?.details).toEqual({ four_eyes: "true" });
});
