// The rights of a named key.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { makeKey, revoke } from "../support/keys.ts";
import { join } from "../support/members.ts";
import { call, connect, getPost, type PostBody, post, signUp, uploadImage } from "../support/world.ts";
import { callTool, connectClient, ERAS } from "./mcp/clients.ts";

const missingScope = (scope: string) => ({ status: 403, body: { error: "scope_missing", scope } });

describe("a scope", () => {
  it("the scope `draft` writes only drafts, and the scope `publish` publishes and writes no drafts", async () => {
    const owner = await signUp();
    const channel = await connect(owner.key, "telegram");
    const [draft, publish] = [
      await makeKey(owner, { scopes: ["draft"] }),
      await makeKey(owner, { scopes: ["publish"] }),
    ];
    const whole = { text: "x", channels: [channel.id], publish_at: tomorrow() };
    const create = ({ key }: { key: string }, fields: object = {}) =>
      call<PostBody>("POST", "/v1/posts", { token: key, body: { ...whole, ...fields } });
    expect(await create(draft)).toMatchObject(missingScope("publish"));
    expect(await create(publish, { draft: true })).toMatchObject(missingScope("draft"));
    const drafted = await create(draft, { draft: true });
    const scheduled = await create(publish);
    expect([drafted.status, scheduled.status]).toEqual([201, 201]);
    const change = ({ key }: { key: string }, { body }: { body: PostBody }, patch: object) =>
      call("PATCH", `/v1/posts/${body.id}`, { token: key, body: patch });
    expect(await change(draft, drafted, { draft: false })).toMatchObject(missingScope("publish"));
    expect(await change(draft, scheduled, { text: "y" })).toMatchObject(missingScope("publish"));
    expect(await change(publish, drafted, { text: "y" })).toMatchObject(missingScope("draft"));
    expect((await change(draft, drafted, { text: "y" })).status).toBe(200);
    expect((await change(publish, drafted, { draft: false })).status).toBe(200);
    const remove = ({ key }: { key: string }, { body }: { body: PostBody }) =>
      call("DELETE", `/v1/posts/${body.id}`, { token: key });
    expect(await remove(draft, scheduled)).toMatchObject(missingScope("publish"));
    expect((await remove(publish, scheduled)).status).toBe(200);
    expect(await call("GET", "/v1/posts", { token: publish.key })).toMatchObject(missingScope("read"));
  });
});

describe("a key that is limited to channels", () => {
  /** A workspace with two channels, and a key with all scopes for the first of them. */
  const openLimited = async () => {
    const owner = await signUp();
    const [ours, theirs] = [await connect(owner.key, "telegram"), await connect(owner.key, "bluesky")];
    const { key } = await makeKey(owner, { scopes: ["read", "draft", "publish", "manage"], channels: [ours.id] });
    return { owner, ours, theirs, key };
  };

  it("a limited key does not see posts of other channels in a replayed import", async () => {
    const { owner, ours, theirs, key } = await openLimited();
    const rows = [ours, theirs].map(({ id }) => ({ text: "x", channels: [id], publish_at: tomorrow() }));
    const headers = { "content-type": "application/x-ndjson", "idempotency-key": "one-file" };
    const send = (token: string) =>
      call<{ rows: { post: PostBody | null }[] }>("POST", "/v1/posts/import", {
        token,
        headers,
        body: rows.map((row) => JSON.stringify(row)).join("\n"),
      });
    const [first] = (await send(owner.key)).body.rows;
    expect(await send(key)).toMatchObject({
      status: 200,
      body: { created: 1, rows: [{ post: { id: first?.post?.id } }, { post: null }] },
    });
  });

  it("a limited key sees and uses only its channels, and other channels do not exist for it", async () => {
    const { owner, ours, theirs, key } = await openLimited();
    const { body } = await call<{ channels: { id: string }[] }>("GET", "/v1/channels", { token: key });
    expect(body.channels.map(({ id }) => id)).toEqual([ours.id]);
    expect(await call("GET", `/v1/channels/${ours.id}`, { token: key })).toMatchObject({
      status: 200,
      body: body.channels[0],
    });
    expect(await call("GET", `/v1/channels/${theirs.id}`, { token: key })).toMatchObject({ status: 404 });
    expect(await call("GET", `/v1/channels/${theirs.id}`, { token: owner.key })).toMatchObject({ status: 200 });
    const created = await post(key, { text: "x", channels: [ours.id], publish_at: tomorrow() });
    expect(created.status).toBe("scheduled");
    for (const channelName of [theirs.id, theirs.handle, "bluesky"]) {
      const answer = await call("POST", "/v1/posts", {
        token: key,
        body: { text: "y", channels: [ours.id, channelName] },
      });
      expect(answer).toMatchObject({ status: 422, body: { error: "unknown_channel", field: "/channels/1" } });
      if (channelName !== theirs.id) expect(JSON.stringify(answer.body)).not.toContain(theirs.id);
    }
    const edit = await call("PATCH", `/v1/posts/${created.id}`, { token: key, body: { channels: [theirs.id] } });
    expect(edit).toMatchObject({ status: 422, body: { error: "unknown_channel" } });
    for (const [method, path] of [
      ["GET", `/v1/channels/${theirs.id}/options/board`],
      ["DELETE", `/v1/channels/${theirs.id}`],
    ] as const) {
      const { status } = await call(method, path, { token: key });
      expect(status, path).toBe(404);
    }
    expect((await call("GET", "/v1/channels", { token: owner.key })).body.channels).toHaveLength(2);
  });

  it("a limited key neither finds nor changes a post that goes to another channel", async () => {
    const { owner, ours, theirs, key } = await openLimited();
    const [alone, shared] = [
      await post(owner.key, { text: "same words", channels: [ours.id], publish_at: tomorrow() }),
      await post(owner.key, { text: "same words", channels: [ours.id, theirs.id], publish_at: tomorrow() }),
    ];
    const path = `/v1/posts/${shared.id}`;
    for (const [method, target, body] of [
      ["GET", path, undefined],
      ["PATCH", path, { text: "y" }],
      ["DELETE", path, undefined],
      ["POST", `${path}/deliveries/${ours.id}/retry`, {}],
      ["DELETE", `${path}/deliveries/${ours.id}`, undefined],
    ] as const) {
      expect((await call(method, target, { token: key, body })).status, `${method} ${target}`).toBe(404);
    }
    for (const query of ["", "?status=scheduled", "?order=due", "?q=words", `?channel=${ours.id}`]) {
      const { body } = await call<{ posts: PostBody[] }>("GET", `/v1/posts${query}`, { token: key });
      expect(
        body.posts.map(({ id }) => id),
        query,
      ).toEqual([alone.id]);
    }
    const warned = await post(key, { text: "same words", channels: [ours.id], publish_at: tomorrow() });
    expect(JSON.stringify(warned.warnings)).not.toContain(shared.id);
    expect(await getPost(owner.key, shared.id)).toMatchObject({ status: "scheduled", text: "same words" });
  });

  it("a limited key does not see the post of an idempotency key that now goes to another channel", async () => {
    const { owner, ours, theirs, key } = await openLimited();
    const body = { text: "x", channels: [ours.id], publish_at: tomorrow() };
    const headers = { "idempotency-key": "one" };
    const created = await post(key, body, headers);
    await call("PATCH", `/v1/posts/${created.id}`, { token: owner.key, body: { channels: [ours.id, theirs.id] } });
    expect((await call("POST", "/v1/posts", { token: key, body, headers })).status).toBe(404);
  });

  it("a limited key cannot manage anything that belongs to the whole workspace", async () => {
    const { key } = await openLimited();
    const url = "https://example.com/hook";
    for (const [method, path, body] of [
      ["POST", "/v1/webhooks", { url }],
      ["POST", "/v1/channels", { platform: "telegram" }],
      ["POST", "/v1/channels/connect", { platform: "x" }],
      ["PATCH", "/v1/workspace", { timezone: "Europe/Berlin" }],
    ] as const) {
      expect(await call(method, path, { token: key, body }), path).toMatchObject(missingScope("manage"));
    }
  });

  it("a limited key cannot change the alt text of a file that a scheduled post uses", async () => {
    const { owner, theirs, key } = await openLimited();
    const image = await uploadImage(owner);
    await post(owner.key, { text: "x", media: [image.id], channels: [theirs.id], publish_at: tomorrow() });
    const answer = await call("PATCH", `/v1/media/${image.id}`, { token: key, body: { alt: "y" } });
    expect(answer).toMatchObject(missingScope("publish"));
    expect(JSON.stringify(answer.body)).not.toContain(theirs.id);
  });
});

