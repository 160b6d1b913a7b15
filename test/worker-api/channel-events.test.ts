// The feed contains events of channels only for callers who request them.
import { expect, it } from "vitest";
import { loseCredential } from "../../src/store/channels/credentials.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { CREDENTIALS } from "../support/credentials.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, signUp, unique } from "../support/world.ts";

interface Page {
  events: { event: string; channel: string; post: string | null; error: string | null; action: string | null }[];
  next: string | null;
}
const listFeed = (key: string, query: string) => call<Page>("GET", `/v1/events${query}`, { token: key });

/** Connects a channel twice, and then has its network end the credential. */
async function connectAndLose() {
  const account = await signUp();
  const name = unique("acct");
  const channel = await connect(account.key, "telegram", name);
  const body = { platform: "telegram", ...CREDENTIALS.telegram?.(name) };
  const again = await call("POST", "/v1/channels", { token: account.key, body });
  expect(again).toMatchObject({ status: 200, body: { id: channel.id } });
  const row = await testEnv.DB.prepare("SELECT credential_id FROM channels WHERE id = ?")
    .bind(channel.id)
    .first<{ credential_id: string }>();
  const loss = { channel: channel.id, error: "token_revoked", action: "reconnect_required" };
  const event = {
    id: `evt_${channel.id}`,
    event: "channel.disconnected",
    body: JSON.stringify({ event: "channel.disconnected", ...loss }),
    createdAt: Date.now() + 1,
  };
  const credentialId = row?.credential_id ?? expect.fail("no credential");
  await loseCredential(openDatabase(testEnv.DB), account.workspace, channel.id, credentialId, "token_revoked", event);
  return { ...account, channel, loss };
}

it("lists the connection, reconnection and disconnection of a channel, newest first", async () => {
  const { key, channel, loss } = await connectAndLose();
  const connected = { channel: channel.id, post: null, error: null, action: null };
  const { body } = await listFeed(key, "?include=channels");
  expect(body.events).toMatchObject([
    { ...loss, event: "channel.disconnected", post: null },
    { ...connected, event: "channel.reconnected" },
    { ...connected, event: "channel.connected" },
  ]);
  const disconnected = await listFeed(key, "?include=channels&event=channel.disconnected");
  expect(disconnected.body.events).toMatchObject([{ ...loss, event: "channel.disconnected" }]);
});

it("lists no channel events for callers who do not request them, and the refusal says how to request them", async () => {
  const { key } = await connectAndLose();
  expect((await listFeed(key, "")).body.events).toEqual([]);
  expect(await listFeed(key, "?event=channel.connected")).toMatchObject({
    status: 422,
    body: { error: "unknown_event", field: "/event", hint: expect.stringContaining("include=channels") },
  });
  expect(await listFeed(key, "?include=posts")).toMatchObject({ status: 422 });
});

it("lists no event for a channel that exceeds the plan", async () => {
  const account = await signUp();
  await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
  let status = 201;
  for (let count = 0; status === 201; count++) {
    const body = { platform: "telegram", ...CREDENTIALS.telegram?.(unique(`acct${count}`)) };
    ({ status } = await call("POST", "/v1/channels", { token: account.key, body }));
  }
  expect(status).toBe(402);
  const { body } = await call<{ channels: object[] }>("GET", "/v1/channels", { token: account.key });
  expect((await listFeed(account.key, "?include=channels")).body.events).toHaveLength(body.channels.length);
});

it("sends channel events only to endpoints that name them", async () => {
  const account = await signUp();
  const register = async (body: object) => {
    const { status } = await call("POST", "/v1/webhooks", { token: account.key, body });
    expect(status).toBe(201);
  };
  await register({ url: "https://one.example.com/hook", events: ["channel.connected"] });
  await register({ url: "https://other.example.com/hook" });
  await connect(account.key, "telegram");
  const { results } = await testEnv.DB.prepare(
    `SELECT w.url FROM webhook_messages m JOIN webhooks w ON w.workspace_id = m.workspace_id AND w.id = m.webhook_id
      WHERE m.workspace_id = ?`,
  )
    .bind(account.workspace)
    .all();
  expect(results).toEqual([{ url: "https://one.example.com/hook" }]);
});
