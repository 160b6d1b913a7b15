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
import { addChannels, db, makeChannelRow, NOW, storeChannel } from "./stored-channel.ts";

describe("a walk through the channels to renew", () => {
  it("channels that are due for renewal are listed by their times, page by page", async () => {
    await storeChannel({ renewAt: NOW - 2, lane: 3 });
    await addChannels([
      makeChannelRow("ws_1", "ch_3", { renewAt: NOW }),
      makeChannelRow("ws_1", "ch_4", { renewAt: NOW + 1 }),
      makeChannelRow("ws_1", "ch_5", { renewAt: null }),
      makeChannelRow("ws_2", "ch_0", { renewAt: NOW - 2 }),
      makeChannelRow("ws_2", "ch_6", { renewAt: NOW - 3 }),
      makeChannelRow("ws_2", "ch_7", { renewAt: NOW - 2 }),
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

describe("a failed renewal", () => {
  it("the renewal of a removed channel is not delayed", async () => {
    const { channel, read } = await storeChannel({ renewAt: NOW - 2, removedAt: NOW });
    await putOffRenewal(db, "ws_1", "ch_1", 60_000);
    expect(await read()).toEqual(channel);
  });

  it("a renewal that is due at this instant is delayed", async () => {
    const { read } = await storeChannel({ renewAt: NOW });
    await putOffRenewal(db, "ws_1", "ch_1", 60_000);
    expect(await read()).toMatchObject({ renewAt: NOW + 60_000 });
  });
});

describe("the owners to warn", () => {
  it("channels that are due for a warning are listed from the oldest time on", async () => {
    await storeChannel({ warnAt: NOW });
    await addChannels([
      makeChannelRow("ws_1", "ch_3", { warnAt: NOW - 1 }),
      makeChannelRow("ws_1", "ch_4", { warnAt: null }),
    ]);
    const dueChannels = await channelsToWarn(db, 9);
    expect(dueChannels.map(({ id }) => id)).toEqual(["ch_3", "ch_1"]);
    expect(await channelsToWarn(db, 1)).toEqual(dueChannels.slice(0, 1));
  });
});

describe("a warning", () => {
  const event = { id: "evt_1", event: "channel.token_expiring", body: "{}", createdAt: NOW };
  const eventIds = async () => (await db.select().from(events)).map(({ id }) => id);

  it("a warning is written with its event and the messages to the subscribing endpoints", async () => {
    const { channel, read, addWebhook } = await storeChannel({ warnAt: NOW });
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

  it("a warning is written once, even if two callers have read the channel", async () => {
    const { channel } = await storeChannel({ warnAt: NOW });
    await noteWarned(db, channel, event, NOW + 9);
    expect(await noteWarned(db, channel, { ...event, id: "evt_2" }, NOW + 9)).toEqual([]);
    expect(await eventIds()).toEqual(["evt_1"]);
  });

  it("a warning is not written for a credential that was replaced in the meantime", async () => {
    const { channel } = await storeChannel({ warnAt: NOW });
    await db
      .update(channels)
      .set({ tokenExpiresAt: NOW + 99 })
      .where(eq(channels.workspaceId, "ws_1"));
    await noteWarned(db, channel, event, null);
    expect(await eventIds()).toEqual([]);
    const rows = await db.select().from(channels).where(eq(channels.id, "ch_1"));
    expect(rows.map(({ warnAt }) => warnAt)).toEqual([NOW, NOW + 7]);
  });

  it("a channel without a further warning only gets its next warning time", async () => {
    const { channel, read } = await storeChannel({ warnAt: NOW });
    expect(await noteWarned(db, channel, null, null)).toEqual([]);
    expect(await read()).toEqual({ ...channel, warnAt: null });
    expect(await eventIds()).toEqual([]);
  });
});

it("the loss of a credential returns the enabled endpoints that subscribe to it", async () => {
  const { addWebhook } = await storeChannel();
  await addWebhook("wh_1", { events: ["channel.disconnected"] });
  await addWebhook("wh_off", { events: ["channel.disconnected"], disabledAt: NOW });
  const event = { id: "evt_1", event: "channel.disconnected", body: "{}", createdAt: NOW };
  expect(await loseCredential(db, "ws_1", "ch_1", "credential_1", "token_revoked", event)).toEqual(["wh_1"]);
});
