// Results that a publisher knows and the database has not accepted: they wait in the object's own storage, and none is
// forgotten.
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

/** Matches only statements that write a record. */
const RECORD = /insert into "events"/;
/** Matches only statements that write a send intent. */
const SEND_INTENT = /payload_hash/;

async function createDue(platform = "telegram") {
  const account = await signUp();
  const channel = await connect(account.key, platform);
  const { id } = await duePost(account, channel);
  const getDelivery = async () => (await getPost(account.key, id)).deliveries[0] ?? expect.fail("no delivery");
  return { ...account, channel, id, delivery: getDelivery };
}

it.each(UNDONE)("keeps the network's answer although the database says %s", async (text) => {
  const { workspace, channel, delivery } = await createDue();
  const storage = memoryStorage();
  const { db } = breakingDatabase(testEnv.DB, { call: 1, of: RECORD, committed: false, how: "away", text });
  await (await ownPublisher(workspace, channel.id, { db, storage })).work();
  expect(await ledger(channel.handle)).toHaveLength(1);
  expect([...storage.values.keys()].filter((name) => name.startsWith("record:"))).toHaveLength(1);
  const world = networksVia(() => expect.fail("the network is not asked"));
  await (await ownPublisher(workspace, channel.id, { storage: storage.reopened(), world })).work();
  expect(await delivery()).toMatchObject({ status: "live", attempts: 1 });
  expect(await brokenInvariants(workspace)).toEqual([]);
});

it("keeps proof that the database rejects, and writes it later", async () => {
  const { workspace, channel, delivery } = await createDue();
  const storage = memoryStorage();
  const text = REFUSED.constraint;
  const { db } = breakingDatabase(testEnv.DB, { call: 1, of: RECORD, committed: false, how: "once", text });
  await (await ownPublisher(workspace, channel.id, { db, storage })).work();
  expect([...storage.values.keys()].filter((name) => name.startsWith("record:"))).toHaveLength(1);
  const world = networksVia(() => expect.fail("the network is not asked"));
  const reopened = storage.reopened();
  await (await ownPublisher(workspace, channel.id, { storage: reopened, world })).work();
  expect(await delivery()).toMatchObject({ status: "live", attempts: 1 });
  expect([...reopened.values.keys()].filter((name) => name.startsWith("record:"))).toEqual([]);
});

it("does not let a record that the database rejects permanently block its lane", async () => {
  const { channel, id, delivery, ...account } = await createDue();
  const { workspace } = account;
  const storage = memoryStorage();
  const { db } = breakingDatabase(testEnv.DB, { call: 1, of: RECORD, committed: false, how: "away" });
  await (await ownPublisher(workspace, channel.id, { db, storage })).work();
  const name = `record:${id}:${channel.id}`;
  const storedRecord = storage.kv.get<DeliveryRecord>(name) ?? expect.fail("nothing is kept");
  // NaN is stored as NULL, which the column rejects.
  const otherPost = await duePost(account, channel);
  const guard = { ...storedRecord.guard, key: { ...storedRecord.guard.key, postId: otherPost.id }, version: 0 };
  const broken = { ...storedRecord, guard, decision: { ...storedRecord.decision, retries: Number.NaN } };
  storage.kv.put(`record:${otherPost.id}:${channel.id}`, broken);
  await (await ownPublisher(workspace, channel.id, { storage: storage.reopened() })).work();
  expect((await delivery()).status).toBe("live");
  expect((await getPost(account.key, otherPost.id)).status).toBe("published");
});

describe.each([false, true])(
  "a database that is unreachable from a record on (the record carried out: %s)",
  (committed) => {
    it("receives the network's answer at the next alarm, without another call of the network", async () => {
      const { workspace, channel, delivery } = await createDue();
      const storage = memoryStorage();
      const { db } = breakingDatabase(testEnv.DB, { call: 1, of: RECORD, committed, how: "away" });
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

    it("receives the answer from the same object, which then forgets it", async () => {
      const { workspace, channel, id, delivery } = await createDue();
      const storage = memoryStorage();
      const { db, mend } = breakingDatabase(testEnv.DB, { call: 1, of: RECORD, committed, how: "away" });
      const { work } = await ownPublisher(workspace, channel.id, { db, storage });
      await work();
      expect(storage.values.has(`record:${id}:${channel.id}`)).toBe(true);
      mend();
      await work();
      expect((await delivery()).status).toBe("live");
      expect([...storage.values.keys()].filter((name) => name.startsWith("record:"))).toEqual([]);
      expect(await ledger(channel.handle)).toHaveLength(1);
    });
  },
);

describe.each([false, true])(
  "a database that is unreachable from a send intent on (the intent carried out: %s)",
  (committed) => {
    it("leaves the delivery unsent and not unknown, and the next alarm sends it", async () => {
      const { workspace, channel, delivery } = await createDue();
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
