// One delivery among others that nobody writes, in SQLite on a clock that stands still: what the tests of its writes begin with.
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { expect } from "vitest";
import { isState, MOVES, STATUS_OF } from "../../../../src/domain/delivery/transitions.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import {
  channels,
  deliveries,
  events,
  followUps,
  posts,
  webhookMessages,
  webhooks,
  workspaces,
} from "../../../../src/store/db/schema.ts";
import { type DeliveryKey, isDelivery } from "../../../../src/store/deliveries/delivery-key.ts";
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
/** The database of all tests. */
export let db = openDatabase(binding);
/** The binding of that database, for those that open it in their own way. */
export const bindingOfTests = () => sqliteBinding(raw);
/** Lets time pass on the database's clock, in milliseconds. */
export const pass = (milliseconds: number): void => {
  clock.now += milliseconds;
};

type Delivery = typeof deliveries.$inferInsert;
/** Columns of a row that differ, and why that matters. */
export type Case = [why: string, columns: Partial<Delivery>];
/** Work that options ask for, of every delivery. */
export type Work = Omit<typeof followUps.$inferInsert, "workspaceId" | "postId" | "channelId">;
let made = 0;

/** A row with its work by kind. */
async function withWork<Row extends DeliveryKey>(row: Row) {
  const rows = await db.select().from(followUps).where(isWorkOf(row)).orderBy(followUps.kind);
  return {
    ...row,
    work: Object.fromEntries(rows.map(({ workspaceId, postId, channelId, ...work }) => [work.kind, work])),
  };
}
const isWorkOf = ({ workspaceId, postId, channelId }: DeliveryKey) =>
  and(eq(followUps.workspaceId, workspaceId), eq(followUps.postId, postId), eq(followUps.channelId, channelId));

/** The row of a delivery, with its work. */
export async function readDelivery(key: DeliveryKey) {
  const [row] = await db.select().from(deliveries).where(isDelivery(key));
  return withWork(row ?? expect.fail("the delivery is gone"));
}

/** Two posts for the same two channels. */
async function storeWorkspace(workspaceId: string): Promise<void> {
  await db.insert(workspaces).values({ id: workspaceId, name: "Ada", plan: "unlimited", createdAt: 0 });
  const channel = { workspaceId, platform: "telegram", credential: "sealed", createdAt: 0, updatedAt: 0 };
  await db.insert(channels).values(["ch_1", "ch_2"].map((id) => ({ ...channel, id, handle: `@${id}` })));
  const post: Omit<typeof posts.$inferInsert, "id"> = {
    workspaceId,
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
  };
  await db.insert(posts).values(["post_1", "post_2"].map((id) => ({ ...post, id })));
}

export type Stored = Awaited<ReturnType<typeof storedDelivery>>;

/** A delivery with these columns, and beside it that of another channel, of another post, and of another workspace. */
export async function storedDelivery(changes: Partial<Delivery> = {}, works: readonly Work[] = []) {
  // Its statements are built anew: a change in how they are built shows in every test, and not in the first alone.
  db = openDatabase(sqliteBinding(raw));
  clock.now = NOW;
  const [workspaceId, elsewhere] = [`ws_${++made}`, `other_${made}`];
  const key = { workspaceId, postId: "post_1", channelId: "ch_1" };
  const row = (place: Partial<typeof key>): Delivery => ({
    ...key,
    id: `dlv_${made}_${Object.values(place)}`,
    platform: "telegram",
    position: 0,
    state: "pending",
    version: 3,
    fencingToken: 4,
    scheduledFor: NOW - MINUTE,
    nextAt: NOW - MINUTE,
    ...changes,
    ...place,
  });
  await storeWorkspace(workspaceId);
  await storeWorkspace(elsewhere);
  const places = [{}, { channelId: "ch_2" }, { postId: "post_2" }, { workspaceId: elsewhere }];
  await db.insert(deliveries).values(places.map(row));
  const rowsOfWork = places.flatMap((place) => works.map((work) => ({ ...work, ...key, ...place })));
  if (rowsOfWork.length > 0) await db.insert(followUps).values(rowsOfWork);
  const readAll = async () => {
    const rows = await db
      .select()
      .from(deliveries)
      .where(inArray(deliveries.workspaceId, [workspaceId, elsewhere]))
      .orderBy(desc(isDelivery(key) ?? sql`0`), deliveries.workspaceId, deliveries.postId);
    const [it, ...others] = await Promise.all(rows.map(withWork));
    return { it: it ?? expect.fail("the delivery is gone"), others };
  };
  const { others } = await readAll();
  /** The row as it is; what stands beside it is as it was. */
  const read = async () => {
    const now = await readAll();
    expect(now.others).toEqual(others);
    return now.it;
  };
  const guard: DeliveryGuard = { key, session: "mine", fencingToken: 5, version: 3, since: SINCE };
  return {
    key,
    guard,
    read,
    /** Of its post. */
    readPost: async () => {
      const ofPost = and(eq(posts.workspaceId, workspaceId), eq(posts.id, key.postId));
      const [post] = await db.select().from(posts).where(ofPost);
      return post ?? expect.fail("the post is gone");
    },
    readChannels: async () => await db.select().from(channels).where(eq(channels.workspaceId, workspaceId)),
    /** Of its workspace, in the order of the feed. */
    readEvents: async () =>
      await db.select().from(events).where(eq(events.workspaceId, workspaceId)).orderBy(events.seq),
    readMessages: async () =>
      await db.select().from(webhookMessages).where(eq(webhookMessages.workspaceId, workspaceId)),
    /** Changes its row behind the session's back. */
    change: async (columns: Partial<Delivery>) => {
      await db.update(deliveries).set(columns).where(isDelivery(key));
    },
    /** Changes a piece of its work behind the session's back, or adds it. */
    changeWork: async (kind: Work["kind"], columns: Partial<Work>) => {
      await db
        .insert(followUps)
        .values({ ...key, state: "due", ...columns, kind })
        .onConflictDoUpdate({
          target: [followUps.workspaceId, followUps.postId, followUps.channelId, followUps.kind],
          set: columns,
        });
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
