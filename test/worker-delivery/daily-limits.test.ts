// On Workers Free, an allowance may be used up before the day ends. Due work then waits, and is done when the next day
// begins.
import { expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { consumeMaintenance } from "../../src/maintenance/queue-consumer.ts";
import { readDueFeed } from "../../src/operations/feeds/read-due.ts";
import { databaseVia } from "../support/breaking-db.ts";
import { DATABASE_LIMITS, OBJECT_LIMITS } from "../support/daily-limits.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import type { Hosted } from "../support/file-host.ts";
import { age } from "../support/lanes.ts";
import { type MemoryStorage, memoryStorage } from "../support/memory-storage.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { call, connect, ledger, post, unique } from "../support/world.ts";
import { account, createDue, expectInvariantsHold, getDelivery, withAccount } from "./due-delivery.ts";
import { PNG } from "./sent-files.ts";

withAccount();

/** More starts than a publisher makes before it gives up a delivery. */
const STARTS = 7;
const A_MINUTE_MS = 60_000;

const failWith = (text: string) => () => Promise.reject(new Error(text));

/** A storage that rejects every write. */
function fullStorage(storage: MemoryStorage, text: string): MemoryStorage {
  const refuse = () => {
    throw new Error(text);
  };
  return Object.assign(Object.create(storage), {
    kv: { ...storage.kv, put: refuse, delete: refuse },
    setAlarm: async () => refuse(),
  });
}

it.each(OBJECT_LIMITS)("delays a delivery while an object that it needs says %s", async (text) => {
  const channel = await connect(account.key, "telegram");
  const url = `${testEnv.FILE_HOST}${unique("/f")}`;
  const hosted: Hosted = {
    head: btoa(String.fromCharCode(...PNG)),
    bytes: PNG.byteLength,
    length: true,
    ranges: false,
  };
  await fetch(url, { method: "PUT", body: JSON.stringify(hosted) });
  const image = await call<{ id: string }>("POST", "/v1/media", { token: account.key, body: { url, kind: "image" } });
  const { id } = await createDue(channel, { media: [image.body.id] });
  const storage = memoryStorage();
  const { publisher, lane } = await ownPublisher(account.workspace, channel.id, {
    storage,
    world: () => ({ takeHost: failWith(text) }),
  });
  for (let i = 0; i < STARTS; i++) {
    await publisher.arm(lane, Date.now());
    // The platform deletes the alarm when it fires.
    await storage.deleteAlarm();
    await publisher.alarm();
  }
  expect(await getDelivery(id)).toMatchObject({ status: "pending", attempts: 0 });
  expect(storage.alarmAt).toBeGreaterThan(Date.now() + A_MINUTE_MS);
  await (await ownPublisher(account.workspace, channel.id, { storage })).work();
  expect(await getDelivery(id)).toMatchObject({ status: "live", attempts: 1 });
  expect(await ledger(channel.handle)).toHaveLength(1);
  await expectInvariantsHold();
});

it.each(DATABASE_LIMITS)("delays a delivery for minutes, not seconds, while the database says %s", async (text) => {
  const channel = await connect(account.key, "telegram");
  const { id } = await createDue(channel);
  const storage = memoryStorage();
  const db = databaseVia(testEnv.DB, failWith(text));
  const { publisher, lane } = await ownPublisher(account.workspace, channel.id, { storage, db });
  for (let i = 0; i < STARTS; i++) {
    await publisher.arm(lane, Date.now());
    // The platform deletes the alarm when it fires.
    await storage.deleteAlarm();
    await publisher.alarm();
  }
  expect(await getDelivery(id)).toMatchObject({ status: "pending", attempts: 0 });
  expect(storage.alarmAt).toBeGreaterThan(Date.now() + A_MINUTE_MS);
  await age(id, A_MINUTE_MS);
  await (await ownPublisher(account.workspace, channel.id)).work();
  expect(await getDelivery(id)).toMatchObject({ status: "live" });
});

it.each([
  ["in time", 0],
  // A late publisher tries to record its start.
  ["late", A_MINUTE_MS],
])(
  "ends the alarm of a publisher with work that is %s without an error if its storage is full for the day, and sends nothing twice",
  async (_when, lateMs) => {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    await age(id, lateMs);
    // The alarm would be set for this post.
    await post(account.key, { text: "later", channels: [channel.id], publish_at: tomorrow() });
    const { lane, storage } = await ownPublisher(account.workspace, channel.id);
    storage.kv.put("lane", lane);
    const { publisher } = await ownPublisher(account.workspace, channel.id, {
      storage: fullStorage(storage, OBJECT_LIMITS[1]),
    });
    for (let i = 0; i < STARTS; i++) await publisher.alarm();
    expect((await ledger(channel.handle)).length).toBeLessThanOrEqual(1);
    await (await ownPublisher(account.workspace, channel.id)).work();
    expect(await getDelivery(id)).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(1);
    await expectInvariantsHold();
  },
);

it("retries a job at the start of the next day if it failed because an allowance is used up", async () => {
  const delays: (number | undefined)[] = [];
  const message = {
    id: "1",
    timestamp: new Date(),
    attempts: 1,
    body: { kind: "reset_mail", email: account.email },
    ack: () => expect.fail("the job was not done"),
    retry: (options?: { delaySeconds?: number }) => void delays.push(options?.delaySeconds),
  };
  const background: Promise<unknown>[] = [];
  const env = { ...testEnv, DB: databaseVia(testEnv.DB, failWith(DATABASE_LIMITS[0])) };
  await consumeMaintenance(
    compose(env, (work) => background.push(work)),
    { messages: [message] },
    readDueFeed,
  );
  const midnight = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400;
  expect(delays).toHaveLength(1);
  expect(Math.abs((delays[0] ?? 0) - (midnight - Date.now() / 1000))).toBeLessThan(60);
});
