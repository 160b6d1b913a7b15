// Credentials of channels that publish nothing, and the reports when a credential is lost.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { renewCredential } from "../../src/follow-up/renew-credential.ts";
import { readChannel } from "../../src/store/channels/channels.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { makeFollowUpTools } from "../support/one-session.ts";
import {
  type ChannelBody,
  call,
  connect,
  fault,
  finished,
  getPost,
  ledger,
  post,
  signUp,
  unique,
} from "../support/world.ts";

const DAY_MS = 24 * 3_600_000;
/** Renews a channel's credential, `times` times at once in one publisher. */
async function renew(workspaceId: string, channel: string, times = 1): Promise<void> {
  const tools = makeFollowUpTools(
    compose(testEnv, () => {}),
    openDatabase(testEnv.DB),
  );
  const lane = { workspaceId, lane: 0 };
  await Promise.all(Array.from({ length: times }, () => renewCredential(tools, lane, channel)));
}

interface Row {
  credential: string | null;
  renew_at: number | null;
  lost_reason: string | null;
}
const getRow = async (channel: ChannelBody): Promise<Row> => {
  const row = await testEnv.DB.prepare("SELECT * FROM channels WHERE id = ?").bind(channel.id).first<Row>();
  return row ?? expect.fail("no such channel");
};
/** A channel whose renewal is due. */
async function connectIdle() {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  await testEnv.DB.prepare("UPDATE channels SET renew_at = 1 WHERE id = ?").bind(channel.id).run();
  return { ...account, channel, before: await getRow(channel) };
}
const buildTokenTarget = ({ handle }: ChannelBody) => ({ platform: "x", account: handle, call: "oauth2/token" });
const refuseGrant = (channel: ChannelBody) =>
  fault({ ...buildTokenTarget(channel), do: "status", status: 400, body: { error: "invalid_grant" } });
const getEvents = async (channel: ChannelBody) =>
  (
    await testEnv.DB.prepare("SELECT event, body FROM events WHERE channel_id = ? AND event <> 'channel.connected'")
      .bind(channel.id)
      .all()
  ).results;

describe("the credential of an idle channel", () => {
  it("is due for renewal a week after connecting, although its access token expires after two hours", async () => {
    const { key } = await signUp();
    const handle = unique("@h");
    const name = handle.slice(1);
    const credentials = {
      access_token: `access-for-${name}`,
      refresh_token: `refresh-for-${name}`,
      expires_at: new Date(Date.now() + 7_200_000).toISOString(),
    };
    const body = { platform: "x", handle, credentials };
    const { body: channel } = await call<ChannelBody>("POST", "/v1/channels", { token: key, body });
    const days = ((await getRow(channel)).renew_at ?? 0) - Date.now();
    expect(Math.round(days / DAY_MS)).toBe(7);
  });

  it("is renewed once, however often the renewal is requested", async () => {
    const { key, workspace, channel, before } = await connectIdle();
    await renew(workspace, channel.id, 5);
    const after = await getRow(channel);
    expect(after.credential).not.toBe(before.credential);
    expect((after.renew_at ?? 0) - Date.now()).toBeGreaterThan(6 * DAY_MS);
    const { id } = await post(key, { text: "with the new one", channels: [channel.id] });
    expect((await finished(key, id)).status).toBe("published");
    expect(await ledger(channel.handle)).toHaveLength(1);
  });

  it("is kept if the network does not answer, and the renewal is retried later", async () => {
    const { workspace, channel, before } = await connectIdle();
    await fault({ ...buildTokenTarget(channel), do: "reset_before" });
    await renew(workspace, channel.id);
    const after = await getRow(channel);
    expect(after).toMatchObject({ credential: before.credential, lost_reason: null });
    expect((after.renew_at ?? 0) - Date.now()).toBeGreaterThan(20 * 60_000);
    expect(await getEvents(channel)).toEqual([]);
  });
});

