import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  CHANNELS_PER_LANE,
  type Connection,
  channelsByIds,
  findChannelByAccount,
  findChannelByHandle,
  hasChannelRows,
  insertChannel,
  listChannels,
  listHandles,
  readChannel,
  reconnectChannel,
  removeChannel,
} from "../../../../src/store/channels/channels.ts";
import { channels, events } from "../../../../src/store/db/schema.ts";
import { makeEntry } from "../../../support/audit-entries.ts";
import { addChannels, CONNECTION, db, makeChannelRow, NOW, storeChannel } from "./stored-channel.ts";

const newRow = (id: string) => ({ workspaceId: "ws_1", id, platform: "telegram", handle: `@${id}`, ...CONNECTION });
const CONNECTED = { id: "evt_1", event: "channel.connected", body: "{}", createdAt: NOW };
const RECONNECTED = { ...CONNECTED, event: "channel.reconnected" };
const KEY = { workspaceId: "ws_1", id: "ch_1" };
const insert = (row: ReturnType<typeof newRow>, channelsMax: number | null) =>
  insertChannel(db, row, {
    channelsMax,
    event: CONNECTED,
    entry: makeEntry("ws_1", "channel.connected"),
  });
const reconnect = (connection: Connection, channelsMax: number | null) =>
  reconnectChannel(db, KEY, connection, {
    channelsMax,
    event: RECONNECTED,
    entry: makeEntry("ws_1", "channel.reconnected"),
  });
const readEvents = async () =>
  (await db.select().from(events)).map(({ id, event, channelId }) => [id, event, channelId]);
const listIds = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe("a new channel", () => {
  it("a new channel is stored if its own workspace has fewer channels than the limit", async () => {
    await storeChannel();
    const row = {
      ...newRow("ch_3"),
      lane: 0,
      avatarKey: null,
      avatarEtag: null,
      avatarType: null,
      queueFilledAt: null,
      lostReason: null,
      notBefore: null,
      createdAt: NOW,
      updatedAt: NOW,
      removedAt: null,
    };
    expect(await insert(newRow("ch_3"), 3)).toEqual({ row, notify: [] });
    expect(await insert(newRow("ch_4"), 3)).toBeUndefined();
    expect(await readChannel(db, "ws_1", "ch_4")).toBeUndefined();
    expect(await insert(newRow("ch_4"), null)).toMatchObject({ row: { id: "ch_4" } });
  });

  it("a removed channel does not count towards the limit", async () => {
    await storeChannel({ removedAt: NOW });
    expect(await insert(newRow("ch_3"), 2)).toMatchObject({ row: { id: "ch_3" } });
  });

  it("a new channel begins a new lane once the previous lane is full, including removed channels", async () => {
    await storeChannel();
    const removedRows = Array.from({ length: CHANNELS_PER_LANE - 3 }, (_, i) =>
      makeChannelRow("ws_1", `old_${i}`, { removedAt: NOW }),
    );
    await addChannels(removedRows);
    expect(await insert(newRow("last"), null)).toMatchObject({ row: { lane: 0 } });
    expect(await insert(newRow("first"), null)).toMatchObject({ row: { lane: 1 } });
  });

  it("a new channel fails if its account already has a channel", async () => {
    await storeChannel();
    await expect(insert({ ...newRow("ch_3"), handle: "@ch_1" }, null)).rejects.toThrow("channels.handle");
  });
});

describe("a channel that is connected again", () => {
  const newConnection = {
    ...CONNECTION,
    credential: "sealed anew",
    credentialId: "credential_2",
    connectedBy: "user_2",
  };

  it("a reconnected channel has the new credential, and no reason for the loss of the old one", async () => {
    const { read } = await storeChannel({
      credential: null,
      credentialId: "",
      lostReason: "token_revoked",
      notBefore: 9,
      lane: 4,
    });
    const reconnected = await reconnect(newConnection, null);
    expect(reconnected).toEqual({ row: await read(), notify: [] });
    expect(await read()).toEqual({
      ...makeChannelRow("ws_1", "ch_1"),
      ...newConnection,
      avatarKey: null,
      avatarEtag: null,
      avatarType: null,
      queueFilledAt: null,
      lostReason: null,
      notBefore: null,
      removedAt: null,
      lane: 4,
      updatedAt: NOW,
    });
  });

  it("reconnecting a channel counts towards the limit only if it was removed", async () => {
    await storeChannel();
    expect(await reconnect(newConnection, 1)).toMatchObject({ row: { credentialId: "credential_2" } });
    const { channel, read } = await storeChannel({ removedAt: 5 });
    expect(await reconnect(newConnection, 1)).toBeUndefined();
    expect(await read()).toEqual(channel);
    expect(await reconnect(newConnection, 2)).toMatchObject({ row: { removedAt: null } });
  });
});

