// Results that wait for the database in an object's own storage.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { Unwritten } from "../../../src/delivery/unwritten.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { channels } from "../../../src/store/db/schema.ts";
import type { DeliveryRecord } from "../../../src/store/deliveries/record.ts";
import { writeDeliveries } from "../../../src/store/deliveries/write.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";
import { makeProof, sending } from "../store/deliveries/delivery-records.ts";
import { db, NOW, storedDelivery } from "../store/deliveries/stored-delivery.ts";

const makeRecord = (post: string): DeliveryRecord => ({
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

it("records that are written at once neither read nor write the storage", () => {
  const storage = memoryStorage();
  const unwritten = new Unwritten(storage);
  unwritten.forgetRecord(makeRecord("first"));
  storage.kv.get = () => expect.fail("the storage was read");
  storage.kv.list = () => expect.fail("the storage was listed");
  storage.kv.delete = () => expect.fail("the storage was written");
  for (let i = 0; i < 50; i++) unwritten.forgetRecord(makeRecord(`post ${i}`));
});

it("a stored record remains for later objects until one of them has written it", () => {
  const storage = memoryStorage();
  new Unwritten(storage).keepRecords([makeRecord("one"), makeRecord("other")]);
  expect(storage.values.size).toBe(2);
  const later = new Unwritten(storage);
  later.forgetRecord(makeRecord("one"));
  expect([...storage.values.values()]).toEqual([makeRecord("other")]);
  later.keepRecords([makeRecord("one")]);
  later.forgetRecord(makeRecord("one"));
  later.forgetRecord(makeRecord("other"));
  expect(storage.values.size).toBe(0);
});

describe("a flush", () => {
  const makeCredential = (workspaceId: string) => ({
    workspaceId,
    channelId: "ch_1",
    replacesId: "old",
    credentialId: "new",
    sealed: "renewed",
    renewAt: null,
  });
  /** Lists the kinds of results that still wait. */
  const listKinds = (storage: ReturnType<typeof memoryStorage>) =>
    [...storage.values.keys()].map((name) => name.split(":")[0]);

  it("a flush keeps all results if the database does not have the rows of the workspace", async () => {
    const stored = await storedDelivery(sending);
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepRecords([makeProof(stored)]);
    unwritten.keepUnsent({ ...stored.guard, version: 2 });
    unwritten.keepCredential(makeCredential(stored.key.workspaceId));
    await unwritten.flush(openDatabase(sqliteDatabase().binding));
    expect(listKinds(storage)).toEqual(["record", "unsent", "credential"]);
    expect(unwritten.hasAny).toBe(true);
  });

  it("a flush writes and deletes the stored results if the database has the rows", async () => {
    const stored = await storedDelivery(sending);
    const isOfChannel = eq(channels.workspaceId, stored.key.workspaceId);
    await db.update(channels).set({ credentialId: "old" }).where(isOfChannel);
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepRecords([makeProof(stored)]);
    unwritten.keepCredential(makeCredential(stored.key.workspaceId));
    await unwritten.flush(db);
    expect(listKinds(storage)).toEqual([]);
    expect(await stored.read()).toMatchObject({ state: "live" });
    expect(await db.select().from(channels).where(isOfChannel)).toMatchObject([{ credential: "renewed" }, {}]);
  });

  it("a flush deletes a record whose delivery another session has written since", async () => {
    const stored = await storedDelivery({ ...sending, state: "failed", nextAt: null, session: "another", version: 9 });
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepRecords([makeProof(stored)]);
    await unwritten.flush(db);
    expect(listKinds(storage)).toEqual([]);
    expect(await stored.read()).toMatchObject({ state: "failed", version: 9 });
  });

  it("a send intent that arrives after the flush changes nothing", async () => {
    const stored = await storedDelivery({ state: "staged" });
    const intent = { guard: stored.guard, publishKey: "sealed", payloadHash: "hash" };
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepUnsent(stored.guard);
    await unwritten.flush(db);
    expect(listKinds(storage)).toEqual([]);
    expect((await writeDeliveries(db, [], [intent])).intents).toEqual([null]);
    expect(await stored.read()).toMatchObject({ state: "staged", sends: [], nextAt: NOW - 60_000 });
  });

  it("a flush closes a send intent that the database had written", async () => {
    const stored = await storedDelivery({ state: "staged" });
    await writeDeliveries(db, [], [{ guard: stored.guard, publishKey: "sealed", payloadHash: "hash" }]);
    const storage = memoryStorage();
    const unwritten = new Unwritten(storage);
    unwritten.keepUnsent(stored.guard);
    await unwritten.flush(db);
    expect(listKinds(storage)).toEqual([]);
    expect(await stored.read()).toMatchObject({ state: "staged", sends: [{ outcome: "unsent" }], hasOpenSend: false });
  });
});
