// Sweeps of several databases: a database that fails or hangs does not delay the others.

import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compose } from "../../../src/compose.ts";
import type { Context } from "../../../src/context.ts";
import type { Job } from "../../../src/domain/job.ts";
import { type SweepCursors, sweep, sweepDatabase } from "../../../src/maintenance/sweep.ts";
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

/** A context with these databases, and the jobs that it enqueues. */
function createContext(databases: D1Database[]): { ctx: Context; jobs: Job[] } {
  const jobs: Job[] = [];
  const ctx = compose(testEnv, () => {});
  const queue = { send: async (newJobs: Job[]) => void jobs.push(...newJobs) };
  return { ctx: { ...ctx, databases: databases.map((database) => openDatabase(database)), queue }, jobs };
}

/** A lane whose publisher was not woken. */
async function createForgottenLane(): Promise<Job> {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const createdPost = await post(account.key, { text: "forgotten", channels: [channel.id], publish_at: tomorrow() });
  await age(createdPost.id, 24 * 60 * MINUTE_MS + MINUTE_MS);
  return { kind: "publish", workspace: account.workspace, lane: 0 };
}

/** A database that answers no call until `release` is called. Then every call fails. */
function createHangingDatabase(): { db: D1Database; release(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const hang = () => promise;
  const statement = new Proxy({}, { get: (_, name) => (name === "bind" ? () => statement : hang) });
  const db = new Proxy(testEnv.DB, { get: (_, name) => (name === "prepare" ? () => statement : hang) });
  return { db, release: () => reject(new Error("the database was away")) };
}

const createUnreachableDatabase = () => breakingDatabase(testEnv.DB, { call: 1, committed: false, how: "away" }).db;

describe("a sweep", () => {
  it("skips a database that is unreachable, and logs an error for each kind of work", async () => {
    const lane = await createForgottenLane();
    const { ctx, jobs } = createContext([createUnreachableDatabase(), testEnv.DB]);
    await sweep(ctx);
    expect(jobs).toContainEqual(lane);
    const failed = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "sweep_failed");
    expect(failed.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(["publish", "renew", "follow_ups", "webhooks", "expire_media", "warn_expiry"]),
    );
  });

  it("continues with the other kinds of work if one kind fails, and keeps its position in that kind", async () => {
    const lane = await createForgottenLane();
    const { ctx, jobs } = createContext([testEnv.DB]);
    const renewal = { dueAt: 5, workspaceId: "ws", channelId: "ch" };
    const cursors: SweepCursors = { renewal };
    const [db] = ctx.databases;
    if (db === undefined) return expect.fail("no database");
    const send = async (newJobs: Job[]) => {
      if (newJobs.some(({ kind }) => kind === "publish")) throw new Error("the queue takes nothing");
      jobs.push(...newJobs);
    };
    await sweepDatabase({ ...ctx, queue: { send } }, db, cursors);
    expect(cursors.lane).toBeUndefined();
    expect(cursors.renewal).toBeNull();
    expect(cursors.lookedAhead).toBeDefined();
    await sweepDatabase(ctx, db, cursors);
    expect(jobs).toContainEqual(lane);
  });

  it("does not wait for a database that never answers", async () => {
    const lane = await createForgottenLane();
    const { db, release } = createHangingDatabase();
    const { ctx, jobs } = createContext([db, testEnv.DB]);
    const swept = sweep(ctx);
    await eventually(() => expect(jobs).toContainEqual(lane));
    release();
    await swept;
  });

  it("is not started a second time while it waits for a database that never answers", async () => {
    const { db, release } = createHangingDatabase();
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