describe.each(ERAS)("over MCP, %s", (era) => {
  const WRITES = ["draft_post", "update_post", "cancel_post", "create_upload", "register_media", "set_alt_text"];

  it("a draft key sees only the tools that it may use, and its instructions tell the agent to ask for publication", async () => {
    const owner = await signUp();
    const [ours, theirs] = [await connect(owner.key, "telegram"), await connect(owner.key, "bluesky")];
    const { key } = await makeKey(owner, { scopes: ["draft"], channels: [ours.id] });
    const client = await connectClient(key, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [...WRITES, "check_post", "queue_post", "list_platform_rules"].sort(),
    );
    expect(JSON.stringify(tools)).not.toContain(theirs.id);
    const instructions = client.getInstructions() ?? "";
    expect(instructions).toMatch(/^The key of this connection is limited to `draft`/);
    expect(instructions).toContain("ask them to publish it");
    expect(await callTool(client, "draft_post", { text: "x", channels: [ours.id] })).toMatchObject({
      refused: false,
      body: { status: "draft" },
    });
    const queue = () => callTool(client, "queue_post", { text: "x", channels: [ours.id] });
    expect(await queue()).toMatchObject({ refused: true, body: { error: "scope_missing", scope: "publish" } });
    const path = `/v1/workspaces/${owner.workspace}`;
    await call("PATCH", path, { token: owner.session, body: { approval: "authors" } });
    expect(await queue()).toMatchObject({ refused: false, body: { status: "awaiting_approval", deliveries: [] } });
    await expect(
      callTool(client, "change_delivery", { id: "post_x", channel: ours.id, do: "take_down" }),
    ).rejects.toThrow();
  });

  it("the workspace key sees all tools and the full instructions", async () => {
    const owner = await signUp();
    const client = await connectClient(owner.key, era);
    expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(19);
    expect(client.getInstructions()).toMatch(/^Crier publishes/);
  });

  it.each(["revoked", "expired", "its owner left"])(
    "a key that has ended (%s) no longer works in an open session",
    async (reason) => {
      const [owner, second] = [await signUp(), await signUp()];
      const userId = await join(owner, second, "owner");
      const namedKey = await makeKey({ ...second, workspace: owner.workspace }, { scopes: ["read"] });
      const client = await connectClient(namedKey.key, era);
      expect((await callTool(client, "list_posts")).refused).toBe(false);
      if (reason === "revoked") await revoke(owner, namedKey.id);
      if (reason === "expired")
        await testEnv.DB.prepare("UPDATE named_keys SET expires_at = 1 WHERE id = ?").bind(namedKey.id).run();
      if (reason === "its owner left")
        await call("DELETE", `/v1/workspaces/${owner.workspace}/members/${userId}`, { token: owner.session });
      await expect(callTool(client, "list_posts")).rejects.toThrow();
    },
  );
});
