// A short run of `npm run chaos`, and tests of its judge.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { type Evidence, judge, listViolations, type ReportedDelivery } from "./verdict.ts";

it("a worker that is killed while it accepts and sends posts loses none, duplicates none and reports the truth", async () => {
  // Vitest has a BASE_URL of its own.
  const { BASE_URL: _, ...env } = process.env;
  const options = { posts: 30, kills: 2, seconds: 1_500, seed: 20_261_121 };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(process.execPath, ["test/e2e/chaos/run.ts", ...args], {
    cwd: join(import.meta.dirname, "../../.."),
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGTERM"));
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  expect(code, output).toBe(0);
  const figure = (name: string) => Number(new RegExp(`^${name} +(\\d+)$`, "m").exec(output)?.[1]);
  expect(figure("posts")).toBe(options.posts);
  expect(figure("live")).toBeGreaterThan(figure("deliveries") / 2);
  expect(figure("kills")).toBeGreaterThanOrEqual(options.kills);
}, 1_800_000);

describe("the judge of a chaos run", () => {
  const delivery = (status: string, error: string | null = null): ReportedDelivery => ({
    channel: "ch_1",
    platform: "net",
    account: "@a",
    status,
    error,
  });
  const entry = (over: Partial<LedgerEntry> = {}): LedgerEntry => ({
    platform: "net",
    account: "@a",
    id: "1",
    at_ms: 1_000,
    text: "hello",
    media: [{ bytes: 1, type: "image/jpeg", sha256: "aa", alt: null }],
    token: null,
    url: null,
    deleted: false,
    detail: {},
    shown: { marks: [], card: null },
    ...over,
  });
  const SUCCEEDED = [{ event: "delivery.succeeded", post: "post_1", channel: "ch_1" }];
  const FAILED = [{ event: "delivery.failed", post: "post_1", channel: "ch_1" }];
  const judgeDelivery = (delivery: ReportedDelivery | null, over: Partial<Evidence> = {}) =>
    judge({
      promised: [
        {
          id: "post_1",
          text: "hello",
          files: ["aa"],
          notBefore: 1_000,
          deliveries: delivery === null ? null : [delivery],
        },
      ],
      events: [],
      ledger: [],
      toMachineTime: (atMs) => atMs,
      unanswered: new Map(),
      ...over,
    });
  const kinds = (...input: Parameters<typeof judgeDelivery>) =>
    listViolations(judgeDelivery(...input)).map((line) => line.split(":")[0]);

  it("finds nothing if everything is as it was answered", () => {
    expect(kinds(delivery("live"), { ledger: [entry()], events: SUCCEEDED })).toEqual([]);
    expect(kinds(delivery("cancelled"))).toEqual([]);
    const explained = judgeDelivery(delivery("failed", "outcome_unknown"), {
      events: FAILED,
      unanswered: new Map([["net @a", 1]]),
    });
    expect(listViolations(explained)).toEqual([]);
    expect(explained.unconfirmedExplained).toBe(1);
  });

  it.each<[string, ReportedDelivery | null, Partial<Evidence>]>([
    ["lost", null, {}],
    ["lost", delivery("pending"), {}],
    ["stuck", delivery("publishing"), { ledger: [entry()] }],
    ["duplicated", delivery("live"), { ledger: [entry(), entry({ id: "2" })], events: SUCCEEDED }],
    ["falseLive", delivery("live"), { events: SUCCEEDED }],
    ["falseFailed", delivery("failed", "content_refused"), { ledger: [entry()], events: FAILED }],
    ["failedWithoutReason", delivery("failed", "content_refused"), { events: FAILED }],
    ["falseCancelled", delivery("cancelled"), { ledger: [entry()] }],
    ["unconfirmedUnexplained", delivery("failed", "outcome_unknown"), { events: FAILED }],
    ["altered", delivery("live"), { ledger: [entry({ media: [] })], events: SUCCEEDED }],
    ["early", delivery("live"), { ledger: [entry({ at_ms: 999 })], events: SUCCEEDED }],
    ["early", delivery("live"), { ledger: [entry()], events: SUCCEEDED, toMachineTime: (atMs) => atMs - 1 }],
    ["eventsWrong", delivery("live"), { ledger: [entry()] }],
    ["eventsWrong", delivery("live"), { ledger: [entry()], events: [...SUCCEEDED, ...SUCCEEDED] }],
    ["eventsWrong", delivery("live"), { ledger: [entry()], events: [...SUCCEEDED, ...FAILED] }],
  ])("reports a delivery that is %s", (kind, delivery, over) => {
    expect(kinds(delivery, over)).toEqual([kind]);
  });

  it.each([
    [15, 1, []],
    [14, 0, ["failedWithoutReason"]],
  ])("accepts a quota after %i posts of the account for %i failures", (count, overCap, expected) => {
    const full = { ...delivery("failed", "network_quota"), platform: "tiktok" };
    const ledger = Array.from({ length: count }, (_, i) =>
      entry({ platform: "tiktok", id: String(i), text: `other ${i}` }),
    );
    const verdict = judgeDelivery(full, { events: FAILED, ledger });
    expect(verdict.overCap).toBe(overCap);
    expect(verdict.violations.failedWithoutReason.map(() => "failedWithoutReason")).toEqual(expected);
  });

  it("finds a post that nobody ordered", () => {
    const ledger = [entry(), entry({ text: "hell" })];
    expect(kinds(delivery("live"), { ledger, events: SUCCEEDED })).toEqual(["unasked"]);
  });
});
