// On Workers Free, one invocation may make 50 calls and 50 statements. A publisher stays below that, and continues in
// its next alarm.
import { expect, it } from "vitest";
import { limitBucket } from "../../src/adapters/limited-bucket.ts";
import { LimitedWork } from "../../src/limited-work.ts";
import { sweep } from "../../src/maintenance/sweep.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { connect, ledger, unique, uploadVideo } from "../support/world.ts";
import { account, createDue, expectInvariantsHold, getDelivery, withAccount } from "./due-delivery.ts";

withAccount();

const LIMITS = { fetches: 3, statements: 20 };
const ALARMS_MAX = 60;

/** A database that records the size of each batch of statements, by invocation. */
function recordStatements() {
  const invocations: number[][] = [];
  const { db } = countedDatabase(testEnv.DB, {
    isOn: () => false,
    beforeRoundTrip: async (statements) => void invocations.at(-1)?.push(statements),
  });
  return { db, invocations };
}

const getSum = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);

it("continues a long upload alarm by alarm, and publishes the post once", async () => {
  const channel = await connect(account.key, "x");
  const video = await uploadVideo(account, 700_000);
  const { id } = await createDue(channel, { media: [video.id] });
  const storage = memoryStorage();
  const { db, invocations } = recordStatements();
  const { publisher, lane } = await ownPublisher(account.workspace, channel.id, { storage, db, limits: LIMITS });

  await publisher.arm(lane, Date.now());
  let alarms = 0;
  for (; alarms < ALARMS_MAX && (await getDelivery(id)).status !== "live"; alarms++) {
    invocations.push([]);
    await publisher.alarm();
    const { next_attempt_at } = await getDelivery(id);
    if (next_attempt_at !== null) await age(id, Date.parse(next_attempt_at) - Date.now() + 1);
  }

  expect(await getDelivery(id)).toMatchObject({ status: "live", attempts: 1 });
  expect((await ledger(channel.handle)).filter(({ deleted }) => !deleted)).toHaveLength(1);
  // INIT, eleven segments of 64 KiB, FINALIZE, STATUS and the post itself.
  expect(alarms).toBeGreaterThan(Math.ceil(15 / LIMITS.fetches));
  // A batch is never split: a batch that is larger than the limit gets an invocation of its own.
  const tooMany = invocations.filter((batches) => getSum(batches) > LIMITS.statements && batches.length > 1);
  expect(tooMany).toEqual([]);
  await expectInvariantsHold();
});

it("counts bucket calls and parts of an upload against the allowance", async () => {
  const usage: string[] = [];
  const bucket = limitBucket(testEnv.MEDIA ?? expect.fail("no bucket"), {
    take: async (meter, count) => void usage.push(`${count} ${meter}`),
  });
  const key = unique("limited/");
  const upload = await bucket.createMultipartUpload(key);
  await upload.complete([await upload.uploadPart(1, "part")]);
  expect(await (await bucket.get(key))?.text()).toBe("part");
  await bucket.delete(key);
  expect(usage).toEqual(Array(5).fill("1 fetches"));
});

it("spreads sweeps over as many invocations as their statements need", async () => {
  const { db, invocations } = recordStatements();
  const background: Promise<unknown>[] = [];
  const work = new LimitedWork({ ...testEnv, DB: db, ACCOUNT_PLAN: "free" }, (promise) => background.push(promise));
  const twoSweeps = async () => void (await Promise.all([sweep(work.compose()), sweep(work.compose())]));
  let isDone = false;
  for (let i = 0; i < ALARMS_MAX && !isDone; i++) {
    invocations.push([]);
    isDone = await work.goOn(twoSweeps);
  }
  expect(isDone).toBe(true);
  expect(getSum(invocations.flat())).toBeGreaterThan(40);
  expect(invocations.filter((batches) => getSum(batches) > 40 && batches.length > 1)).toEqual([]);
  await Promise.all(background);
});
