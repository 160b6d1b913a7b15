// An endpoint with further endpoints that tests do not write, in SQLite with a fixed clock.
import { and, eq } from "drizzle-orm";
import { expect } from "vitest";
import { openDatabase } from "../../../../src/store/db/db.ts";
import { events, webhookAttempts, webhookMessages, webhooks, workspaces } from "../../../../src/store/db/schema.ts";
import { setClock } from "../../../support/database-clock.ts";
import { sqliteBinding, sqliteDatabase } from "../../../support/sqlite-database.ts";

/** The database's time at the beginning of a test. */
export const NOW = 1_800_000_000_000;

const { raw } = sqliteDatabase();
const clock = { now: NOW };
setClock(raw, () => clock.now);
/** The database of all tests. */
export let db = openDatabase(sqliteBinding(raw));
/** Moves the database's clock forward by milliseconds. */
export const pass = (milliseconds: number): void => {
  clock.now += milliseconds;
};

type Endpoint = typeof webhooks.$inferInsert;
type Message = typeof webhookMessages.$inferInsert;
type Attempt = typeof webhookAttempts.$inferInsert;

const KEY = { workspaceId: "ws_1", webhookId: "wh_1" };
/** An endpoint of the same workspace, and one with the same id in another workspace. */
const OTHER_KEYS = [
  { workspaceId: "ws_1", webhookId: "wh_2" },
  { workspaceId: "ws_2", webhookId: "wh_1" },
];
const EVENT_IDS = ["evt_1", "evt_2", "evt_3"];

const makeEndpointRow = ({ workspaceId, webhookId }: typeof KEY, columns: Partial<Endpoint> = {}): Endpoint => ({
  workspaceId,
  id: webhookId,
  url: "https://hooks.example",
  events: ["delivery.failed"],
  secret: "sealed",
  createdAt: 0,
  ...columns,
});
const makeMessageRow = (key: typeof KEY, eventId: string): Message => ({
  ...key,
  eventId,
  eventSeq: EVENT_IDS.indexOf(eventId) + 1,
  state: "pending",
  nextAt: NOW,
});
const makeAttemptRow = (key: typeof KEY, columns: Partial<Attempt> = {}): Attempt => ({
  ...key,
  id: "att_1",
  eventId: "evt_1",
  event: "delivery.failed",
  attempt: 1,
  outcome: "refused",
  durationMs: 1,
  attemptedAt: NOW,
  ...columns,
});

async function storeWorkspace(workspaceId: string): Promise<void> {
  await db.insert(workspaces).values({ id: workspaceId, name: "Ada", plan: "unlimited", createdAt: 0 });
  const event = { workspaceId, event: "delivery.failed", channelId: "ch_1", createdAt: 0 };
  await db
    .insert(events)
    .values(EVENT_IDS.map((id, i) => ({ ...event, id, seq: i + 1, postId: id, dedupeKey: i, body: `{"id":"${id}"}` })));
}

const isThis = ({ workspaceId, webhookId }: typeof KEY) =>
  workspaceId === KEY.workspaceId && webhookId === KEY.webhookId;
/** Reads the rows of the endpoint, and those of all others. */
async function readAll() {
  const endpoints = (await db.select().from(webhooks)).map((row) => ({ ...row, webhookId: row.id }));
  const messages = await db.select().from(webhookMessages).orderBy(webhookMessages.eventId);
  const attempts = await db.select().from(webhookAttempts).orderBy(webhookAttempts.id);
  const select = (isWanted: (row: typeof KEY) => boolean) => ({
    endpoint: endpoints.filter(isWanted),
    messages: messages.filter(isWanted),
    attempts: attempts.filter(isWanted),
  });
  return { ownRows: select(isThis), otherRows: select((row) => !isThis(row)) };
}

/**
 * Stores an endpoint with these columns and three due messages, and one further endpoint each in the same and in another workspace,
 * with their own messages and attempts.
 */
export async function storeEndpoint(columns: Partial<Endpoint> = {}) {
  // A new database object builds all statements again, so that a mistake in building them fails in every test.
  db = openDatabase(sqliteBinding(raw));
  clock.now = NOW;
  raw.exec("DELETE FROM workspaces");
  for (const workspaceId of ["ws_1", "ws_2"]) await storeWorkspace(workspaceId);
  await db.insert(webhooks).values([makeEndpointRow(KEY, columns), ...OTHER_KEYS.map((key) => makeEndpointRow(key))]);
  await db
    .insert(webhookMessages)
    .values([KEY, ...OTHER_KEYS].flatMap((key) => EVENT_IDS.map((eventId) => makeMessageRow(key, eventId))));
  await db.insert(webhookAttempts).values(OTHER_KEYS.map((key) => makeAttemptRow(key)));
  const { otherRows } = await readAll();
  /** Reads the endpoint's rows, and expects unchanged rows of the other endpoints. */
  const read = async () => {
    const rows = await readAll();
    expect(rows.otherRows).toEqual(otherRows);
    return rows.ownRows;
  };
  const [endpoint = expect.fail("no endpoint")] = await db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.workspaceId, KEY.workspaceId), eq(webhooks.id, KEY.webhookId)));
  return {
    ...KEY,
    /** The row right after it was stored. */
    endpoint,
    read,
    readEndpoint: async () => (await read()).endpoint[0] ?? expect.fail("the endpoint is gone"),
    readMessages: async () => (await read()).messages,
    readAttempts: async () => (await read()).attempts,
    /** Changes the endpoint's message of an event. */
    changeMessage: async (eventId: string, changes: Partial<Message>) => {
      const isMessage = and(
        eq(webhookMessages.workspaceId, KEY.workspaceId),
        eq(webhookMessages.webhookId, KEY.webhookId),
        eq(webhookMessages.eventId, eventId),
      );
      await db.update(webhookMessages).set(changes).where(isMessage);
    },
    addAttempt: async (changes: Partial<Attempt>) => {
      await db.insert(webhookAttempts).values(makeAttemptRow(KEY, changes));
    },
  };
}
