// A deployment as its operator sees it: invalid settings, and its health.
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SWEEPER } from "../../src/env.ts";
import { breakingDatabase } from "../support/breaking-db.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { askDeployment, askExisting } from "../support/deployment.ts";
import { DEPLOYED, testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import { call, connect, post, signUp } from "../support/world.ts";

const HEALTH = "http://crier.test/healthz";

describe("an invalid setting", () => {
  it.each([
    ["BASE_URL", { BASE_URL: "http://crier.dev" }],
    ["SIGNING_KEY", { SIGNING_KEY: "short" }],
    ["DASHBOARD_URL", { DASHBOARD_URL: "ftp://crier.dev" }],
    ["PROVIDER", { BASE_URL: "https://crier.dev" }],
    ["ALLOW_PRIVATE_ADDRESSES", { ...DEPLOYED, ALLOW_PRIVATE_ADDRESSES: "1" }],
  ])("an invalid %s makes each address answer 503 with its name, which is also logged", async (name, settings) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => logged.mockRestore());
    for (const path of ["/healthz", "/v1/posts", "/mcp", "/auth", "/docs", "/nothing"]) {
      const response = await askDeployment(`https://crier.dev${path}`, settings);
      expect(response.status, path).toBe(503);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "cache-control": "no-store",
        "strict-transport-security": "max-age=31536000",
      });
      expect(await response.json()).toMatchObject({
        error: "service_misconfigured",
        message: expect.stringContaining(name),
        request_id: response.headers.get("x-request-id"),
      });
      expect(logged.mock.lastCall?.[0]).toContain(name);
    }
  });
});

/** A database that reports this size. */
function openSizedDatabase(bytes: number): D1Database {
  return new Proxy(testEnv.DB, {
    get(target, name) {
      if (name !== "batch") return Reflect.get(target, name, target).bind(target);
      return async (statements: D1PreparedStatement[]) => {
        const results = await target.batch(statements);
        return results.map((result) => ({ ...result, meta: { ...result.meta, size_after: bytes } }));
      };
    },
  });
}

describe("GET /healthz", () => {
  it("the health check reports the status of the service, its provider, and the number of overdue deliveries", async () => {
    const answer = await call("GET", "/healthz");
    expect(answer).toMatchObject({
      status: 200,
      body: { status: "ok", provider: "sandbox", scheduler: { overdue: expect.any(Number) } },
    });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  it("the health check reads the database at most once in a few seconds", async () => {
    const { db, use } = countedDatabase(testEnv.DB);
    const deployment = { ...testEnv, DB: db };
    const ask = () => askExisting(deployment, HEALTH);
    const first = await ask();
    expect(first.headers.get("cache-control")).toBe("public, max-age=5");
    const { roundTrips } = use;
    expect(roundTrips).toBeGreaterThan(0);
    const body = await first.json();
    for (let i = 0; i < 5; i++) expect(await (await ask()).json()).toEqual(body);
    expect(use.roundTrips).toBe(roundTrips);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_000 });
    onTestFinished(() => void vi.useRealTimers());
    await ask();
    expect(use.roundTrips).toBeGreaterThan(roundTrips);
  });

  it("simultaneous health checks share one read of the database, and share a failure, which is not cached", async () => {
    const { db, use } = countedDatabase(testEnv.DB);
    const alone = { ...testEnv, DB: db };
    await askExisting(alone, HEALTH);
    const { roundTrips } = use;
    const together = { ...testEnv, DB: db };
    const answers = await Promise.all(Array.from({ length: 50 }, () => askExisting(together, HEALTH)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(use.roundTrips).toBe(2 * roundTrips);

    const { db: away, mend } = breakingDatabase(testEnv.DB, { call: 1, committed: false, how: "away" });
    const broken = { ...testEnv, DB: away };
    const failed = await Promise.all(Array.from({ length: 5 }, () => askExisting(broken, HEALTH)));
    expect(failed.map(({ status }) => status)).toEqual(Array(5).fill(503));
    mend();
    expect((await askExisting(broken, HEALTH)).status).toBe(200);
  });

  it("the health check answers 503 while the database fails, and 200 as soon as it works again", async () => {
    const { db, mend } = breakingDatabase(testEnv.DB, { call: 1, committed: false, how: "away" });
    const deployment = { ...testEnv, DB: db };
    const ask = () => askExisting(deployment, HEALTH);
    const failed = await ask();
    expect(failed.status).toBe(503);
    expect(failed.headers.get("cache-control")).toBe("no-store");
    expect(await failed.json()).toMatchObject({ error: "database_unavailable" });
    mend();
    expect((await ask()).status).toBe(200);
  });

  it("the health check warns if a database is 70 % full", async () => {
    const gigabyte = 1024 ** 3;
    const readWarnings = async (bytes: number) => {
      const response = await askExisting({ ...testEnv, DB: openSizedDatabase(bytes) }, HEALTH);
      return (await response.json<{ warnings: unknown[] }>()).warnings;
    };
    expect(await readWarnings(6.9 * gigabyte)).toEqual([]);
    expect(await readWarnings(7.1 * gigabyte)).toEqual([
      { code: "database_fills", message: "The database DB is 71 % full; full, it takes no posts." },
    ]);
  });

  it("the health check counts overdue deliveries, except for those that are due later or held back by their network", async () => {
    const YEARS_MS = 50 * 365 * 86_400_000;
    // No sweep may find this work during the test.
    await runInDurableObject(testEnv.SWEEPER.getByName(SWEEPER), (_, state) => state.storage.deleteAlarm());
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const publish_at = new Date(Date.now() + 86_400_000).toISOString();
    const { id } = await post(key, { text: "late", channels: [channel.id], publish_at });
    const isCounted = async () => {
      // A new deployment has no cached answer.
      const response = await askDeployment(HEALTH, {});
      const body = await response.json<{ scheduler: { overdue: number; oldest_overdue_seconds: number } }>();
      const { overdue, oldest_overdue_seconds } = body.scheduler;
      return overdue > 0 && oldest_overdue_seconds > (YEARS_MS / 1000) * 0.9;
    };
    const holdBack = (until: number | null) =>
      testEnv.DB.prepare("UPDATE channels SET not_before = ? WHERE id = ?").bind(until, channel.id).run();
    expect(await isCounted()).toBe(false);
    await age(id, YEARS_MS);
    expect(await isCounted()).toBe(true);
    await holdBack(Date.now() + 60_000);
    expect(await isCounted()).toBe(false);
    await holdBack(null);
    expect(await isCounted()).toBe(true);
    expect((await call("DELETE", `/v1/posts/${id}`, { token: key })).status).toBe(200);
    expect(await isCounted()).toBe(false);
  });
});
