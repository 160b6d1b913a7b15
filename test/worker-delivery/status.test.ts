// GET /v1/status: what really went out and really failed, counted with it.
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

/** The status as a deployment tells it that has not been asked before. */
async function statusNow(DB = testEnv.DB) {
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
const of = ({ networks }: Status, platform: string) => networks.find((one) => one.platform === platform);

/** Of this file alone: what an earlier file left to publish is counted by the deployment's own. */
const counter = testEnv.OUTCOMES.getByName("of the tests of the status");
const outcomes = { add: (counts: Record<string, number>) => counter.add(counts), read: () => counter.read() };

/** Of all slots, by name. */
async function counts(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { counts } of await counter.read()) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
/** Has the counter begin anew with what it had stored: as it was left, or with these slots. */
async function restart(slots: OutcomeSlot[] | "as it was left") {
  await runInDurableObject(counter, (_, { storage }) => {
    if (slots !== "as it was left") storage.kv.put("slots", slots);
  });
  await evictDurableObject(counter);
}

beforeEach(() => restart([]));

/** A post for one channel that has been due for `lateMs`, and its publisher. */
async function late(platform: string, lateMs: number, { world, ...parts }: OwnParts = {}) {
  const account = await signUp();
  const channel = await connect(account.key, platform);
  const { id } = await duePost(account, channel);
  await age(id, lateMs);
  const ownWorld = (ctx: Context) => ({ ...world?.(ctx), outcomes });
  const { work } = await ownPublisher(account.workspace, channel.id, { ...parts, world: ownWorld });
  return { ...account, channel, id, work };
}

describe("GET /v1/status", () => {
  it("says of each network how late its deliveries were, and reads no database", async () => {
    for (const minutes of [50, 50, 4]) {
      const { work, key, id } = await late("telegram", minutes * MINUTE_MS);
      await work();
      expect((await getPost(key, id)).status).toBe("published");
    }
    const hour = `telegram ${LATENESS_BOUNDS_MS.indexOf(60 * MINUTE_MS)}`;
    const fiveMinutes = `telegram ${LATENESS_BOUNDS_MS.indexOf(5 * MINUTE_MS)}`;
    expect(await counts()).toEqual({ [hour]: 2, [fiveMinutes]: 1 });

    const { status, body, headers, use, ask } = await statusNow();
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("public, max-age=10");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(of(body, "telegram")).toEqual({
      platform: "telegram",
      failing: false,
      published: 3,
      failed_tries: 0,
      lateness_seconds: { p50: 3_600, p99: 3_600 },
    });
    expect(of(body, "bluesky")).toMatchObject({ published: 0, lateness_seconds: null });
    expect(body.failing).toEqual([]);
    await counter.add({ "telegram failed": 1 });
    for (let i = 0; i < 5; i++) expect((await ask()).body).toEqual(body);
    expect(use.roundTrips).toBe(0);
  });

  it("names the network that fails, and leaves what another one does alone", async () => {
    const world = networksVia(async (url, act) =>
      url.includes("/bluesky/") ? Response.json({ error: "InternalServerError" }, { status: 503 }) : act(),
    );
    for (const platform of ["bluesky", "bluesky", "bluesky", "telegram"]) {
      const { work } = await late(platform, 0, { world });
      await work();
    }
    const { body } = await statusNow();
    expect(body.failing).toEqual(["bluesky"]);
    expect(of(body, "bluesky")).toMatchObject({ failing: true, published: 0, failed_tries: 3 });
    expect(of(body, "telegram")).toMatchObject({ failing: false, published: 1, failed_tries: 0 });
  });

  it("a network that takes a call and does not answer it has failed, whatever the delivery comes to", async () => {
    const world = networksVia(async (url, act) => {
      await act();
      if (url.endsWith("/sendMessage")) throw new TypeError("Network connection lost.");
      return act();
    });
    const { work, key, id } = await late("telegram", 0, { world });
    await work();
    expect((await getPost(key, id)).deliveries[0]).toMatchObject({ error: "outcome_unknown" });
    expect(await counts()).toEqual({ "telegram failed": 1 });
  });

  it("a post that the network refuses for good counts as neither its failure nor its delivery", async () => {
    const world = networksVia(async (url, act) =>
      url.endsWith("/sendMessage")
        ? Response.json({ ok: false, error_code: 403, description: "Forbidden: bot was kicked" }, { status: 403 })
        : act(),
    );
    const { work, key, id } = await late("telegram", 0, { world });
    await work();
    expect((await getPost(key, id)).status).toBe("failed");
    expect(await counts()).toEqual({});
  });

  it.each([true, false])("a record whose answer was lost is counted once (it was written: %s)", async (committed) => {
    const { db } = breakingDatabase(testEnv.DB, { call: 1, of: /insert into "events"/, committed, how: "once" });
    const { work, key, id } = await late("telegram", 50 * MINUTE_MS, { db });
    await work();
    expect((await getPost(key, id)).status).toBe("published");
    expect(Object.values(await counts())).toEqual([1]);
  });

  it("keeps what it counted over an end of its object, and does not count what is older than an hour", async () => {
    const now = Math.floor(Date.now() / OUTCOME_SLOT_MS);
    await restart([now, now - 11, now - 14, now - 100].map((slot) => ({ slot, counts: { "telegram 0": 1 } })));
    expect(of((await statusNow()).body, "telegram")).toMatchObject({ published: 2 });
    await counter.add({ "telegram 0": 5 });
    await restart("as it was left");
    expect(of((await statusNow()).body, "telegram")).toMatchObject({ published: 7 });
  });
});
