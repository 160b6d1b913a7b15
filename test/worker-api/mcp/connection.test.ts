// One connection for each workspace key: who gets in, what a session survives, and what ends it.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { BODY_BYTES_MAX } from "../../../src/domain/limits.ts";
import { RATE_LIMITS } from "../../../src/domain/rate-limit.ts";
import { SCOPES } from "../../../src/domain/roles.ts";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { type Account, call, connect, signUp } from "../../support/world.ts";
import { beginSession, callTool, connected, ERAS, INITIALIZE, messagesOf, send } from "./clients.ts";

const PING = { jsonrpc: "2.0", id: 2, method: "ping" };
const LIST_TOOLS = { jsonrpc: "2.0", id: 3, method: "tools/list", params: {} };
const USAGE = { jsonrpc: "2.0", id: 4, method: "tools/call", params: { name: "get_usage", arguments: {} } };

/** The connection of a workspace's current key. */
async function connectionOf(account: Account) {
  const row = await testEnv.DB.prepare("SELECT id FROM workspace_keys WHERE workspace_id = ? AND revoked_at IS NULL")
    .bind(account.workspace)
    .first<{ id: string }>();
  return testEnv.MCP.getByName(`key:${row?.id}`);
}

const rotate = (account: Account) =>
  call<{ key: string }>("POST", `/v1/workspaces/${account.workspace}/key/rotate`, { token: account.session });

describe("access", () => {
  it("nobody without a key that is good", async () => {
    const account = await signUp();
    const other = await signUp();
    await rotate(other);
    const tokens: [string | undefined, string][] = [
      [undefined, "unauthorized"],
      ["nonsense", "unauthorized"],
      [account.session, "unauthorized"],
      [`${account.key}x`, "unauthorized"],
      [other.key, "key_revoked"],
    ];
    for (const [key, error] of tokens) {
      const answer = await send("POST", { key, body: INITIALIZE });
      expect(answer.status, String(key)).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(answer.headers.get("date")).toBeTruthy();
      expect(await answer.json()).toMatchObject({ error, request_id: answer.headers.get("x-request-id") });
    }
  });

  it("nobody who tries keys and tokens by the hundred", async () => {
    const { key } = await signUp();
    const tries: [string, string][] = [
      [`${key}x`, "203.0.113.81"],
      ["crier_at_nonsense", "203.0.113.82"],
    ];
    for (const [token, ip] of tries) {
      const headers = { "cf-connecting-ip": ip };
      const { windows } = RATE_LIMITS[token.startsWith("crier_at_") ? "bad_token_address" : "bad_key_address"];
      const most = windows[0][0];
      for (let i = 0; i < most; i += 50) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => send("POST", { key: token, body: PING, headers })),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
      }
      const refused = await send("POST", { key: token, body: PING, headers });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({ error: "rate_limited" });
      // A good key is not somebody who tries.
      expect((await send("POST", { key, body: INITIALIZE, headers })).status).toBe(200);
    }
  });

  it("no page of another site, and no name that was made to point here", async () => {
    const { key } = await signUp();
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://crier.test.evil.example" },
    ]) {
      expect((await send("POST", { key, body: INITIALIZE, headers })).status).toBe(403);
    }
    expect((await send("POST", { key, body: INITIALIZE, url: "http://rebound.example/mcp" })).status).toBe(403);
    expect((await send("POST", { key, body: INITIALIZE, headers: { origin: "http://crier.test" } })).status).toBe(200);
  });

  it("not by GET, which would keep a stream open", async () => {
    const { key } = await signUp();
    for (const method of ["GET", "PUT", "OPTIONS"]) {
      const answer = await send(method, { key });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST, DELETE");
    }
  });

  it("nobody as somebody else, whatever headers they send", async () => {
    const [mine, theirs] = [await signUp(), await signUp()];
    const caller = {
      kind: "key",
      keyId: "key_1",
      name: "Key",
      workspaceId: theirs.workspace,
      scopes: SCOPES,
      channels: null,
    };
    const headers = { "x-crier-call": JSON.stringify({ caller, requestId: "req_1", address: null }) };
    await connect(theirs.key, "bluesky");
    const session = await beginSession(mine.key);
    const body = { ...USAGE, params: { name: "list_channels", arguments: {} } };
    const [answer] = await messagesOf(
      await send("POST", { key: mine.key, body, headers: { ...headers, "mcp-session-id": session } }),
    );
    expect(answer).toMatchObject({ result: { structuredContent: { channels: [] } } });
  });
});

