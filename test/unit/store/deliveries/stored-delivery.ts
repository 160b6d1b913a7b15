// A delivery with further deliveries that tests do not write, in SQLite with a fixed clock.
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { expect } from "vitest";
import type { Send } from "../../../../src/domain/delivery/stored-facts.ts";
import type { LiveThreadPart } from "../../../../src/domain/delivery/thread.ts";
import { isState, MOVES, STATUS_OF } from "../../../../src/domain/delivery/transitions.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import {
  channels,
  deliveries,
  events,
  followUps,
  posts,
  threadParts,
  webhookMessages,
  webhooks,
  workspaces,
} from "../../../../src/store/db/schema.ts";
import { type DeliveryKey, isDelivery } from "../../../../src/store/deliveries/delivery-key.ts";
import type { DeliveryGuard } from "../../../../src/store/deliveries/guard.ts";
import { setClock } from "../../../support/database-clock.ts";
import { sqliteBinding, sqliteDatabase } from "../../../support/sqlite-database.ts";

/** The database's time at the beginning of a test. */
export const NOW = 1_800_000_000_000;
export const MINUTE = 60_000;
/** The time at which the session began with the delivery. */
export const SINCE = NOW - 5_000;

const STATES = Object.keys(STATUS_OF).filter(isState);
/** Lists the cases that a delivery is in each state except one. */
export const listOtherStates = (exception: keyof typeof STATUS_OF): Case[] =>
  STATES.filter((state) => state !== exception).map((state) => [`the delivery is ${state}`, { state }]);
/** Lists the states from which a move is not allowed. */
export const listForbiddenStates = (move: keyof typeof MOVES) =>
  STATES.filter((state) => !MOVES[move].from.some((from) => from === state));

const { raw, binding } = sqliteDatabase();
const clock = { now: NOW };
setClock(raw, () => clock.now);
/** The database of all tests. */
export let db = openDatabase(binding);
/** Makes a binding of that database, for tests that open it in another way. */
export const makeBinding = () => sqliteBinding(raw);
/** Moves the database's clock forward by milliseconds. */
export const pass = (milliseconds: number): void => {
  clock.now += milliseconds;
};

type Delivery = typeof deliveries.$inferInsert;
/** Columns of a row that differ, with the reason. */
export type Case = [why: string, columns: Partial<Delivery>];
/** Follow-up work of a delivery. */
export type Work = Omit<typeof followUps.$inferInsert, "workspaceId" | "postId" | "channelId">;
let storedCount = 0;

const matches = (table: typeof followUps | typeof threadParts, { workspaceId, postId, channelId }: DeliveryKey) =>
  and(eq(table.workspaceId, workspaceId), eq(table.postId, postId), eq(table.channelId, channelId));
const withoutKey = <Row extends DeliveryKey>({ workspaceId: _w, postId: _p, channelId: _c, ...row }: Row) => row;

/** Adds the work of a row, by kind, and its published thread parts. */
async function addWork<Row extends DeliveryKey>(row: Row) {
  const works = await db.select().from(followUps).where(matches(followUps, row)).orderBy(followUps.kind);
  const parts = await db.select().from(threadParts).where(matches(threadParts, row)).orderBy(threadParts.position);
  return {
    ...row,
    work: Object.fromEntries(works.map((work) => [work.kind, withoutKey(work)])),
    threadParts: parts.map(withoutKey),
  };
}

/** Builds a published thread part. */
export const makeThreadPart = (position: number, changes: Partial<LiveThreadPart> = {}): LiveThreadPart => ({
  position,
  id: `part_${position}`,
  url: null,
  urlState: "none",
  publishedAt: NOW,
  attempts: 1,
  publishKey: null,
  missingSince: null,
  isRemoved: false,
  ...changes,
});

/** Builds calls without an answer, each made at one of these instants. */
export const makeSends = (...instants: number[]): Send[] =>
  instants.map((sent_at, i) => ({ fencing_token: i + 1, payload_hash: "", sent_at }));

/** Reads the row of a delivery, with its work. */
export async function readDelivery(key: DeliveryKey) {
  const [row] = await db.select().from(deliveries).where(isDelivery(key));
  return addWork(row ?? expect.fail("the delivery is gone"));
}

/** Stores two posts for the same two channels. */
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

/** Stores a delivery with these columns, and further ones of another channel, another post and another workspace. */
export async function storedDelivery(
  changes: Partial<Delivery> = {},
  works: readonly Work[] = [],
  parts: readonly LiveThreadPart[] = [],
) {
  // The statements are built again for each test, so that a mistake in building them fails in every test.
  db = openDatabase(sqliteBinding(raw), {});
  clock.now = NOW;
  const [workspaceId, elsewhere] = [`ws_${++storedCount}`, `other_${storedCount}`];
  const key = { workspaceId, postId: "post_1", channelId: "ch_1" };
  const row = (changedKey: Partial<typeof key>): Delivery => ({
    ...key,
    id: `dlv_${storedCount}_${Object.values(changedKey)}`,
    platform: "telegram",
    state: "pending",
    version: 3,
    fencingToken: 4,
    scheduledFor: NOW - MINUTE,
    nextAt: NOW - MINUTE,
    ...changes,
    ...changedKey,
  });
  await storeWorkspace(workspaceId);
  await storeWorkspace(elsewhere);
  const places = [{}, { channelId: "ch_2" }, { postId: "post_2" }, { workspaceId: elsewhere }];
  await db.insert(deliveries).values(places.map(row));
  const rowsOfWork = places.flatMap((place) => works.map((work) => ({ ...work, ...key, ...place })));
  if (rowsOfWork.length > 0) await db.insert(followUps).values(rowsOfWork);
  for (const part of parts) await db.insert(threadParts).values(places.map((place) => ({ ...part, ...key, ...place })));
  const readAll = async () => {
    const rows = await db
      .select()
      .from(deliveries)
      .where(inArray(deliveries.workspaceId, [workspaceId, elsewhere]))
      .orderBy(desc(isDelivery(key) ?? sql`0`), deliveries.workspaceId, deliveries.postId);
    const [ownRow, ...otherRows] = await Promise.all(rows.map(addWork));
    return { it: ownRow ?? expect.fail("the delivery is gone"), otherRows };
  };
  const { otherRows } = await readAll();
  /** Reads the row, and expects unchanged rows of the other deliveries. */
  const read = async () => {
    const now = await readAll();
    expect(now.otherRows).toEqual(otherRows);
    return now.it;
  };
  const guard: DeliveryGuard = { key, session: "mine", fencingToken: 5, version: 3, since: SINCE };
  return {
    key,
    guard,
    read,
    /** Reads the post of the delivery. */
    readPost: async () => {
      const isPost = and(eq(posts.workspaceId, workspaceId), eq(posts.id, key.postId));
      const [post] = await db.select().from(posts).where(isPost);
      return post ?? expect.fail("the post is gone");
    },
    readChannels: async () => await db.select().from(channels).where(eq(channels.workspaceId, workspaceId)),
    /** Reads the events of the workspace, in the order of the feed. */
    readEvents: async () =>
      await db.select().from(events).where(eq(events.workspaceId, workspaceId)).orderBy(events.seq),
    readMessages: async () =>
      await db.select().from(webhookMessages).where(eq(webhookMessages.workspaceId, workspaceId)),
    /** Changes the row as another session would. */
    change: async (columns: Partial<Delivery>) => {
      await db.update(deliveries).set(columns).where(isDelivery(key));
    },
    /** Changes follow-up work as another session would, or adds it. */
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
