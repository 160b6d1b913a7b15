// Finished posts go to the archive whole, whatever breaks off meanwhile.
import { describe, expect, it } from "vitest";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { testEnv } from "../../support/env.ts";
import { call } from "../../support/world.ts";
import { BUCKET, judge, left, type Old, run, withPosts, withWorld, world } from "./archive.ts";

withWorld();

/** A bucket of which one call goes wrong: before or after it has been carried out. */
function breakingBucket(call: number, committed: boolean): { bucket: R2Bucket; use: { calls: number } } {
  const use = { calls: 0 };
  const bucket = new Proxy(BUCKET, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...input: unknown[]) => {
        const breaks = ++use.calls === call;
        if (breaks && !committed) throw new Error("Network connection lost.");
        const answer: unknown = await Reflect.apply(value, target, input);
        if (breaks) throw new Error("Network connection lost.");
        return answer;
      };
    },
  });
  return { bucket, use };
}

describe("any call that breaks off", () => {
  const OLD: Old[] = [
    { days: 100 },
    { days: 100, status: "draft" },
    { days: 70 },
    { days: 70, checkAt: 1e15 },
    { days: 70 },
  ];

  /** Breaks each call in turn until a run makes fewer; after each, what is there is judged, and a later run finishes it. */
  async function breakEach(attempt: (call: number, committed: boolean) => Promise<{ calls: number }>): Promise<number> {
    for (let number = 1; ; number++) {
      for (const committed of [false, true]) {
        const ids = await withPosts(OLD);
        const stay = [ids[1] ?? "", ids[3] ?? ""];
        const { calls } = await attempt(number, committed);
        await judge(ids, stay);
        await run();
        await run();
        expect((await left()).filter((id) => ids.includes(id))).toEqual(stay);
        await judge(ids, stay);
        if (calls < number) return number;
      }
    }
  }

  it.each(["once", "dies"] as const)(
    "of the database (%s), nothing is lost, and a later sweep finishes it",
    async (how) => {
      const broken = await breakEach(async (number, committed) => {
        const { db, use, died } = breakingDatabase(testEnv.DB, { call: number, committed, how });
        await Promise.race([run({ db }).catch(() => {}), died]);
        return use;
      });
      expect(broken).toBeGreaterThan(5);
    },
  );

  it("of the bucket, nothing is lost, and a later sweep finishes it", async () => {
    const broken = await breakEach(async (number, committed) => {
      const { bucket, use } = breakingBucket(number, committed);
      await run({ bucket }).catch(() => {});
      return use;
    });
    expect(broken).toBeGreaterThan(2);
  });
});

/** A bucket that has `meanwhile` happen once a file is there and nothing is deleted yet. */
function bucketWith(meanwhile: () => Promise<unknown>): R2Bucket {
  let isOver = false;
  return new Proxy(BUCKET, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "put" || typeof value !== "function") return value;
      return async (...input: unknown[]) => {
        const answer: unknown = await Reflect.apply(value, target, input);
        if (!isOver) {
          isOver = true;
          await meanwhile();
        }
        return answer;
      };
    },
  });
}

it("a post that its owner retries while it is archived stays, with its neighbours; these go with the next sweep", async () => {
  const ids = await withPosts([{ days: 70 }, { days: 70, status: "failed", state: "failed" }, { days: 70 }]);
  const retried = ids[1] ?? "";
  const retry = async () => {
    const path = `/v1/posts/${retried}/deliveries/${world.channel.id}/retry`;
    const answer = await call("POST", path, { token: world.key, body: {} });
    expect(answer.status).toBeLessThan(300);
  };
  await run({ bucket: bucketWith(retry) });
  expect(await left()).toEqual(ids);
  await run();
  expect(await left()).toEqual([retried]);
  await judge(ids, [retried]);
});

it("two sweeps at once lose nothing", async () => {
  const ids = await withPosts(Array.from({ length: 30 }, () => ({ days: 70 })));
  // The other one finds more: what it writes is another file.
  const [more = ""] = await withPosts([{ days: 75 }]);
  await run({ bucket: bucketWith(() => run()) });
  expect(await left()).toEqual([]);
  await judge([...ids, more], []);
});