describe("messages", () => {
  it("must be JSON of a reasonable size", async () => {
    const { key } = await signUp();
    expect((await send("POST", { key, body: "{", headers: {} })).status).toBe(400);
    expect((await send("POST", { key, body: "{}", headers: { "content-type": "text/plain" } })).status).toBe(415);
    const large = JSON.stringify({ ...PING, params: { text: "x".repeat(BODY_BYTES_MAX) } });
    expect((await send("POST", { key, body: large })).status).toBe(413);
    const declared = await send("POST", {
      key,
      body: "{}",
      headers: { "content-length": String(10 * BODY_BYTES_MAX) },
    });
    expect(declared.status).toBe(413);
  });

  it("must read the same to everybody, and not be an abyss", async () => {
    const { key } = await signUp();
    const twice = '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}';
    const abyss = JSON.stringify(USAGE).replace(
      '"arguments":{}',
      `"arguments":${"[".repeat(50_000)}${"]".repeat(50_000)}`,
    );
    for (const body of [twice, '{"__proto__":{}}', abyss, "[", "", "nonsense"]) {
      const answer = await send("POST", { key, body });
      expect(answer.status, body.slice(0, 80)).toBe(400);
      expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 } });
    }
    for (const body of ["\ufeff{}", "null", "[]", "7", '"text"', "[[]]"]) {
      expect((await send("POST", { key, body })).status, body).toBe(400);
    }
  });

  it("may be a batch, as the first revision had it, and is answered message by message", async () => {
    const { key } = await signUp();
    const headers = { "mcp-session-id": await beginSession(key) };
    const answers = await messagesOf(
      await send("POST", { key, headers, body: [PING, USAGE, { ...PING, id: 9, method: "no" }] }),
    );
    expect(answers.map(({ id }) => id).sort()).toEqual([2, 4, 9]);
    expect((await send("POST", { key, body: [INITIALIZE, INITIALIZE] })).status).toBe(400);
  });

  it("of an unknown method or tool is refused by the protocol's own errors", async () => {
    const { key } = await signUp();
    const headers = { "mcp-session-id": await beginSession(key) };
    const [unknown] = await messagesOf(await send("POST", { key, headers, body: { ...PING, method: "tools/burn" } }));
    expect(unknown).toMatchObject({ id: 2, error: { code: -32601 } });
    const burn = { ...USAGE, params: { name: "burn", arguments: {} } };
    const [noTool] = await messagesOf(await send("POST", { key, headers, body: burn }));
    expect(noTool).toMatchObject({ id: 4, error: { code: -32602 } });
  });

  it("under 2026-07-28 must say in its headers what it says in its body", async () => {
    const { key } = await signUp();
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    };
    const body = { ...LIST_TOOLS, params: { _meta: meta } };
    const right = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    expect((await send("POST", { key, body, headers: right })).status).toBe(200);
    const wrong = await send("POST", { key, body, headers: { ...right, "mcp-method": "tools/call" } });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ error: { code: -32020 } });
  });
});

