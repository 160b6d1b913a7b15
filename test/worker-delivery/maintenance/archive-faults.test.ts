// Finished posts are archived completely, whichever call breaks off.
import { describe, expect, it } from "vitest";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { testEnv } from "../../support/env.ts";
import { call } from "../../support/world.ts";
import { BUCKET, checkPosts, getPostIds, insertPosts, type OldPost, runArchive, withWorld, world } from "./archive.ts";

withWorld();

/** A bucket with one failing call, which fails before or after it is carried out. */
function breakingBucket(call: number, committed: boolean): { bucket: R2Bucket; use: { calls: number } } {
  const use = { calls: 0 };
  const bucket = new Proxy(BUCKET, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...input: unknown[]) => {
        const isBreaking = ++use.calls === call;
        if (isBreaking && !committed) throw new Error("Network connection lost.");
        const answer: unknown = await Reflect.apply(value, target, input);
        if (isBreaking) throw new Error("Network connection lost.");
        return answer;
      };
    },
  });
  return { bucket, use };
}

describe("archiving in which one call breaks off", () => {
  const OLD: OldPost[] = [
    { days: 100 },
    { days: 100, status: "draft" },
    { days: 70 },
    { days: 70, checkAt: 1e15 },
    { days: 70 },
  ];

  /**
   * Breaks each call in turn until a run makes fewer calls. Checks the rows after each, and lets a later run finish the
   * work.
   */
  async function breakEach(attempt: (call: number, committed: boolean) => Promise<{ calls: number }>): Promise<number> {
    for (let number = 1; ; number++) {
      for (const committed of [false, true]) {
        const ids = await insertPosts(OLD);
        const stay = [ids[1] ?? "", ids[3] ?? ""];
        const { calls } = await attempt(number, committed);
        await checkPosts(ids, stay);
        await runArchive();
        await runArchive();
        expect((await getPostIds()).filter((id) => ids.includes(id))).toEqual(stay);
        await checkPosts(ids, stay);
        if (calls < number) return number;
      }
    }
  }

  it.each(["once", "dies"] as const)(
    "loses nothing if the call goes to the database (%s), and a later sweep finishes the work",
    async (failure) => {
      const broken = await breakEach(async (number, committed) => {
        const { db, use, died } = breakingDatabase(testEnv.DB, { call: number, committed, how: failure });
        await Promise.race([runArchive({ db }).catch(() => {}), died]);
        return use;
      });
      expect(broken).toBeGreaterThan(5);
    },
  );

  it("loses nothing if the call goes to the bucket, and a later sweep finishes the work", async () => {
    const broken = await breakEach(async (number, committed) => {
      const { bucket, use } = breakingBucket(number, committed);
      await runArchive({ bucket }).catch(() => {});
      return use;
    });
    expect(broken).toBeGreaterThan(2);
  });
});

/** A bucket that runs `meanwhile` after a file is written and before anything is deleted. */
function interruptBucket(meanwhile: () => Promise<unknown>): R2Bucket {
  let isDone = false;
  return new Proxy(BUCKET, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "put" || typeof value !== "function") return value;
      return async (...input: unknown[]) => {
        const answer: unknown = await Reflect.apply(value, target, input);
        if (!isDone) {
          isDone = true;
          await meanwhile();
        }
        return answer;
      };
    },
  });
}

it("keeps a post that its owner retries during archiving, and archives its neighbours in the next sweep", async () => {
  const ids = await insertPosts([{ days: 70 }, { days: 70, status: "failed", state: "failed" }, { days: 70 }]);
  const retried = ids[1] ?? "";
  const retry = async () => {
    const path = `/v1/posts/${retried}/deliveries/${world.channel.id}/retry`;
    const answer = await call("POST", path, { token: world.key, body: {} });
    expect(answer.status).toBeLessThan(300);
  };
  await runArchive({ bucket: interruptBucket(retry) });
  expect(await getPostIds()).toEqual(ids);
  await runArchive();
  expect(await getPostIds()).toEqual([retried]);
  await checkPosts(ids, [retried]);
});

it("loses nothing if two sweeps run at once", async () => {
  const ids = await insertPosts(Array.from({ length: 30 }, () => ({ days: 70 })));
  // The second sweep finds one more post and therefore writes another file.
  const [newPost = ""] = await insertPosts([{ days: 75 }]);
  await runArchive({ bucket: interruptBucket(() => runArchive()) });
  expect(await getPostIds()).toEqual([]);
  await checkPosts([...ids, newPost], []);
});
