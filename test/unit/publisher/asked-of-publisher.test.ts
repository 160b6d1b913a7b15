// Calls of a publisher: follow-ups, lookups of options, and clearing its storage.
import { describe, expect, it } from "vitest";
import { LOOK_UP_LIFE_MS } from "../../../src/domain/option-lookup.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { BESIDE, FIRST, makePublisher, SECOND, storeLane } from "./lane-of-telegram.ts";

const ENDED = { state: "cancelled", nextAt: null } as const;
const LIVE = { state: "live", nextAt: null, checkAt: NOW, netPostId: null, publishedAt: NOW } as const;
const BOARDS = { channel: "ch_1", option: "board", values: {} };
const listed = { is: "listed", options: [], fetchedAt: NOW } as const;
const makeStorage = (fetchedAt: number) =>
  memoryStorage(new Map<string, unknown>([['look-up:["ch_1","board"]', { ...listed, fetchedAt }]]));

describe("a call of followUp", () => {
  it("a follow-up sets the alarm for now, and is done when the alarm fires", async () => {
    const { workspaceId, read } = await storeLane([
      [FIRST, LIVE],
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const { publisher, lane, storage } = makePublisher(workspaceId);
    await publisher.followUp(lane, { kind: "after_publish", channel: "ch_1", posts: ["post_1"] });
    expect([storage.alarmAt, storage.values.get("lane")]).toEqual([NOW + 1, lane]);
    await publisher.alarm();
    expect((await read(FIRST))?.checkAt).toBeNull();
    expect(storage.values.has("begun")).toBe(false);
    expect(publisher.isAtWork).toBe(false);
  });

  it("a follow-up does not prevent deliveries", async () => {
    const { workspaceId, states } = await storeLane([[BESIDE, LIVE]]);
    const { publisher, lane } = makePublisher(workspaceId);
    await publisher.followUp(lane, { kind: "after_publish", channel: "ch_2", posts: ["post_1"] });
    await publisher.alarm();
    expect(await states()).toEqual(["live", "live", "live"]);
  });
});

describe("a call of lookUp", () => {
  it("a lookup is answered from the publisher's cache until the cached answer expires", async () => {
    const { workspaceId } = await storeLane();
    const current = makePublisher(workspaceId, { storage: makeStorage(NOW) });
    expect(await current.publisher.lookUp(current.lane, BOARDS, "kept")).toEqual(listed);
    const old = makePublisher(workspaceId, { storage: makeStorage(NOW - LOOK_UP_LIFE_MS) });
    expect(await old.publisher.lookUp(old.lane, BOARDS, "kept")).toBeNull();
  });

  it("a lookup calls the network again if the caller requests it", async () => {
    const { workspaceId } = await storeLane();
    const { publisher, lane } = makePublisher(workspaceId, { storage: makeStorage(NOW) });
    expect(await publisher.lookUp(lane, BOARDS, "anew")).toMatchObject({ is: "failed", error: "channel_disconnected" });
  });
});

it("a cleared publisher deletes its alarm and its storage", async () => {
  const { workspaceId } = await storeLane();
  const { publisher, lane, storage } = makePublisher(workspaceId);
  await publisher.arm(lane, NOW + 5);
  await publisher.clear();
  expect([storage.alarmAt, storage.values.size]).toEqual([null, 0]);
});
