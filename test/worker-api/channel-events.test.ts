// The events of channels in the feed: only for callers who ask for them.
import { expect, it } from "vitest";
import { loseCredential } from "../../src/store/channels/credentials.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, signUp } from "../support/world.ts";

interface Page {
  events: { event: string; channel: string; post: string | null; error: string | null; action: string | null }[];
  next: string | null;
}
const feed = (key: string, query: string) => call<Page>("GET", `/v1/events${query}`, { token: key });

/** A channel whose network has ended its credential. */
async function disconnected() {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const row = await testEnv.DB.prepare("SELECT credential_id FROM channels WHERE id = ?")
    .bind(channel.id)
    .first<{ credential_id: string }>();
  const news = { channel: channel.id, error: "token_revoked", action: "reconnect_required" };
  const body = JSON.stringify({ event: "channel.disconnected", ...news });
  const event = { id: `evt_${channel.id}`, event: "channel.disconnected", body, createdAt: 1 };
  const credentialId = row?.credential_id ?? expect.fail("no credential");
  await loseCredential(openDatabase(testEnv.DB), account.workspace, channel.id, credentialId, "token_revoked", event);
  return { ...account, news };
}

it("lists that a network has ended a credential for callers who ask", async () => {
  const { key, news } = await disconnected();
  const listed = [{ ...news, event: "channel.disconnected", post: null }];
  expect((await feed(key, "?include=channels")).body.events).toMatchObject(listed);
  expect((await feed(key, "?include=channels&event=channel.disconnected")).body.events).toMatchObject(listed);
});

it("lists none of it for callers who do not ask, and says how to", async () => {
  const { key } = await disconnected();
  expect((await feed(key, "")).body.events).toEqual([]);
  expect(await feed(key, "?event=channel.disconnected")).toMatchObject({
    status: 422,
    body: { error: "unknown_event", field: "/event", hint: expect.stringContaining("include=channels") },
  });
  expect(await feed(key, "?include=posts")).toMatchObject({ status: 422 });
});
