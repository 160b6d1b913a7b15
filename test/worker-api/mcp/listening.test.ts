// Streams of `subscriptions/listen`: their notifications, their end, and their use of the database.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SCOPES } from "../../../src/domain/roles.ts";
import { McpConnection } from "../../../src/objects/mcp-connection.ts";
import { countedDatabase } from "../../support/counted-db.ts";
import { CREDENTIALS } from "../../support/credentials.ts";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { type Account, call, connect, fault, finished, post, signUp, unique } from "../../support/world.ts";
import { connectClient } from "./clients.ts";
import { getConnection, rotateKey } from "./sessions.ts";

const MINUTE_MS = 60_000;

afterEach(() => vi.useRealTimers());

/** Opens a client that listens, and counts the notifications that its tools have changed. */
async function listen({ key }: Account) {
  const received = { count: 0 };
  const client = await connectClient(key, "2026-07-28");
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    received.count++;
  });
  const stream = await client.listen({ toolsListChanged: true });
  return { received, stream, client };
}

/** Builds a request for a stream, in the form in which the front passes it to a connection. */
async function buildListenRequest(account: Account): Promise<Request> {
  const keyId = (await getConnection(account)).name?.replace("key:", "");
  const { workspace: workspaceId } = account;
  const caller = { kind: "key", keyId, name: "Key", workspaceId, scopes: SCOPES, channels: null, budget: null };
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  };
  const params = { notifications: { toolsListChanged: true }, _meta: meta };
  return new Request("http://crier.test/mcp", {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
      "x-crier-call": JSON.stringify({ caller, requestId: "req_1", address: null }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params }),
  });
}

describe("a stream that listens", () => {
  it("a stream is notified of a channel that is connected, reconnected, disconnected or refused by its network", async () => {
    const account = await signUp();
    const { received } = await listen(account);
    const name = unique("acct");
    const first = await connect(account.key, "bluesky", name);
    await eventually(() => expect(received.count).toBe(1));
    await call("DELETE", `/v1/channels/${first.id}`, { token: account.key });
    await eventually(() => expect(received.count).toBe(2));
    const body = { platform: "bluesky", ...CREDENTIALS.bluesky?.(name) };
    expect((await call("POST", "/v1/channels", { token: account.key, body })).status).toBe(200);
    await eventually(() => expect(received.count).toBe(3));

    // The channel's publisher, which is another object, sends this notification.
    const refusal = { platform: "bluesky", account: first.handle, do: "status" };
    await fault(
      { platform: "bluesky", account: first.handle, expire_token: true },
      { ...refusal, call: "com.atproto.server.refreshSession", status: 400, body: { error: "ExpiredToken" } },
      { ...refusal, call: "com.atproto.server.createSession", status: 401, body: { error: "AuthenticationRequired" } },
    );
    const { id } = await post(account.key, { text: "refused", channels: [first.id] });
    await finished(account.key, id);
    await eventually(() => expect(received.count).toBe(4));
  });

  it("a stream is not notified of a channel that its key must not use", async () => {
    const account = await signUp();
    const [allowed, hidden] = [await connect(account.key, "bluesky"), await connect(account.key, "telegram")];
    const { body } = await call<{ key: string }>("POST", `/v1/workspaces/${account.workspace}/keys`, {
      token: account.session,
      body: { name: "narrow", scopes: SCOPES, channels: [allowed.id] },
    });
    const [narrow, wide] = [await listen({ ...account, key: body.key }), await listen(account)];
    await call("DELETE", `/v1/channels/${hidden.id}`, { token: account.key });
    await eventually(() => expect(wide.received.count).toBe(1));
    await call("DELETE", `/v1/channels/${allowed.id}`, { token: account.key });
    await eventually(() => expect(narrow.received.count).toBe(1));
  });

  it("a stream makes no database query while no channel changes", async () => {
    const account = await signUp();
    let statements = 0;
    const { db } = countedDatabase(testEnv.DB, {
      isOn: () => false,
      beforeRoundTrip: async (count) => {
        statements += count;
      },
    });
    await runInDurableObject(testEnv.MCP.getByName("a connection of this test"), async (_, state) => {
      const connection = new McpConnection(state, { ...testEnv, DB: db });
      const begunAt = Date.now();
      const answer = await connection.fetch(await buildListenRequest(account));
      expect(answer.headers.get("content-type")).toMatch(/^text\/event-stream/);
      const read = answer.text();
      statements = 0;

      let alarms = 0;
      for (let alarmAt = await state.storage.getAlarm(); alarmAt !== null; alarmAt = await state.storage.getAlarm()) {
        vi.useFakeTimers({ toFake: ["Date"], now: alarmAt });
        await state.storage.deleteAlarm();
        await connection.alarm();
        alarms++;
      }
      expect({ statements, alarms }).toEqual({ statements: 0, alarms: 1 });
      expect(Date.now() - begunAt).toBeGreaterThanOrEqual(10 * MINUTE_MS);
      await read;
    });
  });

  it("a stream is notified at its start of changes while its client was not listening", async () => {
    const account = await signUp();
    const before = await listen(account);
    await before.client.close();
    await connect(account.key, "bluesky");
    const after = await listen(account);
    await eventually(() => expect(after.received.count).toBe(1));
  });

  it("a stream ends with its key", async () => {
    const account = await signUp();
    const { stream } = await listen(account);
    await rotateKey(account);
    await stream.closed;
  });

  it("a stream ends when four newer ones are open, because it may belong to a client that is gone", async () => {
    const account = await signUp();
    const streams: Awaited<ReturnType<typeof listen>>[] = [];
    for (let i = 0; i < 6; i++) streams.push(await listen(account));
    await Promise.all(streams.slice(0, 2).map(({ stream }) => stream.closed));
    await connect(account.key, "bluesky");
    await eventually(() => expect(streams.map(({ received }) => received.count)).toEqual([0, 0, 1, 1, 1, 1]));
  });

  it("a stream ends after ten minutes, and its client may open another", async () => {
    const account = await signUp();
    const { stream, client } = await listen(account);
    const connection = await getConnection(account);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * MINUTE_MS });
    expect(await runDurableObjectAlarm(connection)).toBe(true);
    await stream.closed;
    vi.useRealTimers();
    expect(await runDurableObjectAlarm(connection)).toBe(false);
    await client.listen({ toolsListChanged: true });
  });
});
