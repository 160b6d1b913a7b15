// GET /v1/status: deliveries that were published or failed, and how they are counted.
import {
  createExecutionContext,
  evictDurableObject,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import type { Context } from "../../src/context.ts";
import type { Result } from "../../src/contract/operation.ts";
import type { readStatus } from "../../src/contract/status.ts";
import { LATENESS_BOUNDS_MS, OUTCOME_SLOT_MS, type OutcomeSlot } from "../../src/domain/lateness.ts";
import { app } from "../../src/http/app.ts";
import { breakingDatabase } from "../support/breaking-db.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import { duePost, MINUTE_MS } from "../support/machine.ts";
import { networksVia, type OwnParts, ownPublisher } from "../support/own-publisher.ts";
import { connect, getPost, signUp } from "../support/world.ts";

type Status = Result<typeof readStatus>;

/** The status of a deployment that has not been asked before. */
async function readStatusNow(DB = testEnv.DB) {
  const { db, use } = countedDatabase(DB);
  const deployment = { ...testEnv, DB: db, OUTCOMES: { getByName: () => counter } };
  const ask = async () => {
    const execution = createExecutionContext();
    const answer = await app.fetch(new Request("http://crier.test/v1/status"), deployment, execution);
    const body = await answer.json<Status>();
    await waitOnExecutionContext(execution);
    return { headers: answer.headers, status: answer.status, body };
  };
  return { ...(await ask()), ask, use };
}
const findNetworkStatus = ({ networks }: Status, platform: string) =>
  networks.find((network) => network.platform === platform);

/** A counter for this file only, because deliveries of earlier files are counted by the deployment's own counter. */
const counter = testEnv.OUTCOMES.getByName("of the tests of the status");
const outcomes = { add: (counts: Record<string, number>) => counter.add(counts), read: () => counter.read() };

/** The sums of all slots, by name. */
async function sumCounts(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { counts } of await counter.read()) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
/** Restarts the counter with its stored slots, or with the given slots. */
async function restart(slots: OutcomeSlot[] | "as it was left") {
  await runInDurableObject(counter, (_, { storage }) => {
    if (slots !== "as it was left") storage.kv.put("slots", slots);
  });
  await evictDurableObject(counter);
}

beforeEach(() => restart([]));

/** A post for one channel that has been due for `lateMs`, and its publisher. */
async function createLate(platform: string, lateMs: number, { world, ...options }: OwnParts = {}) {
  const account = await signUp();
  const channel = await connect(account.key, platform);
  const { id } = await duePost(account, channel);
  await age(id, lateMs);
  const ownWorld = (ctx: Context) => ({ ...world?.(ctx), outcomes });
  const { work } = await ownPublisher(account.workspace, channel.id, { ...options, world: ownWorld });
  return { ...account, channel, id, work };
}

describe("GET /v1/status", () => {
  it("reports the lateness of deliveries for each network, and reads no database", async () => {
    for (const minutes of [50, 50, 4]) {
      const { work, key, id } = await createLate("telegram", minutes * MINUTE_MS);
      await work();
      expect((await getPost(key, id)).status).toBe("published");
    }
    const hour = `telegram ${LATENESS_BOUNDS_MS.indexOf(60 * MINUTE_MS)}`;
    const fiveMinutes = `telegram ${LATENESS_BOUNDS_MS.indexOf(5 * MINUTE_MS)}`;
    expect(await sumCounts()).toEqual({ [hour]: 2, [fiveMinutes]: 1 });

    const { status, body, headers, use, ask } = await readStatusNow();
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("public, max-age=10");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(findNetworkStatus(body, "telegram")).toEqual({
      platform: "telegram",
      failing: false,
      published: 3,
      failed_tries: 0,
      lateness_seconds: { p50: 3_600, p99: 3_600 },
    });
    expect(findNetworkStatus(body, "bluesky")).toMatchObject({ published: 0, lateness_seconds: null });
    expect(body.failing).toEqual([]);
    await counter.add({ "telegram failed": 1 });
    for (let i = 0; i < 5; i++) expect((await ask()).body).toEqual(body);
    expect(use.roundTrips).toBe(0);
  });

  it("names a failing network, independently of the others", async () => {
    const world = networksVia(async (url, act) =>
      url.includes("/bluesky/") ? Response.json({ error: "InternalServerError" }, { status: 503 }) : act(),
    );
    for (const platform of ["bluesky", "bluesky", "bluesky", "telegram"]) {
      const { work } = await createLate(platform, 0, { world });
      await work();
    }
    const { body } = await readStatusNow();
    expect(body.failing).toEqual(["bluesky"]);
    expect(findNetworkStatus(body, "bluesky")).toMatchObject({ failing: true, published: 0, failed_tries: 3 });
    expect(findNetworkStatus(body, "telegram")).toMatchObject({ failing: false, published: 1, failed_tries: 0 });
  });

  it("counts a call without an answer as a failure of the network, whatever becomes of the delivery", async () => {
    const world = networksVia(async (url, act) => {
      await act();
      if (url.endsWith("/sendMessage")) throw new TypeError("Network connection lost.");
      return act();
    });
    const { work, key, id } = await createLate("telegram", 0, { world });
    await work();
    expect((await getPost(key, id)).deliveries[0]).toMatchObject({ error: "outcome_unknown" });
    expect(await sumCounts()).toEqual({ "telegram failed": 1 });
  });

  it("counts a permanently rejected post neither as a failure nor as a delivery of the network", async () => {
    const world = networksVia(async (url, act) =>
      url.endsWith("/sendMessage")
        ? Response.json({ ok: false, error_code: 403, description: "Forbidden: bot was kicked" }, { status: 403 })
        : act(),
    );
    const { work, key, id } = await createLate("telegram", 0, { world });
    await work();
    expect((await getPost(key, id)).status).toBe("failed");
    expect(await sumCounts()).toEqual({});
  });

  it.each([true, false])("counts a record whose answer was lost once (it was written: %s)", async (committed) => {
    const { db } = breakingDatabase(testEnv.DB, { call: 1, of: /insert into "events"/, committed, how: "once" });
    const { work, key, id } = await createLate("telegram", 50 * MINUTE_MS, { db });
    await work();
    expect((await getPost(key, id)).status).toBe("published");
    expect(Object.values(await sumCounts())).toEqual([1]);
  });

  it("keeps its counts when its object restarts, and ignores counts older than an hour", async () => {
    const now = Math.floor(Date.now() / OUTCOME_SLOT_MS);
    await restart([now, now - 11, now - 14, now - 100].map((slot) => ({ slot, counts: { "telegram 0": 1 } })));
    expect(findNetworkStatus((await readStatusNow()).body, "telegram")).toMatchObject({ published: 2 });
    await counter.add({ "telegram 0": 5 });
    await restart("as it was left");
    expect(findNetworkStatus((await readStatusNow()).body, "telegram")).toMatchObject({ published: 7 });
  });
});
