// The sweep of several databases: one that fails or hangs costs the others nothing.

import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compose } from "../../../src/compose.ts";
import type { Context } from "../../../src/context.ts";
import type { Job } from "../../../src/domain/job.ts";
import { type Places, sweep, sweepDatabase } from "../../../src/maintenance/sweep.ts";
import { Sweeper } from "../../../src/objects/sweeper.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { tomorrow } from "../../support/dates.ts";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { age } from "../../support/lanes.ts";
import { MINUTE_MS } from "../../support/machine.ts";
import { connect, post, signUp } from "../../support/world.ts";

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
});
afterEach(() => vi.restoreAllMocks());

/** A context over these databases, and what it puts onto the queue. */
function contextOver(databases: D1Database[]): { ctx: Context; jobs: Job[] } {
  const jobs: Job[] = [];
  const ctx = compose(testEnv, () => {});
  const queue = { send: async (sent: Job[]) => void jobs.push(...sent) };
  return { ctx: { ...ctx, databases: databases.map(openDatabase), queue }, jobs };
}

/** A lane whose publisher was not woken. */
async function forgottenLane(): Promise<Job> {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const made = await post(account.key, { text: "forgotten", channels: [channel.id], publish_at: tomorrow() });
  await age(made.id, 24 * 60 * MINUTE_MS + MINUTE_MS);
  return { kind: "publish", workspace: account.workspace, lane: 0 };
}

/** A database whose answers come when they are released: then all of them fail. */
function hangingDatabase(): { db: D1Database; release(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const hang = () => promise;
  const statement = new Proxy({}, { get: (_, name) => (name === "bind" ? () => statement : hang) });
  const db = new Proxy(testEnv.DB, { get: (_, name) => (name === "prepare" ? () => statement : hang) });
  return { db, release: () => reject(new Error("the database was away")) };
}

const never = () => breakingDatabase(testEnv.DB, { call: 1, committed: false, how: "away" }).db;

describe("a sweep", () => {
  it("of a database that is away fails for itself, and is logged for each kind of work", async () => {
    const lane = await forgottenLane();
    const { ctx, jobs } = contextOver([never(), testEnv.DB]);
    await sweep(ctx);
    expect(jobs).toContainEqual(lane);
    const failed = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "sweep_failed");
    expect(failed.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(["publish", "renew", "verify", "webhooks", "expire_media", "warn_expiry"]),
    );
  });

  it("goes on with the other kinds of work when one fails, and keeps its place in that one", async () => {
    const lane = await forgottenLane();
    const { ctx, jobs } = contextOver([testEnv.DB]);
    const renewal = { dueAt: 5, workspaceId: "ws", channelId: "ch" };
    const places: Places = { renewal };
    const [db] = ctx.databases;
    if (db === undefined) return expect.fail("no database");
    const send = async (sent: Job[]) => {
      if (sent.some(({ kind }) => kind === "publish")) throw new Error("the queue takes nothing");
      jobs.push(...sent);
    };
    await sweepDatabase({ ...ctx, queue: { send } }, db, places);
    expect(places.lane).toBeUndefined();
    expect(places.renewal).toBeNull();
    expect(places.lookedAhead).toBeDefined();
    await sweepDatabase(ctx, db, places);
    expect(jobs).toContainEqual(lane);
  });

  it("of a database that never answers keeps no other waiting", async () => {
    const lane = await forgottenLane();
    const { db, release } = hangingDatabase();
    const { ctx, jobs } = contextOver([db, testEnv.DB]);
    const swept = sweep(ctx);
    await eventually(() => expect(jobs).toContainEqual(lane));
    release();
    await swept;
  });

  it("of a database that never answers is not begun again beside itself", async () => {
    const { db, release } = hangingDatabase();
    await runInDurableObject(testEnv.SWEEPER.getByName("a sweeper of this test"), async (_, state) => {
      const sweeper = new Sweeper(state, { ...testEnv, DB: db });
      const first = sweeper.alarm();
      const second = sweeper.alarm();
      await second;
      const hanging = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "sweep_hangs");
      expect(hanging.map(({ operation }) => operation)).toEqual(["accounts", "database 0"]);
      release();
      await first;
      lines = [];
      await sweeper.alarm();
      expect(lines.filter((line) => line.includes("sweep_hangs"))).toEqual([]);
      await state.storage.deleteAlarm();
    });
  });
});
