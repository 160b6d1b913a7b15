// The state of a lane between two readings: the busy channels, and the next due time of each channel.
import { describe, expect, it } from "vitest";
import { LaneState } from "../../../src/publisher/lane-state.ts";
import { PieceOfWork } from "../../../src/publisher/piece-of-work.ts";
import { channels, deliveries, posts } from "../../../src/store/db/schema.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { nodeContext } from "../../support/node-context.ts";
import { db, MINUTE, makeSends, NOW, storedDelivery } from "../store/deliveries/stored-delivery.ts";

/** Sets up the state of a lane whose object's clock is `behindMs` behind the database's. */
async function setUpLane(columns: Parameters<typeof storedDelivery>[0] = {}, behindMs = 0) {
  const stored = await storedDelivery(columns);
  const ctx = nodeContext(db, NOW - behindMs);
  const state = new LaneState({ workspaceId: stored.key.workspaceId, lane: 0 }, ctx, memoryStorage());
  const piece = new PieceOfWork(ctx);
  return { ...stored, state, piece, read: () => state.read(piece) };
}
/** Adds posts with a due delivery on a channel. */
async function addDuePosts(workspaceId: string, channelId: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const id = `${channelId}_post_${i}`;
    const post = { workspaceId, id, status: "scheduled", text: id, dueAt: NOW } as const;
    await db.insert(posts).values({
      ...post,
      channels: [channelId],
      media: [],
      overrides: {},
      metadata: {},
      timezone: "UTC",
      createdAt: 0,
      updatedAt: 0,
    });
    const row = {
      workspaceId,
      postId: id,
      channelId,
      id,
      platform: "telegram",
      position: 0,
      state: "pending",
    } as const;
    await db.insert(deliveries).values({ ...row, scheduledFor: NOW, nextAt: NOW });
  }
}
const addChannel = (workspaceId: string, id: string) =>
  db.insert(channels).values({
    workspaceId,
    id,
    platform: "telegram",
    handle: `@${id}`,
    credential: "sealed",
    createdAt: 0,
    updatedAt: 0,
  });
const UPCOMING = { nextAt: NOW + 5 * MINUTE };

describe("a reading of a lane", () => {
  it("a reading finds the due deliveries of idle channels, and costs two queries", async () => {
    const { state, read, piece } = await setUpLane();
    state.begin("ch_2");
    const work = await read();
    expect(new Set(work.deliveries.map(({ channel }) => channel.id))).toEqual(new Set(["ch_1"]));
    piece.queried(497);
    expect(piece.isSpent).toBe(false);
    piece.queried(1);
    expect(piece.isSpent).toBe(true);
  });

  it("a channel that was busy during a reading causes one more reading at its end", async () => {
    const { state, read } = await setUpLane();
    state.begin("ch_1");
    expect(state.takeWhetherToRead()).toBe(false);
    await read();
    state.end("ch_1");
    expect(state.takeWhetherToRead()).toBe(true);
    await read();
    expect(state.takeWhetherToRead()).toBe(false);
    state.begin("ch_1");
    state.end("ch_1");
    expect(state.takeWhetherToRead()).toBe(false);
  });

  it("a channel with more due deliveries than a reading returns causes another reading at its end", async () => {
    const { state, read, key } = await setUpLane();
    await addDuePosts(key.workspaceId, "ch_1", 11);
    const work = await read();
    expect(work.deliveries.filter(({ channel }) => channel.id === "ch_1")).toHaveLength(10);
    for (const id of ["ch_2", "ch_1"]) state.begin(id);
    state.end("ch_2");
    expect(state.takeWhetherToRead()).toBe(false);
    state.end("ch_1");
    expect(state.takeWhetherToRead()).toBe(true);
  });

  it("any channel causes another reading at its end if a reading returned nothing of a channel with due deliveries", async () => {
    const { state, read, key } = await setUpLane({ nextAt: null, state: "cancelled" });
    const ids = ["ch_1", "ch_2", "ch_3", "ch_4", "ch_5", "ch_6"];
    for (const id of ids.slice(2)) await addChannel(key.workspaceId, id);
    for (const id of ids) await addDuePosts(key.workspaceId, id, 11);
    const channelsRead = new Set((await read()).deliveries.map(({ channel }) => channel.id));
    const [leftOut] = ids.filter((id) => !channelsRead.has(id));
    expect(leftOut).toBeDefined();
    state.begin("ch_of_nothing");
    state.end("ch_of_nothing");
    expect(state.takeWhetherToRead()).toBe(true);
  });

  it("a reading skips a delivery that is being sent until its call must have ended", async () => {
    const countDue = async (sentAt: number) => {
      const { read } = await setUpLane({ state: "sending", sends: makeSends(sentAt) });
      return (await read()).deliveries.length;
    };
    // A call of Telegram may take 90 seconds, and another half minute is added.
    expect([await countDue(NOW - 2 * MINUTE + 1), await countDue(NOW - 2 * MINUTE)]).toEqual([0, 3]);
  });

  it("a reading replaces the known next times of the channels that it reads", async () => {
    const { state, read } = await setUpLane(UPCOMING);
    state.comesDue("ch_1", NOW + 1);
    await read();
    expect(state.nextAt()).toBe(NOW + 5 * MINUTE);
  });

  it("a reading ends the state of an unavailable database", async () => {
    const { state, read } = await setUpLane();
    state.databaseAway(7_000);
    expect([state.databaseAwayMs, state.isDatabaseAway]).toEqual([7_000, true]);
    await read();
    expect([state.databaseAwayMs, state.isDatabaseAway]).toEqual([null, false]);
  });
});

describe("the next instant of a lane", () => {
  it("the next instant of a lane is the earliest one of its idle channels", async () => {
    const { state } = await setUpLane();
    expect(state.nextAt()).toBeNull();
    state.comesDue("ch_1", NOW + 9);
    state.comesDue("ch_1", NOW + 5);
    state.comesDue("ch_1", NOW + 7);
    state.comesDue("ch_2", NOW + 8);
    state.comesDue("ch_2", null);
    expect(state.nextAt()).toBe(NOW + 5);
    state.begin("ch_1");
    expect(state.nextAt()).toBe(NOW + 8);
    state.begin("ch_2");
    expect(state.nextAt()).toBeNull();
    expect(state.isBusy).toBe(true);
  });

  it("the next instant of a lane is converted to the object's clock if the database's is ahead", async () => {
    const { state, read } = await setUpLane(UPCOMING, 2_000);
    await read();
    expect(state.tools.skewMs()).toBe(2_000);
    expect(state.nextAt()).toBe(NOW + 5 * MINUTE - 2_000);
    state.comesDueIn("ch_1", 1_000);
    expect(state.nextAt()).toBe(NOW - 1_000);
  });
});

describe("a lane is idle", () => {
  it("a lane is idle if no channel is busy, no follow-up waits, and no reading is needed", async () => {
    const { state } = await setUpLane();
    expect(state.isIdle).toBe(true);
    state.begin("ch_1");
    expect([state.isIdle, state.isBusy]).toEqual([false, true]);
    state.end("ch_1");
    expect([state.isIdle, state.isBusy]).toEqual([true, false]);
    state.followUps.add({ kind: "renew_credential", channel: "ch_1" });
    expect(state.isIdle).toBe(false);
  });

  it("a lane is idle while a reading waits for an unavailable database", async () => {
    const { state } = await setUpLane();
    state.mustReadAgain();
    expect([state.isIdle, state.takeWhetherToRead()]).toEqual([false, true]);
    state.databaseAway(5);
    expect([state.isIdle, state.takeWhetherToRead()]).toEqual([true, false]);
  });
});