describe("a credential whose early renewal fails because the network does not answer", () => {
  /** A channel whose access token is due for renewal and expires in `minutes` minutes. */
  async function connectExpiring(minutes: number) {
    const account = await signUp();
    const handle = unique("@h");
    const credentials = {
      access_token: `access-for-${handle.slice(1)}`,
      refresh_token: `refresh-for-${handle.slice(1)}`,
      expires_at: new Date(Date.now() + minutes * 60_000).toISOString(),
    };
    const body = { platform: "x", handle, credentials };
    const { body: channel } = await call<ChannelBody>("POST", "/v1/channels", { token: account.key, body });
    return { ...account, channel, before: await getRow(channel) };
  }
  const failTokenCalls = (channel: ChannelBody, answer: object = { do: "reset_before" }) =>
    fault({ platform: "x", account: channel.handle, call: "oauth2/token", count: 20, ...answer });
  const eventNames = async (channel: ChannelBody) => (await getEvents(channel)).map(({ event }) => event);

  it("is used while it is valid", async () => {
    const { key, channel, before } = await connectExpiring(30);
    await failTokenCalls(channel);
    const { id } = await post(key, { text: "with the old one", channels: [channel.id] });
    expect((await finished(key, id)).deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
    expect(await eventNames(channel)).toEqual(["delivery.succeeded"]);
    expect(await getRow(channel)).toMatchObject({ credential: before.credential, lost_reason: null });
  });

  it("delays due deliveries if it is about to expire", async () => {
    const { key, channel } = await connectExpiring(1);
    await failTokenCalls(channel);
    const { id } = await post(key, { text: "later", channels: [channel.id] });
    await eventually(async () => expect(await eventNames(channel)).toContain("delivery.retrying"));
    expect((await getPost(key, id)).deliveries).toMatchObject([{ status: "retrying", attempts: 0 }]);
    expect(await ledger(channel.handle)).toEqual([]);
  });

  it("delays due deliveries if the network asks to wait", async () => {
    const { key, channel } = await connectExpiring(30);
    await failTokenCalls(channel, { do: "status", status: 503, headers: { "retry-after": "600" } });
    const { id } = await post(key, { text: "in ten minutes", channels: [channel.id] });
    await eventually(async () => expect(await eventNames(channel)).toContain("delivery.retrying"));
    expect((await getPost(key, id)).deliveries).toMatchObject([{ status: "retrying", attempts: 0 }]);
    expect(await ledger(channel.handle)).toEqual([]);
  });
});

it("a credential is unsealed once, and again after its channel was reconnected", async () => {
  const { key, workspace } = await signUp();
  const handle = unique("@h");
  const name = handle.slice(1);
  const db = openDatabase(testEnv.DB);
  const { credentials } = makeFollowUpTools(
    compose(testEnv, () => {}),
    db,
  );
  const connectWith = async (fields: object) => {
    const body = { platform: "x", handle, credentials: { access_token: `access-for-${name}`, ...fields } };
    const { body: channel } = await call<ChannelBody>("POST", "/v1/channels", { token: key, body });
    return (await readChannel(db, workspace, channel.id)) ?? expect.fail("no such channel");
  };
  const before = await connectWith({});
  const [first, second] = [await credentials.unseal(before), await credentials.unseal(before)];
  expect(first).toMatchObject({ is: "usable", credential: { refresh_token: null } });
  expect(second).toBe(first);
  const after = await connectWith({ refresh_token: `refresh-for-${name}` });
  expect(after.id).toBe(before.id);
  const reconnected = await credentials.unseal(after);
  expect(reconnected).toMatchObject({ is: "usable", credential: { refresh_token: `refresh-for-${name}` } });
});

describe("a credential that the network rejects permanently", () => {
  it("is discarded, and reported once", async () => {
    const { key, workspace, channel } = await connectIdle();
    await refuseGrant(channel);
    await renew(workspace, channel.id, 3);
    expect(await getRow(channel)).toMatchObject({ credential: null, lost_reason: "token_revoked", renew_at: null });
    const [event, ...otherEvents] = await getEvents(channel);
    expect(otherEvents).toEqual([]);
    expect(event?.event).toBe("channel.disconnected");
    expect(JSON.parse(String(event?.body))).toMatchObject({
      event: "channel.disconnected",
      workspace,
      channel: channel.id,
      platform: "x",
      handle: channel.handle,
      error: "token_revoked",
      action: "reconnect_required",
    });
    const [listedChannel] = (await call<{ channels: ChannelBody[] }>("GET", "/v1/channels", { token: key })).body
      .channels;
    expect(listedChannel).toMatchObject({ connected: false, state: "needs_reconnect" });
  });

  it("fails queued deliveries with the remedy", async () => {
    const { key, channel } = await connectIdle();
    await fault({ platform: "x", account: channel.handle, expire_token: true });
    await refuseGrant(channel);
    const { id } = await post(key, { text: "too late", channels: [channel.id] });
    expect((await finished(key, id)).deliveries).toMatchObject([
      { status: "failed", error: "token_revoked", action: "reconnect_required" },
    ]);
    expect(await ledger(channel.handle)).toEqual([]);
  });
});