describe("the event of a connection", () => {
  const newConnection = { ...CONNECTION, credential: "sealed anew", credentialId: "credential_2" };

  it("a new channel writes an event, and returns the endpoints that subscribe to it", async () => {
    const { addWebhook } = await storeChannel();
    await addWebhook("wh_1", { events: ["channel.connected"] });
    await addWebhook("wh_off", { events: ["channel.connected"], disabledAt: NOW });
    expect(await insert(newRow("ch_3"), null)).toMatchObject({ notify: ["wh_1"] });
    expect(await readEvents()).toEqual([["evt_1", "channel.connected", "ch_3"]]);
  });

  it("a reconnected channel writes an event, and returns the endpoints that subscribe to it", async () => {
    const { addWebhook } = await storeChannel();
    await addWebhook("wh_1", { events: ["channel.reconnected"] });
    expect(await reconnect(newConnection, null)).toMatchObject({ notify: ["wh_1"] });
    expect(await readEvents()).toEqual([["evt_1", "channel.reconnected", "ch_1"]]);
  });

  it("a channel that was not stored writes no event", async () => {
    await storeChannel({ removedAt: NOW });
    await insert(newRow("ch_3"), 1);
    await reconnect(newConnection, 1);
    expect(await readEvents()).toEqual([]);
  });

  it("a channel without a credential writes no event", async () => {
    await storeChannel();
    const withoutCredential = { credential: null, credentialId: "" };
    await insert({ ...newRow("ch_3"), ...withoutCredential }, null);
    await reconnect({ ...CONNECTION, ...withoutCredential }, null);
    expect(await readEvents()).toEqual([]);
  });
});

describe("a channel that is removed", () => {
  it("a removed channel loses its credential and all its planned times, once", async () => {
    const { channel, read } = await storeChannel();
    expect(await removeChannel(db, "ch_1", makeEntry("ws_1", "channel.disconnected"))).toBe(true);
    const removed = await read();
    expect(removed).toEqual({
      ...channel,
      credential: null,
      credentialId: "",
      tokenExpiresAt: null,
      renewAt: null,
      warnAt: null,
      avatarAt: null,
      removedAt: NOW,
      updatedAt: NOW,
    });
    expect(await removeChannel(db, "ch_1", makeEntry("ws_1", "channel.disconnected"))).toBe(false);
    expect(await readChannel(db, "ws_1", "ch_1")).toEqual(removed);
  });

  it("a removed channel is not listed, and can be found by its handle, its account and its id", async () => {
    await storeChannel({ removedAt: NOW });
    expect(listIds(await listChannels(db, "ws_1", { limit: 9, before: null, only: null }))).toEqual(["ch_2"]);
    expect(listIds(await channelsByIds(db, "ws_1", ["ch_1", "ch_2"]))).toEqual(["ch_2"]);
    expect(await findChannelByHandle(db, "ws_1", "telegram", "@ch_1")).toMatchObject({ id: "ch_1" });
    expect(await findChannelByAccount(db, "ws_1", "telegram", "account_1")).toMatchObject({ id: "ch_1" });
    expect(await readChannel(db, "ws_1", "ch_1")).toMatchObject({ id: "ch_1" });
    expect(await listHandles(db, "ws_1")).toEqual(
      new Map([
        ["ch_1", "@ch_1"],
        ["ch_2", "@ch_2"],
      ]),
    );
  });
});

describe("the channels of a workspace", () => {
  it("channels are listed newest first, page by page, and only those that the caller may see", async () => {
    await storeChannel();
    await db.insert(channels).values(makeChannelRow("ws_1", "ch_3"));
    const list = async (limit: number, before: string | null, only: string[] | null) =>
      listIds(await listChannels(db, "ws_1", { limit, before, only }));
    expect(await list(2, null, null)).toEqual(["ch_3", "ch_2"]);
    expect(await list(2, "ch_2", null)).toEqual(["ch_1"]);
    expect(await list(2, null, ["ch_1", "ch_3"])).toEqual(["ch_3", "ch_1"]);
    expect(await list(2, null, [])).toEqual([]);
  });

  it("channels are found by their ids only in their own workspace", async () => {
    const { channel } = await storeChannel();
    expect(await channelsByIds(db, "ws_1", ["ch_1"])).toEqual([channel]);
    expect(await channelsByIds(db, "ws_2", ["ch_2"])).toEqual([]);
    expect(await channelsByIds(db, "ws_1", [])).toEqual([]);
  });

  it("channels are found by the handle or the account id only in their own workspace and network", async () => {
    await storeChannel({ accountId: "account_9" });
    expect(await findChannelByHandle(db, "ws_1", "telegram", "@ch_2")).toMatchObject({
      workspaceId: "ws_1",
      id: "ch_2",
    });
    expect(await findChannelByHandle(db, "ws_1", "x", "@ch_2")).toBeUndefined();
    expect(await findChannelByHandle(db, "ws_2", "telegram", "@ch_2")).toBeUndefined();
    expect(await findChannelByAccount(db, "ws_1", "telegram", "account_9")).toMatchObject({ id: "ch_1" });
    expect(await findChannelByAccount(db, "ws_1", "x", "account_9")).toBeUndefined();
    expect(await findChannelByAccount(db, "ws_2", "telegram", "account_9")).toBeUndefined();
  });

  it("the oldest channel is found if two channels have the same account", async () => {
    await storeChannel();
    await db.insert(channels).values(makeChannelRow("ws_1", "ch_0"));
    expect(await findChannelByAccount(db, "ws_1", "telegram", "account_1")).toMatchObject({ id: "ch_0" });
  });

  it("a database has the rows of a workspace as long as it has a channel of it, even a removed one", async () => {
    await storeChannel({ removedAt: NOW });
    expect(await hasChannelRows(db, "ws_2")).toBe(true);
    await db.delete(channels).where(sql`id = 'ch_2'`);
    expect(await hasChannelRows(db, "ws_1")).toBe(true);
    await db.delete(channels).where(sql`workspace_id = 'ws_1'`);
    expect(await hasChannelRows(db, "ws_1")).toBe(false);
  });
});
