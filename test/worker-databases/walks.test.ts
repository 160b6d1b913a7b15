// Work for all workspaces walks through each database, and a database that is unavailable or hangs does not delay the
// others.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compose } from "../../src/compose.ts";
import type { Job } from "../../src/domain/job.ts";
import type { Env } from "../../src/env.ts";
import { sweep } from "../../src/maintenance/sweep.ts";
import { Sweeper } from "../../src/objects/sweeper.ts";
import { callWith, database, makeAway, makeHanging, signUpIn } from "../support/databases.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, MINUTE_MS } from "../support/machine.ts";
import { isExtensive } from "../support/sampled.ts";
import { type Account, type ChannelBody, connect, post, uploadImage } from "../support/world.ts";

let lines: { event: string; operation?: string }[] = [];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, "error").mockImplementation((line) => void lines.push(JSON.parse(String(line))));
});
afterEach(() => vi.restoreAllMocks());

const BROKEN: [string, () => D1Database][] = [
  ["away", () => makeAway(1)],
  ["hanging", makeHanging],
];

/** Starts a sweep with its own bindings, and does not wait for it. Returns the jobs that it has put onto the queue. */
function startSweep(bindings: Partial<Env>): { jobs: Job[] } {
  const jobs: Job[] = [];
  const ctx = compose({ ...testEnv, ...bindings }, () => {});
  void sweep({ ...ctx, queue: { send: async (newJobs) => void jobs.push(...newJobs) } });
  return { jobs };
}

/** Creates a workspace with due work whose wake-ups were lost. */
async function createForgottenWork(home: number) {
  const account = await signUpIn(home);
  const [channel, used] = [await connect(account.key, "telegram"), await connect(account.key, "telegram")];
  const image = await uploadImage(account);
  const created = await post(account.key, { text: "late", channels: [channel.id], publish_at: tomorrow() });
  await age(created.id, DAY_MS + MINUTE_MS);
  const { workspace } = account;
  const change = (sql: string, ...values: unknown[]) =>
    database(home)
      .prepare(sql)
      .bind(...values, workspace)
      .run();
  await change("UPDATE channels SET renew_at = 1 WHERE id = ? AND workspace_id = ?", used.id);
  await change("UPDATE media SET state = 'ready', expires_at = 1 WHERE id = ? AND workspace_id = ?", image.id);
  return { account, used, image: image.id, lane: { kind: "publish", workspace, lane: 0 } };
}

const buildRenewal = ({ workspace }: Account, { id }: ChannelBody) => {
  return { kind: "renew_credential", workspace, lane: 0, channel: id };
};

describe.each(BROKEN)("a sweep with a database that is %s", (_, broken) => {
  it("a sweep does all work of the other databases", async () => {
    const workspaces = [await createForgottenWork(0), await createForgottenWork(2)];
    const { jobs } = startSweep({ DB_1: broken() });
    for (const [i, { account, used, image, lane }] of workspaces.entries()) {
      await eventually(() => expect(jobs).toContainEqual(lane));
      await eventually(() => expect(jobs).toContainEqual(buildRenewal(account, used)));
      await eventually(async () => {
        const sql = "SELECT state FROM media WHERE workspace_id = ? AND id = ?";
        expect(
          await database(i * 2)
            .prepare(sql)
            .bind(account.workspace, image)
            .first("state"),
        ).toBe("expired");
      });
    }
  });

  it("a sweep seals the credentials of the other databases with the new key", async () => {
    const accounts = [await signUpIn(0), await signUpIn(2)];
    for (const { key } of accounts) await connect(key, "telegram");
    const SEAL_KEYS_NEXT = JSON.stringify({ next: btoa("fedcba9876543210fedcba9876543210") });
    const { jobs } = startSweep({ DB_1: broken(), SEAL_KEYS_NEXT });
    for (const [i, { workspace }] of accounts.entries()) {
      await eventually(async () => {
        const sql = "SELECT credential FROM channels WHERE workspace_id = ?";
        expect(
          await database(i * 2)
            .prepare(sql)
            .bind(workspace)
            .first("credential"),
        ).toMatch(/^v1\.next\./);
      });
    }
    expect(jobs).toBeDefined();
  });
});

it.each([
  ["away", () => makeAway(0)],
  ["hanging", makeHanging],
])("a sweep without the accounts, whose database is %s, does the work of the others", async (_, broken) => {
  const { lane } = await createForgottenWork(1);
  const { jobs } = startSweep({ DB: broken() });
  await eventually(() => expect(jobs).toContainEqual(lane));
});

it("the sweeper continues with the other databases while one hangs, and does not start that one twice", async () => {
  const { image, account } = await createForgottenWork(2);
  await runInDurableObject(testEnv.SWEEPER.getByName("a sweeper of this test"), async (_, state) => {
    const sweeper = new Sweeper(state, { ...testEnv, DB_1: makeHanging() });
    void sweeper.alarm();
    const isExpired = () =>
      database(2)
        .prepare("SELECT 1 FROM media WHERE workspace_id = ? AND id = ? AND state = 'expired'")
        .bind(account.workspace, image)
        .first();
    await eventually(async () => expect(await isExpired()).not.toBeNull());
    await eventually(async () => expect(state.storage.kv.get("cursors:2")).toBeDefined());
    void sweeper.alarm();
    await eventually(() => {
      const hang = lines.filter(({ event }) => event === "sweep_hangs").map(({ operation }) => operation);
      expect(hang).toContain("database 1");
      expect(hang).not.toContain("database 2");
    });
    await state.storage.deleteAlarm();
  });
});

describe("GET /healthz", () => {
  interface Health {
    status: string;
    unavailable_databases: string[];
    scheduler: { overdue: number };
  }
  const getHealth = (bindings: Partial<Env>) => callWith<Health>(bindings, "GET", "/healthz");

  it("the health check names an unavailable database, and counts the overdue deliveries of the others", async () => {
    expect(await getHealth({})).toMatchObject({ status: 200, body: { status: "ok", unavailable_databases: [] } });
    await createForgottenWork(2);
    const answer = await getHealth({ DB_1: makeAway(1) });
    expect(answer).toMatchObject({ status: 200, body: { status: "degraded", unavailable_databases: ["DB_1"] } });
    expect(answer.body.scheduler.overdue).toBeGreaterThan(0);
  });

  it("the health check answers 503 without the accounts database", async () => {
    expect(await getHealth({ DB: makeAway(0) })).toMatchObject({
      status: 503,
      body: { error: "database_unavailable" },
    });
  });

  it.runIf(isExtensive)("the health check names a database that hangs", async () => {
    expect(await getHealth({ DB_2: makeHanging() })).toMatchObject({
      status: 200,
      body: { unavailable_databases: ["DB_2"] },
    });
  });
});
