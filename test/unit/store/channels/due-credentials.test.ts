// Whose credentials are to be renewed, and whose owners are to be warned.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  channelsToRenew,
  channelsToWarn,
  loseCredential,
  noteWarned,
  putOffRenewal,
} from "../../../../src/store/channels/credentials.ts";
import { channels, events, webhookMessages } from "../../../../src/store/db/schema.ts";
import { addChannels, channelRow, db, NOW, storedChannel } from "./stored-channel.ts";

describe("a walk through the channels to renew", () => {
  it("goes through all that are due, in the order of their times, page by page", async () => {
    await storedChannel({ renewAt: NOW - 2, lane: 3 });
    await addChannels([
      channelRow("ws_1", "ch_3", { renewAt: NOW }),
      channelRow("ws_1", "ch_4", { renewAt: NOW + 1 }),
      channelRow("ws_1", "ch_5", { renewAt: null }),
      channelRow("ws_2", "ch_0", { renewAt: NOW - 2 }),
      channelRow("ws_2", "ch_6", { renewAt: NOW - 3 }),
      channelRow("ws_2", "ch_7", { renewAt: NOW - 2 }),
    ]);
    const first = await channelsToRenew(db, null, 3);
    expect(first.due).toEqual([
      { dueAt: NOW - 3, workspaceId: "ws_2", channelId: "ch_6", lane: 0 },
      { dueAt: NOW - 2, workspaceId: "ws_1", channelId: "ch_1", lane: 3 },
      { dueAt: NOW - 2, workspaceId: "ws_2", channelId: "ch_0", lane: 0 },
    ]);
    expect(first.next).toMatchObject({ dueAt: NOW - 2, workspaceId: "ws_2", channelId: "ch_0" });
    const second = await channelsToRenew(db, first.next, 3);
    expect(second.due.map(({ channelId }) => channelId)).toEqual(["ch_7", "ch_3"]);
    expect(second.next).toBeNull();
  });
});

describe("a renewal that did not work out", () => {
  it("is not put off for a channel that was removed", async () => {
    const { channel, read } = await storedChannel({ renewAt: NOW - 2, removedAt: NOW });
    await putOffRenewal(db, "ws_1", "ch_1", 60_000);
    expect(await read()).toEqual(channel);
  });

  it("is put off when it was due at this very instant", async () => {
    const { read } = await storedChannel({ renewAt: NOW });
    await putOffRenewal(db, "ws_1", "ch_1", 60_000);
    expect(await read()).toMatchObject({ renewAt: NOW + 60_000 });
  });
});

describe("the owners to warn", () => {
  it("are those whose time has come, the longest due ones first", async () => {
    await storedChannel({ warnAt: NOW });
    await addChannels([channelRow("ws_1", "ch_3", { warnAt: NOW - 1 }), channelRow("ws_1", "ch_4", { warnAt: null })]);
    const all = await channelsToWarn(db, 9);
    expect(all.map(({ id }) => id)).toEqual(["ch_3", "ch_1"]);
    expect(await channelsToWarn(db, 1)).toEqual(all.slice(0, 1));
  });
});

describe("a warning", () => {
  const event = { id: "evt_1", event: "channel.token_expiring", body: "{}", createdAt: NOW };
  const eventIds = async () => (await db.select().from(events)).map(({ id }) => id);

  it("is written with its event and the messages to the endpoints that want it", async () => {
    const { channel, read, addWebhook } = await storedChannel({ warnAt: NOW });
    await addWebhook("wh_1");
    await addWebhook("wh_off", { disabledAt: NOW });
    await addWebhook("wh_other", { events: ["delivery.failed"] });
    expect(await noteWarned(db, channel, event, NOW + 9)).toEqual(["wh_1"]);
    expect(await read()).toEqual({ ...channel, warnAt: NOW + 9 });
    expect(await db.select().from(events)).toMatchObject([
      { workspaceId: "ws_1", seq: 1, ...event, postId: null, channelId: "ch_1", dedupeKey: NOW },
    ]);
    const messages = await db.select().from(webhookMessages);
    expect(messages.map(({ webhookId, state }) => [webhookId, state])).toEqual([
      ["wh_1", "pending"],
      ["wh_off", "skipped"],
    ]);
  });

  it("is written once, whoever has read the channel", async () => {
    const { channel } = await storedChannel({ warnAt: NOW });
    await noteWarned(db, channel, event, NOW + 9);
    expect(await noteWarned(db, channel, { ...event, id: "evt_2" }, NOW + 9)).toEqual([]);
    expect(await eventIds()).toEqual(["evt_1"]);
  });

  it("is not written for a credential that was replaced meanwhile", async () => {
    const { channel } = await storedChannel({ warnAt: NOW });
    await db
      .update(channels)
      .set({ tokenExpiresAt: NOW + 99 })
      .where(eq(channels.workspaceId, "ws_1"));
    await noteWarned(db, channel, event, null);
    expect(await eventIds()).toEqual([]);
    const rows = await db.select().from(channels).where(eq(channels.id, "ch_1"));
    expect(rows.map(({ warnAt }) => warnAt)).toEqual([NOW, NOW + 7]);
  });

  it("without anything left to warn of is only moved", async () => {
    const { channel, read } = await storedChannel({ warnAt: NOW });
    expect(await noteWarned(db, channel, null, null)).toEqual([]);
    expect(await read()).toEqual({ ...channel, warnAt: null });
    expect(await eventIds()).toEqual([]);
  });
});

it("a credential that is lost wakes the endpoints that are told of it", async () => {
  const { addWebhook } = await storedChannel();
  await addWebhook("wh_1", { events: ["channel.disconnected"] });
  await addWebhook("wh_off", { events: ["channel.disconnected"], disabledAt: NOW });
  const event = { id: "evt_1", event: "channel.disconnected", body: "{}", createdAt: NOW };
  expect(await loseCredential(db, "ws_1", "ch_1", "credential_1", "token_revoked", event)).toEqual(["wh_1"]);
});
