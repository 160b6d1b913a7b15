// The channels of a workspace: connected up to a limit, removed, connected again, listed.

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
import { addChannels, CONNECTION, channelRow, db, NOW, storedChannel } from "./stored-channel.ts";

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
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe("a new channel", () => {
  it("is stored while its workspace has fewer than the limit, whatever other workspaces have", async () => {
    await storedChannel();
    const row = {
      ...newRow("ch_3"),
      lane: 0,
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

  it("takes the place of one that was removed", async () => {
    await storedChannel({ removedAt: NOW });
    expect(await insert(newRow("ch_3"), 2)).toMatchObject({ row: { id: "ch_3" } });
  });

  it("begins a new lane once the lane before is full, counting those that were removed", async () => {
    await storedChannel();
    const rest = Array.from({ length: CHANNELS_PER_LANE - 3 }, (_, i) =>
      channelRow("ws_1", `old_${i}`, { removedAt: NOW }),
    );
    await addChannels(rest);
    expect(await insert(newRow("last"), null)).toMatchObject({ row: { lane: 0 } });
    expect(await insert(newRow("first"), null)).toMatchObject({ row: { lane: 1 } });
  });

  it("fails where its account has a channel already", async () => {
    await storedChannel();
    await expect(insert({ ...newRow("ch_3"), handle: "@ch_1" }, null)).rejects.toThrow("channels.handle");
  });
});

describe("a channel that is connected again", () => {
  const fresh = { ...CONNECTION, credential: "sealed anew", credentialId: "credential_2", connectedBy: "user_2" };

  it("has the new credential, and nothing of why the old one was lost", async () => {
    const { read } = await storedChannel({
      credential: null,
      credentialId: "",
      lostReason: "token_revoked",
      notBefore: 9,
      lane: 4,
    });
    const written = await reconnect(fresh, null);
    expect(written).toEqual({ row: await read(), notify: [] });
    expect(await read()).toEqual({
      ...channelRow("ws_1", "ch_1"),
      ...fresh,
      lostReason: null,
      notBefore: null,
      removedAt: null,
      lane: 4,
      updatedAt: NOW,
    });
  });

  it("needs no place when it was not removed, and one when it was", async () => {
    await storedChannel();
    expect(await reconnect(fresh, 1)).toMatchObject({ row: { credentialId: "credential_2" } });
    const { channel, read } = await storedChannel({ removedAt: 5 });
    expect(await reconnect(fresh, 1)).toBeUndefined();
    expect(await read()).toEqual(channel);
    expect(await reconnect(fresh, 2)).toMatchObject({ row: { removedAt: null } });
  });
});

describe("the event of a connection", () => {
  const fresh = { ...CONNECTION, credential: "sealed anew", credentialId: "credential_2" };

  it("is written with a new channel, for the endpoints that want it", async () => {
    const { addWebhook } = await storedChannel();
    await addWebhook("wh_1", { events: ["channel.connected"] });
    await addWebhook("wh_off", { events: ["channel.connected"], disabledAt: NOW });
    expect(await insert(newRow("ch_3"), null)).toMatchObject({ notify: ["wh_1"] });
    expect(await readEvents()).toEqual([["evt_1", "channel.connected", "ch_3"]]);
  });

  it("is written with a channel that is connected again, for the endpoints that want it", async () => {
    const { addWebhook } = await storedChannel();
    await addWebhook("wh_1", { events: ["channel.reconnected"] });
    expect(await reconnect(fresh, null)).toMatchObject({ notify: ["wh_1"] });
    expect(await readEvents()).toEqual([["evt_1", "channel.reconnected", "ch_1"]]);
  });

  it("is written for no channel that was not stored", async () => {
    await storedChannel({ removedAt: NOW });
    await insert(newRow("ch_3"), 1);
    await reconnect(fresh, 1);
    expect(await readEvents()).toEqual([]);
  });

  it("is not written for one without a credential", async () => {
    await storedChannel();
    const withoutCredential = { credential: null, credentialId: "" };
    await insert({ ...newRow("ch_3"), ...withoutCredential }, null);
    await reconnect({ ...CONNECTION, ...withoutCredential }, null);
    expect(await readEvents()).toEqual([]);
  });
});

describe("a channel that is removed", () => {
  it("loses its credential and all that was planned with it, once", async () => {
    const { channel, read } = await storedChannel();
    expect(await removeChannel(db, "ch_1", makeEntry("ws_1", "channel.disconnected"))).toBe(true);
    const removed = await read();
    expect(removed).toEqual({
      ...channel,
      credential: null,
      credentialId: "",
      tokenExpiresAt: null,
      renewAt: null,
      warnAt: null,
      removedAt: NOW,
      updatedAt: NOW,
    });
    expect(await removeChannel(db, "ch_1", makeEntry("ws_1", "channel.disconnected"))).toBe(false);
    expect(await readChannel(db, "ws_1", "ch_1")).toEqual(removed);
  });

  it("is not listed, and is still found by its handle, its account and its id", async () => {
    await storedChannel({ removedAt: NOW });
    expect(ids(await listChannels(db, "ws_1", { limit: 9, before: null, only: null }))).toEqual(["ch_2"]);
    expect(ids(await channelsByIds(db, "ws_1", ["ch_1", "ch_2"]))).toEqual(["ch_2"]);
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
  it("are listed newest first, page by page, and only those that the caller may know of", async () => {
    await storedChannel();
    await db.insert(channels).values(channelRow("ws_1", "ch_3"));
    const list = async (limit: number, before: string | null, only: string[] | null) =>
      ids(await listChannels(db, "ws_1", { limit, before, only }));
    expect(await list(2, null, null)).toEqual(["ch_3", "ch_2"]);
    expect(await list(2, "ch_2", null)).toEqual(["ch_1"]);
    expect(await list(2, null, ["ch_1", "ch_3"])).toEqual(["ch_3", "ch_1"]);
    expect(await list(2, null, [])).toEqual([]);
  });

  it("are found by their ids in their own workspace alone", async () => {
    const { channel } = await storedChannel();
    expect(await channelsByIds(db, "ws_1", ["ch_1"])).toEqual([channel]);
    expect(await channelsByIds(db, "ws_2", ["ch_2"])).toEqual([]);
    expect(await channelsByIds(db, "ws_1", [])).toEqual([]);
  });

  it("are found by the network's name or id of their account in their own workspace and network alone", async () => {
    await storedChannel({ accountId: "account_9" });
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

  it("are looked for from the oldest on where two have one account", async () => {
    await storedChannel();
    await db.insert(channels).values(channelRow("ws_1", "ch_0"));
    expect(await findChannelByAccount(db, "ws_1", "telegram", "account_1")).toMatchObject({ id: "ch_0" });
  });

  it("show whether a database has the rows of a workspace, also when all were removed", async () => {
    await storedChannel({ removedAt: NOW });
    expect(await hasChannelRows(db, "ws_2")).toBe(true);
    await db.delete(channels).where(sql`id = 'ch_2'`);
    expect(await hasChannelRows(db, "ws_1")).toBe(true);
    await db.delete(channels).where(sql`workspace_id = 'ws_1'`);
    expect(await hasChannelRows(db, "ws_1")).toBe(false);
  });
});
