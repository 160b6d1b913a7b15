// A session of a workspace key: its lifetime, and its announcements of channels.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { call, connect, signUp } from "../../support/world.ts";
import { beginSession, callTool, connectClient, ERAS, readMessages, send } from "./clients.ts";
import { getConnection, LIST_TOOLS, PING, rotateKey, USAGE } from "./sessions.ts";

describe("a session", () => {
  it("a session is replaced by a new one and then not found", async () => {
    const { key } = await signUp();
    const first = await beginSession(key);
    expect((await send("POST", { key, body: PING, headers: { "mcp-session-id": first } })).status).toBe(200);
    const second = await beginSession(key);
    expect(second).not.toBe(first);
    expect((await send("POST", { key, body: PING, headers: { "mcp-session-id": first } })).status).toBe(404);
    expect((await send("POST", { key, body: PING, headers: { "mcp-session-id": second } })).status).toBe(200);
  });

  it("simultaneous starts leave a single session", async () => {
    const { key } = await signUp();
    const ids = await Promise.all(Array.from({ length: 8 }, () => beginSession(key)));
    const statuses = await Promise.all(
      ids.map(async (id) => (await send("POST", { key, body: PING, headers: { "mcp-session-id": id } })).status),
    );
    expect(statuses.sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
  });

  it("a session of one key is unknown to another key", async () => {
    const [mine, theirs] = [await signUp(), await signUp()];
    const id = await beginSession(mine.key);
    await beginSession(theirs.key);
    expect((await send("POST", { key: theirs.key, body: PING, headers: { "mcp-session-id": id } })).status).toBe(404);
    expect((await send("POST", { key: mine.key, body: PING })).status).toBe(400);
  });

  it("a session survives the eviction of its object, even with many calls at once", async () => {
    const account = await signUp();
    const { key } = account;
    const client = await connectClient(key, "2025-11-25");
    await evictDurableObject(await getConnection(account));
    const answers = await Promise.all(Array.from({ length: 10 }, () => callTool(client, "get_usage")));
    expect(answers.map(({ refused }) => refused)).toEqual(Array(10).fill(false));
  });

  it("a session ends by DELETE", async () => {
    const { key } = await signUp();
    const headers = { "mcp-session-id": await beginSession(key) };
    expect((await send("DELETE", { key, headers })).status).toBe(200);
    expect((await send("POST", { key, body: PING, headers })).status).toBe(404);
  });

  it("a session ends at once with its key and leaves no data", async () => {
    const account = await signUp();
    const connection = await getConnection(account);
    const client = await connectClient(account.key, "2025-11-25");
    expect((await callTool(client, "get_usage")).refused).toBe(false);
    await rotateKey(account);
    await expect(callTool(client, "get_usage")).rejects.toThrow(/401|unauthorized|revoked/i);
    expect(await runInDurableObject(connection, async (_, state) => (await state.storage.list()).size)).toBe(0);
  });

  it("a session leaves no data when its account is erased", async () => {
    const account = await signUp();
    const connection = await getConnection(account);
    await beginSession(account.key);
    await call("DELETE", "/v1/auth/me", { token: account.session });
    expect(await runInDurableObject(connection, async (_, state) => (await state.storage.list()).size)).toBe(0);
  });

  it("a session works next to calls of the other version of the protocol", async () => {
    const { key } = await signUp();
    const [old, fresh] = [await connectClient(key, "2025-11-25"), await connectClient(key, "2026-07-28")];
    expect((await callTool(fresh, "get_usage")).refused).toBe(false);
    expect((await callTool(old, "get_usage")).refused).toBe(false);
    expect((await callTool(fresh, "get_usage")).refused).toBe(false);
  });
});

describe("a channel that is connected or disconnected", () => {
  const listChannelIds = (tools: { name: string; inputSchema: unknown }[]) =>
    JSON.stringify(tools.find(({ name }) => name === "queue_post")?.inputSchema).match(/ch_\w{26}/g) ?? [];

  it.each(ERAS)("a channel appears in the next list of tools, and a disconnected one disappears (%s)", async (era) => {
    const { key } = await signUp();
    const client = await connectClient(key, era);
    expect(listChannelIds((await client.listTools()).tools)).toEqual([]);
    const channel = await connect(key, "bluesky");
    expect(new Set(listChannelIds((await client.listTools({}, { cacheMode: "refresh" })).tools))).toEqual(
      new Set([channel.id]),
    );
    await call("DELETE", `/v1/channels/${channel.id}`, { token: key });
    expect(listChannelIds((await client.listTools({}, { cacheMode: "refresh" })).tools)).toEqual([]);
  });

  it("a new channel is announced once, with the next answer to a session that has listed the tools", async () => {
    const account = await signUp();
    const { key } = account;
    const headers = { "mcp-session-id": await beginSession(key) };
    const methods = async (body: unknown) =>
      (await readMessages(await send("POST", { key, body, headers }))).map(({ method }) => method ?? "answer");
    await methods(LIST_TOOLS);
    expect(await methods(USAGE)).toEqual(["answer"]);
    await connect(key, "bluesky");
    await evictDurableObject(await getConnection(account));
    expect(await methods(USAGE)).toEqual(["notifications/tools/list_changed", "answer"]);
    expect(await methods(USAGE)).toEqual(["answer"]);
  });
});
