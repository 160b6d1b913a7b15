// What others ask of a publisher beside deliveries: follow-ups, lists of options, and to forget its workspace.
import { describe, expect, it } from "vitest";
import { LOOK_UP_LIFE_MS } from "../../../src/domain/option-lookup.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { BESIDE, FIRST, publisherWith, SECOND, storedLane } from "./lane-of-telegram.ts";

const ENDED = { state: "cancelled", nextAt: null } as const;
const LIVE = { state: "live", nextAt: null, checkAt: NOW, netPostId: null, publishedAt: NOW } as const;
const BOARDS = { channel: "ch_1", option: "board", values: {} };
const listed = { is: "listed", options: [], fetchedAt: NOW } as const;
const keeping = (fetchedAt: number) =>
  memoryStorage(new Map<string, unknown>([['look-up:["ch_1","board"]', { ...listed, fetchedAt }]]));

describe("a follow-up that a publisher is asked for", () => {
  it("is done when its alarm rings, which is at once", async () => {
    const { workspaceId, read } = await storedLane([
      [FIRST, LIVE],
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const { publisher, lane, storage } = publisherWith(workspaceId);
    await publisher.followUp(lane, { kind: "verify", channel: "ch_1", posts: ["post_1"] });
    expect([storage.alarmAt, storage.values.get("lane")]).toEqual([NOW + 1, lane]);
    await publisher.alarm();
    expect((await read(FIRST))?.checkAt).toBeNull();
    expect(storage.values.has("begun")).toBe(false);
    expect(publisher.isAtWork).toBe(false);
  });

  it("does not keep deliveries from going out", async () => {
    const { workspaceId, states } = await storedLane([[BESIDE, LIVE]]);
    const { publisher, lane } = publisherWith(workspaceId);
    await publisher.followUp(lane, { kind: "verify", channel: "ch_2", posts: ["post_1"] });
    await publisher.alarm();
    expect(await states()).toEqual(["live", "live", "live"]);
  });
});

describe("a list of options that a publisher is asked for", () => {
  it("is answered from what it keeps, while that is good", async () => {
    const { workspaceId } = await storedLane();
    const good = publisherWith(workspaceId, { storage: keeping(NOW) });
    expect(await good.publisher.lookUp(good.lane, BOARDS, "kept")).toEqual(listed);
    const old = publisherWith(workspaceId, { storage: keeping(NOW - LOOK_UP_LIFE_MS) });
    expect(await old.publisher.lookUp(old.lane, BOARDS, "kept")).toBeNull();
  });

  it("is asked of the network anew where the caller wants that", async () => {
    const { workspaceId } = await storedLane();
    const { publisher, lane } = publisherWith(workspaceId, { storage: keeping(NOW) });
    expect(await publisher.lookUp(lane, BOARDS, "anew")).toMatchObject({ is: "failed", error: "channel_disconnected" });
  });
});

it("a publisher whose workspace is gone forgets its alarm and all that it has stored", async () => {
  const { workspaceId } = await storedLane();
  const { publisher, lane, storage } = publisherWith(workspaceId);
  await publisher.arm(lane, NOW + 5);
  await publisher.clear();
  expect([storage.alarmAt, storage.values.size]).toEqual([null, 0]);
});
