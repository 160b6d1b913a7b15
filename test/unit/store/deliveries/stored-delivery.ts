// One delivery among others that nobody writes, in SQLite on a clock that stands still: what the tests of its writes begin with.
import { eq } from "drizzle-orm";
import { beforeEach, expect } from "vitest";
import { isState, MOVES, STATUS_OF } from "../../../../src/domain/delivery/transitions.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import {
  channels,
  deliveries,
  events,
  posts,
  webhookMessages,
  webhooks,
  workspaces,
} from "../../../../src/store/db/schema.ts";
import type { DeliveryGuard } from "../../../../src/store/deliveries/guard.ts";
import { sqliteBinding, sqliteDatabase } from "../../../support/sqlite-database.ts";

/** The database's clock, when a test begins. */
export const NOW = 1_800_000_000_000;
export const MINUTE = 60_000;
/** When the session took the delivery up. */
export const SINCE = NOW - 5_000;

const STATES = Object.keys(STATUS_OF).filter(isState);
/** That a delivery is in each state but one. */
export const everyStateBut = (one: keyof typeof STATUS_OF): Case[] =>
  STATES.filter((state) => state !== one).map((state) => [`the delivery is ${state}`, { state }]);
/** The states that a move may not leave. */
export const notBefore = (move: keyof typeof MOVES) =>
  STATES.filter((state) => !MOVES[move].from.some((from) => from === state));

const { raw, binding } = sqliteDatabase();
const clock = { now: NOW };
raw.function("unixepoch", { varargs: true }, () => clock.now / 1000);
// Each test builds its statements itself: a change in how they are built shows in every test, and not in the first alone.
export let db = openDatabase(binding);
beforeEach(() => {
  db = openDatabase(sqliteBinding(raw));
});
/** Lets time pass on the database's clock, in milliseconds. */
export const pass = (milliseconds: number): void => {
  clock.now += milliseconds;
};

type Delivery = typeof deliveries.$inferInsert;
/** Columns of a row that differ, and why that matters. */
export type Case = [why: string, columns: Partial<Delivery>];
let made = 0;

/** A delivery with these columns; those of its post and channel, of a second channel and a second post are its neighbours. */
export async function storedDelivery(changes: Partial<Delivery> = {}) {
  clock.now = NOW;
  const workspaceId = `ws_${++made}`;
  const [postId, channelId] = ["post_1", "ch_1"];
  const key = { workspaceId, postId, channelId };
  const row = (of: Partial<Delivery>): Delivery => ({
    ...key,
    id: `dlv_${made}_${of.workspaceId ?? ""}${of.postId ?? ""}${of.channelId ?? ""}`,
    platform: "telegram",
    position: 0,
    state: "pending",
    version: 3,
    fencingToken: 4,
    scheduledFor: NOW - MINUTE,
    nextAt: NOW - MINUTE,
    ...changes,
    ...of,
  });
  const neighbours = [{ channelId: "ch_2" }, { postId: "post_2" }, { workspaceId: `other_${made}` }];
  for (const workspace of [workspaceId, `other_${made}`]) {
    await db.insert(workspaces).values({ id: workspace, name: "Ada", plan: "unlimited", createdAt: 0 });
    for (const id of ["ch_1", "ch_2"])
      await db.insert(channels).values({
        workspaceId: workspace,
        id,
        platform: "telegram",
        handle: `@${id}`,
        credential: "sealed",
        createdAt: 0,
        updatedAt: 0,
      });
    for (const id of ["post_1", "post_2"])
      await db.insert(posts).values({
        workspaceId: workspace,
        id,
        status: "scheduled",
        text: "once",
        media: [],
        channels: ["ch_1", "ch_2"],
        overrides: {},
        metadata: {},
        dueAt: NOW - MINUTE,
        timezone: "UTC",
        createdAt: 0,
        updatedAt: 0,
      });
  }
  await db.insert(deliveries).values([row({}), ...neighbours.map(row)]);
  const all = async () => {
    const rows = await db.select().from(deliveries);
    return rows.filter((one) => one.workspaceId === workspaceId || one.workspaceId === `other_${made}`);
  };
  const isIt = (one: Pick<Delivery, "workspaceId" | "postId" | "channelId">) =>
    one.workspaceId === workspaceId && one.postId === postId && one.channelId === channelId;
  const others = (await all()).filter((one) => !isIt(one));
  /** The row as it is; what stands beside it is as it was. */
  const read = async () => {
    const rows = await all();
    expect(rows.filter((one) => !isIt(one))).toEqual(others);
    return rows.find(isIt) ?? expect.fail("the delivery is gone");
  };
  const guard: DeliveryGuard = { key, session: "mine", fencingToken: 5, version: 3, since: SINCE };
  return {
    key,
    guard,
    read,
    /** Of its post. */
    readPost: async () =>
      (await db.select().from(posts).where(eq(posts.workspaceId, workspaceId))).find(({ id }) => id === postId) ??
      expect.fail("the post is gone"),
    readChannels: async () => await db.select().from(channels).where(eq(channels.workspaceId, workspaceId)),
    /** Of its workspace, in the order of the feed. */
    readEvents: async () =>
      await db.select().from(events).where(eq(events.workspaceId, workspaceId)).orderBy(events.seq),
    readMessages: async () =>
      await db.select().from(webhookMessages).where(eq(webhookMessages.workspaceId, workspaceId)),
    /** Changes its row behind the session's back. */
    change: async (columns: Partial<Delivery>) => {
      const id = (await read()).id;
      await db.update(deliveries).set(columns).where(eq(deliveries.id, id));
    },
    addWebhook: async (id: string, columns: Partial<typeof webhooks.$inferInsert> = {}) => {
      await db.insert(webhooks).values({
        workspaceId,
        id,
        url: `https://hooks.example/${id}`,
        events: ["delivery.succeeded"],
        secret: "sealed",
        createdAt: 0,
        ...columns,
      });
    },
  };
}