describe("a session", () => {
  it("is superseded by a new one, and then not found", async () => {
    const { key } = await signUp();
    const first = await beginSession(key);
    expect((await send("POST", { key, body: PING, headers: { "mcp-session-id": first } })).status).toBe(200);
    const second = await beginSession(key);
    expect(second).not.toBe(first);
    expect((await send("POST", { key, body: PING, headers: { "mcp-session-id": first } })).status).toBe(404);
    expect((await send("POST", { key, body: PING, headers: { "mcp-session-id": second } })).status).toBe(200);
  });

  it("is one, of however many are begun at once", async () => {
    const { key } = await signUp();
    const ids = await Promise.all(Array.from({ length: 8 }, () => beginSession(key)));
    const found = await Promise.all(
      ids.map(async (id) => (await send("POST", { key, body: PING, headers: { "mcp-session-id": id } })).status),
    );
    expect(found.sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
  });

  it("of one key is unknown to another", async () => {
    const [mine, theirs] = [await signUp(), await signUp()];
    const id = await beginSession(mine.key);
    await beginSession(theirs.key);
    expect((await send("POST", { key: theirs.key, body: PING, headers: { "mcp-session-id": id } })).status).toBe(404);
    expect((await send("POST", { key: mine.key, body: PING })).status).toBe(400);
  });

  it("survives that its object leaves the memory, for many calls at once", async () => {
    const account = await signUp();
    const { key } = account;
    const client = await connected(key, "2025-11-25");
    await evictDurableObject(await connectionOf(account));
    const answers = await Promise.all(Array.from({ length: 10 }, () => callTool(client, "get_usage")));
    expect(answers.map(({ refused }) => refused)).toEqual(Array(10).fill(false));
  });

  it("ends by DELETE", async () => {
    const { key } = await signUp();
    const headers = { "mcp-session-id": await beginSession(key) };
    expect((await send("DELETE", { key, headers })).status).toBe(200);
    expect((await send("POST", { key, body: PING, headers })).status).toBe(404);
  });

  it("ends with its key, at once, and leaves nothing", async () => {
    const account = await signUp();
    const connection = await connectionOf(account);
    const client = await connected(account.key, "2025-11-25");
    expect((await callTool(client, "get_usage")).refused).toBe(false);
    await rotate(account);
    await expect(callTool(client, "get_usage")).rejects.toThrow(/401|unauthorized|revoked/i);
    expect(await runInDurableObject(connection, async (_, state) => (await state.storage.list()).size)).toBe(0);
  });

  it("leaves nothing when its account is erased", async () => {
    const account = await signUp();
    const connection = await connectionOf(account);
    await beginSession(account.key);
    await call("DELETE", "/v1/auth/me", { token: account.session });
    expect(await runInDurableObject(connection, async (_, state) => (await state.storage.list()).size)).toBe(0);
  });

  it("stands beside calls of the other era", async () => {
    const { key } = await signUp();
    const [old, fresh] = [await connected(key, "2025-11-25"), await connected(key, "2026-07-28")];
    expect((await callTool(fresh, "get_usage")).refused).toBe(false);
    expect((await callTool(old, "get_usage")).refused).toBe(false);
    expect((await callTool(fresh, "get_usage")).refused).toBe(false);
  });
});

describe("a channel that comes or goes", () => {
  const idsOf = (tools: { name: string; inputSchema: unknown }[]) =>
    JSON.stringify(tools.find(({ name }) => name === "queue_post")?.inputSchema).match(/ch_\w{26}/g) ?? [];

  it.each(ERAS)("is in the next list of tools (%s)", async (era) => {
    const { key } = await signUp();
    const client = await connected(key, era);
    expect(idsOf((await client.listTools()).tools)).toEqual([]);
    const channel = await connect(key, "bluesky");
    expect(new Set(idsOf((await client.listTools({}, { cacheMode: "refresh" })).tools))).toEqual(new Set([channel.id]));
    await call("DELETE", `/v1/channels/${channel.id}`, { token: key });
    expect(idsOf((await client.listTools({}, { cacheMode: "refresh" })).tools)).toEqual([]);
  });

  it("is announced with the next answer to a session that has seen the tools, once", async () => {
    const account = await signUp();
    const { key } = account;
    const headers = { "mcp-session-id": await beginSession(key) };
    const methods = async (body: unknown) =>
      (await messagesOf(await send("POST", { key, body, headers }))).map(({ method }) => method ?? "answer");
    await methods(LIST_TOOLS);
    expect(await methods(USAGE)).toEqual(["answer"]);
    await connect(key, "bluesky");
    await evictDurableObject(await connectionOf(account));
    expect(await methods(USAGE)).toEqual(["notifications/tools/list_changed", "answer"]);
    expect(await methods(USAGE)).toEqual(["answer"]);
  });

  it("is announced to streams that listen, until the key ends", async () => {
    const account = await signUp();
    const { key } = account;
    const notified = { changes: 0 };
    const client = await connected(key, "2026-07-28");
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      notified.changes++;
    });
    const subscription = await client.listen({ toolsListChanged: true });
    const connection = await connectionOf(account);
    expect(await runDurableObjectAlarm(connection)).toBe(true);
    expect(notified.changes).toBe(0);
    await connect(key, "bluesky");
    await client.listTools({}, { cacheMode: "refresh" });
    await runDurableObjectAlarm(connection);
    await eventually(() => expect(notified.changes).toBe(1));
    await rotate(account);
    await subscription.closed;
  });

  it("is announced to the four streams that listen last: one more ends the oldest, whose client may be gone", async () => {
    const account = await signUp();
    const notified: number[] = [];
    const clients = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const client = await connected(account.key, "2026-07-28");
        client.setNotificationHandler("notifications/tools/list_changed", () => void notified.push(i));
        return client;
      }),
    );
    const streams: { closed: Promise<unknown> }[] = [];
    for (const client of clients) streams.push(await client.listen({ toolsListChanged: true }));
    await Promise.all(streams.slice(0, 2).map(({ closed }) => closed));
    await connect(account.key, "bluesky");
    await runDurableObjectAlarm(await connectionOf(account));
    await eventually(() => expect(notified.sort()).toEqual([2, 3, 4, 5]));
  });
});
