// What a publisher knows and the database has not taken: it waits in the object's own storage, and nothing of it is forgotten.
import { describe, expect, it } from "vitest";
import type { DeliveryRecord } from "../../src/store/deliveries/record.ts";
import { breakingDatabase } from "../support/breaking-db.ts";
import { REFUSED, UNDONE } from "../support/d1-errors.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { duePost } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { connect, getPost, ledger, signUp } from "../support/world.ts";

/** Statements of a record and of nothing else. */
const SETTLEMENT = /insert into "events"/;
/** Statements of a send intent and of nothing else. */
const SEND_INTENT = /payload_hash/;

async function due(platform = "telegram") {
  const account = await signUp();
  const channel = await connect(account.key, platform);
  const { id } = await duePost(account, channel);
  const delivery = async () => (await getPost(account.key, id)).deliveries[0] ?? expect.fail("no delivery");
  return { ...account, channel, id, delivery };
}

it.each(UNDONE)("keeps what the network has answered although the database says %s", async (text) => {
  const { workspace, channel, delivery } = await due();
  const storage = memoryStorage();
  const { db } = breakingDatabase(testEnv.DB, { call: 1, of: SETTLEMENT, committed: false, how: "away", text });
  await (await ownPublisher(workspace, channel.id, { db, storage })).work();
  expect(await ledger(channel.handle)).toHaveLength(1);
  expect([...storage.values.keys()].filter((name) => name.startsWith("record:"))).toHaveLength(1);
  const world = networksVia(() => expect.fail("the network is not asked"));
  await (await ownPublisher(workspace, channel.id, { storage: storage.reopened(), world })).work();
  expect(await delivery()).toMatchObject({ status: "live", attempts: 1 });
  expect(await brokenInvariants(workspace)).toEqual([]);
});

it("keeps proof that the database refuses, and writes it later", async () => {
  const { workspace, channel, delivery } = await due();
  const storage = memoryStorage();
  const text = REFUSED.constraint;
  const { db } = breakingDatabase(testEnv.DB, { call: 1, of: SETTLEMENT, committed: false, how: "once", text });
  await (await ownPublisher(workspace, channel.id, { db, storage })).work();
  expect([...storage.values.keys()].filter((name) => name.startsWith("record:"))).toHaveLength(1);
  const world = networksVia(() => expect.fail("the network is not asked"));
  const reopened = storage.reopened();
  await (await ownPublisher(workspace, channel.id, { storage: reopened, world })).work();
  expect(await delivery()).toMatchObject({ status: "live", attempts: 1 });
  expect([...reopened.values.keys()].filter((name) => name.startsWith("record:"))).toEqual([]);
});

it("lets one record that the database refuses for good hold up nothing else of its lane", async () => {
  const { channel, id, delivery, ...account } = await due();
  const { workspace } = account;
  const storage = memoryStorage();
  const { db } = breakingDatabase(testEnv.DB, { call: 1, of: SETTLEMENT, committed: false, how: "away" });
  await (await ownPublisher(workspace, channel.id, { db, storage })).work();
  const name = `record:${id}:${channel.id}`;
  const kept = storage.kv.get<DeliveryRecord>(name) ?? expect.fail("nothing is kept");
  // What is no number is stored as nothing, which the column refuses.
  const other = await duePost(account, channel);
  const guard = { ...kept.guard, key: { ...kept.guard.key, postId: other.id }, version: 0 };
  const broken = { ...kept, guard, decision: { ...kept.decision, retries: Number.NaN } };
  storage.kv.put(`record:${other.id}:${channel.id}`, broken);
  await (await ownPublisher(workspace, channel.id, { storage: storage.reopened() })).work();
  expect((await delivery()).status).toBe("live");
  expect((await getPost(account.key, other.id)).status).toBe("published");
});

describe.each([false, true])("a database that stays away from a record on (the first carried out: %s)", (committed) => {
  it("the network's answer waits, and the next alarm writes it without asking the network", async () => {
    const { workspace, channel, delivery } = await due();
    const storage = memoryStorage();
    const { db } = breakingDatabase(testEnv.DB, { call: 1, of: SETTLEMENT, committed, how: "away" });
    await (await ownPublisher(workspace, channel.id, { db, storage })).work();
    expect(await ledger(channel.handle)).toHaveLength(1);
    expect((await delivery()).status).toBe(committed ? "live" : "publishing");
    expect([...storage.values.keys()].filter((name) => name.startsWith("record:"))).toHaveLength(1);
    const wait = (storage.alarmAt ?? Number.POSITIVE_INFINITY) - Date.now();
    expect(wait).toBeLessThanOrEqual(60_000);

    const calls: string[] = [];
    const world = networksVia((url, act) => {
      calls.push(url);
      return act();
    });
    await (await ownPublisher(workspace, channel.id, { storage: storage.reopened(), world })).work();
    const [entry] = await ledger(channel.handle);
    expect(await delivery()).toMatchObject({ status: "live", attempts: 1, url: entry?.url });
    expect(calls).toEqual([]);
    expect(await ledger(channel.handle)).toHaveLength(1);
    expect(await brokenInvariants(workspace)).toEqual([]);
  });

  it("is written by the same object too, and is forgotten then", async () => {
    const { workspace, channel, id, delivery } = await due();
    const storage = memoryStorage();
    const { db, mend } = breakingDatabase(testEnv.DB, { call: 1, of: SETTLEMENT, committed, how: "away" });
    const { work } = await ownPublisher(workspace, channel.id, { db, storage });
    await work();
    expect(storage.values.has(`record:${id}:${channel.id}`)).toBe(true);
    mend();
    await work();
    expect((await delivery()).status).toBe("live");
    expect([...storage.values.keys()].filter((name) => name.startsWith("record:"))).toEqual([]);
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe.each([false, true])(
  "a database that stays away from a send intent on (the first carried out: %s)",
  (committed) => {
    it("nothing has left, and nobody says that it may have: it is sent by the next alarm", async () => {
      const { workspace, channel, delivery } = await due();
      const storage = memoryStorage();
      const { db } = breakingDatabase(testEnv.DB, { call: 1, of: SEND_INTENT, committed, how: "away" });
      await (await ownPublisher(workspace, channel.id, { db, storage })).work();
      expect(await ledger(channel.handle)).toEqual([]);
      expect([...storage.values.keys()].filter((name) => name.startsWith("unsent:"))).toHaveLength(1);

      await (await ownPublisher(workspace, channel.id, { storage: storage.reopened() })).work();
      expect(await delivery()).toMatchObject({ status: "live", attempts: committed ? 2 : 1 });
      expect(await ledger(channel.handle)).toHaveLength(1);
      expect(await brokenInvariants(workspace)).toEqual([]);
    });
  },
);
