// What waits for the database in an object's own storage, each time that it is asked for it.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { Unwritten } from "../../../src/delivery/unwritten.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { channels } from "../../../src/store/db/schema.ts";
import type { DeliveryRecord } from "../../../src/store/deliveries/record.ts";
import { writeDeliveries } from "../../../src/store/deliveries/write.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";
import { proofOf, sending } from "../store/deliveries/delivery-records.ts";
import { db, NOW, storedDelivery } from "../store/deliveries/stored-delivery.ts";

const deliveryRecord = (post: string): DeliveryRecord => ({
  guard: {
    key: { workspaceId: "ws", postId: post, channelId: "ch" },
    session: `session of ${post}`,
    fencingToken: 1,
    version: 1,
    since: 1,
  },
  decision: {
    state: "failed",
    nextAt: null,
    hasOpenSend: false,
    retries: 0,
    error: "internal_error",
    detail: null,
    event: null,
  },
  event: null,
  followUp: { checkAt: null, kinds: [], hasFiles: false },
});

it("records that are written at once ask the storage for nothing", () => {
  const storage = memoryStorage();
  const unwritten = new Unwritten(storage);
  unwritten.forgetRecord(deliveryRecord("first"));
  storage.kv.get = () => expect.fail("the storage was read");
  storage.kv.list = () => expect.fail("the storage was listed");
  storage.kv.delete = () => expect.fail("the storage was written");
  for (let i = 0; i < 50; i++) unwritten.forgetRecord(deliveryRecord(`post ${i}`));
});

it("a record that is kept is there for every later object, until one has written it", () => {
  const storage = memoryStorage();
  new Unwritten(storage).keepRecords([deliveryRecord("one"), deliveryRecord("other")]);
  expect(storage.values.size).toBe(2);
  const later = new Unwritten(storage);
  later.forgetRecord(deliveryRecord("one"));
  expect([...storage.values.values()]).toEqual([deliveryRecord("other")]);
  later.keepRecords([deliveryRecord("one")]);
  later.forgetRecord(deliveryRecord("one"));
  later.forgetRecord(deliveryRecord("other"));
  expect(storage.values.size).toBe(0);
});

describe("a flush", () => {
  const credential = (workspaceId: string) => ({
    workspaceId,
    channelId: "ch_1",
    replacesId: "old",
    credentialId: "new",
    sealed: "renewed",
    renewAt: null,
  });
  /** What waits after a flush, by kind. */
  const kinds = (storage: ReturnType<typeof memoryStorage>) =>
    [...storage.values.keys()].map((name) => name.split(":")[0]);

  it("keeps everything in a database that does not have the rows of the workspace", async () => {
    const stored = await storedDelivery(sending);
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepRecords([proofOf(stored)]);
    unwritten.keepUnsent({ ...stored.guard, version: 2 });
    unwritten.keepCredential(credential(stored.key.workspaceId));
    await unwritten.flush(openDatabase(sqliteDatabase().binding));
    expect(kinds(storage)).toEqual(["record", "unsent", "credential"]);
    expect(unwritten.hasAny).toBe(true);
  });

  it("writes and forgets what is kept where the rows are", async () => {
    const stored = await storedDelivery(sending);
    const isOfChannel = eq(channels.workspaceId, stored.key.workspaceId);
    await db.update(channels).set({ credentialId: "old" }).where(isOfChannel);
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepRecords([proofOf(stored)]);
    unwritten.keepCredential(credential(stored.key.workspaceId));
    await unwritten.flush(db);
    expect(kinds(storage)).toEqual([]);
    expect(await stored.read()).toMatchObject({ state: "live" });
    expect(await db.select().from(channels).where(isOfChannel)).toMatchObject([{ credential: "renewed" }, {}]);
  });

  it("forgets a record whose delivery another session has written since", async () => {
    const stored = await storedDelivery({ ...sending, state: "failed", nextAt: null, session: "another", version: 9 });
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepRecords([proofOf(stored)]);
    await unwritten.flush(db);
    expect(kinds(storage)).toEqual([]);
    expect(await stored.read()).toMatchObject({ state: "failed", version: 9 });
  });

  it("makes a send intent harmless that the database carries out afterwards", async () => {
    const stored = await storedDelivery({ state: "staged" });
    const intent = { guard: stored.guard, publishKey: "sealed", payloadHash: "hash" };
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepUnsent(stored.guard);
    await unwritten.flush(db);
    expect(kinds(storage)).toEqual([]);
    expect((await writeDeliveries(db, [], [intent])).intents).toEqual([null]);
    expect(await stored.read()).toMatchObject({ state: "staged", attempts: 0, nextAt: NOW - 60_000 });
  });

  it("takes a send intent back that the database had carried out", async () => {
    const stored = await storedDelivery({ state: "staged" });
    await writeDeliveries(db, [], [{ guard: stored.guard, publishKey: "sealed", payloadHash: "hash" }]);
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepUnsent(stored.guard);
    await unwritten.flush(db);
    expect(kinds(storage)).toEqual([]);
    expect(await stored.read()).toMatchObject({ state: "staged", attempts: 1, hasOpenSend: false });
  });
});
