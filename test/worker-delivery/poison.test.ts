// A delivery at which its publisher ends every time: it is given up after five starts, and the others go out.

import { describe, expect, it } from "vitest";
import { databaseVia, never } from "../support/breaking-db.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, MINUTE_MS } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { connect, getPost, ledger, post, signUp, uploadImage } from "../support/world.ts";

const STARTS_MAX = 5;

describe("a delivery that ends its publisher whenever it is worked", () => {
  it("is given up after five starts, never sent; all others go out, once", async () => {
    const account = await signUp();
    const { key, workspace } = account;
    const channel = await connect(key, "telegram");
    const other = await connect(key, "bluesky");
    const image = await uploadImage(account);
    const due = async (text: string, channelId: string, media: string[] = []) => {
      const { id } = await post(key, { text, channels: [channelId], media, publish_at: tomorrow() });
      await age(id, DAY_MS);
      return id;
    };
    const before = await due("before", channel.id);
    const poison = await due("poison", channel.id, [image.id]);
    const behind = await due("behind", channel.id);
    const elsewhere = await due("elsewhere", other.id);
    const all = [before, poison, behind, elsewhere];
    const delivery = async (id: string) => (await getPost(key, id)).deliveries[0] ?? expect.fail("no delivery");

    let storage = memoryStorage();
    let deaths = 0;
    /** One start of the object. Returns whether it came to its end. */
    async function start(): Promise<boolean> {
      const { promise: died, resolve: die } = Promise.withResolvers<"died">();
      let isDead = false;
      const unlessDead = <Answer>(act: () => Promise<Answer>) => (isDead ? never() : act());
      const { work } = await ownPublisher(workspace, channel.id, {
        storage,
        db: databaseVia(testEnv.DB, (_, act) => unlessDead(act)),
        world: (ctx) => ({
          ...networksVia((_, act) => unlessDead(act))(ctx),
          bucket: ctx.bucket && {
            ...ctx.bucket,
            stat: async () => {
              isDead = true;
              die("died");
              return never();
            },
          },
        }),
      });
      const end = await Promise.race([work().then(() => "ended"), died]);
      storage = storage.reopened();
      if (end === "died") deaths++;
      return end === "ended";
    }
    for (let i = 0; i < 2 * STARTS_MAX && !(await start()); i++) {
      // Before it ends, an object has set the alarm for the next one: the platform rings again by itself only six times.
      for (const id of all) await age(id, 5 * MINUTE_MS);
    }
    // The first start may find its work late already, and counts the one that it takes to have been before it.
    expect([STARTS_MAX - 1, STARTS_MAX]).toContain(deaths);
    expect(await delivery(poison)).toMatchObject({ status: "failed", error: "internal_error", attempts: 0 });
    for (const id of [before, behind, elsewhere]) expect(await delivery(id)).toMatchObject({ status: "live" });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["before", "behind"]);
    expect(await ledger(other.handle)).toHaveLength(1);
    expect(storage.values.has("begun")).toBe(false);
    expect(await brokenInvariants(workspace)).toEqual([]);
  });

  it("is given up too when our own work on it fails every time, and blocks nobody", async () => {
    const account = await signUp();
    const { key, workspace } = account;
    const channel = await connect(key, "telegram");
    const image = await uploadImage(account);
    const made = await post(key, { text: "broken", channels: [channel.id], media: [image.id], publish_at: tomorrow() });
    const next = await post(key, { text: "next", channels: [channel.id], publish_at: tomorrow() });
    for (const { id } of [made, next]) await age(id, DAY_MS);
    const { work } = await ownPublisher(workspace, channel.id, {
      world: (ctx) => ({
        bucket: ctx.bucket && {
          ...ctx.bucket,
          publicUrl: () => {
            throw new TypeError("a bug of ours");
          },
        },
      }),
    });
    for (let i = 0; i <= STARTS_MAX; i++) await work();
    expect((await getPost(key, made.id)).deliveries[0]).toMatchObject({
      status: "failed",
      error: "internal_error",
      attempts: 0,
    });
    expect((await getPost(key, next.id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["next"]);
  });
});
