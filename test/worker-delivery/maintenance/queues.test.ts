// Each job is sent to the queue of its kind, and permanent failures are reported.
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compose } from "../../../src/compose.ts";
import type { Job } from "../../../src/domain/job.ts";
import worker from "../../../src/index.ts";
import { testEnv } from "../../support/env.ts";
import { signUp, unique } from "../../support/world.ts";

const loggedLines: Record<string, unknown>[] = [];
beforeEach(() => {
  loggedLines.length = 0;
  for (const level of ["error", "warn"] as const)
    vi.spyOn(console, level).mockImplementation(
      (line) => void loggedLines.push({ level, ...JSON.parse(String(line)) }),
    );
});
afterEach(() => vi.restoreAllMocks());

async function consume(queue: string, bodies: unknown[], env = testEnv) {
  const messages = bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts: 4, body }));
  const batch = createMessageBatch(queue, messages);
  const execution = createExecutionContext();
  await worker.queue(batch, env, execution);
  return getQueueResult(batch, execution);
}

it("routes jobs to queues by their kind, in batches of acceptable size", async () => {
  const batches: { queue: string; bodies: unknown[] }[] = [];
  const recorder = <Body>(name: string, queue: Queue<Body>) =>
    new Proxy(queue, {
      get: () => async (batch: { body: Body }[]) =>
        void batches.push({ queue: name, bodies: batch.map(({ body }) => body) }),
    });
  const { QUEUE, MAINTENANCE } = testEnv;
  const env = { ...testEnv, QUEUE: recorder("wake", QUEUE), MAINTENANCE: recorder("maintenance", MAINTENANCE) };
  const wakes: Job[] = Array.from({ length: 101 }, (_, lane) => ({ kind: "publish", workspace: "ws_1", lane }));
  const slow: Job[] = [
    { kind: "reset_mail", email: "ada@example.com" },
    { kind: "clear_workspace", workspace: "ws_1" },
    { kind: "end_connections" },
  ];
  await compose(env, () => {}).queue.send([...slow, ...wakes]);
  expect(batches.map(({ queue, bodies }) => [queue, bodies.length])).toEqual([
    ["wake", 100],
    ["wake", 1],
    ["maintenance", 3],
  ]);
  expect(batches[2]?.bodies).toEqual(slow);
});

describe("dead letters", () => {
  it("are logged as errors with their subject, and acknowledged", async () => {
    const bodies = [
      { kind: "publish", workspace: "ws_1", lane: 3 },
      { kind: "renew_credential", workspace: "ws_2", lane: 0, channel: "ch_2" },
      { kind: "reset_mail", email: "ada@example.com" },
      { kind: "of another deploy" },
      null,
    ];
    const result = await consume("a-queue-of-another-name", bodies, {
      ...testEnv,
      DEAD_LETTER_QUEUE: "a-queue-of-another-name",
    });
    expect(result.explicitAcks).toHaveLength(bodies.length);
    expect(result.retryMessages).toEqual([]);
    const letter = { level: "error", event: "dead_letter", count: 4 };
    expect(loggedLines).toEqual([
      { ...letter, operation: "publish", workspace: "ws_1" },
      { ...letter, operation: "renew_credential", workspace: "ws_2", channel: "ch_2" },
      { ...letter, operation: "reset_mail" },
      { ...letter, operation: "unknown" },
      { ...letter, operation: "unknown" },
    ]);
    expect(JSON.stringify(loggedLines)).not.toContain("ada@example.com");
  });
});

describe("the maintenance queue", () => {
  it("runs equal jobs once, and acknowledges unknown jobs", async () => {
    const { workspace } = await signUp();
    const key = `m/${workspace}/${unique("file")}`;
    await testEnv.MEDIA?.put(key, "x");
    const clear = { kind: "clear_workspace", workspace };
    const result = await consume("crier-maintenance", [clear, clear, { kind: "nonsense" }, null]);
    expect(result).toMatchObject({ outcome: "ok", retryMessages: [] });
    expect(result.explicitAcks).toHaveLength(4);
    expect(await testEnv.MEDIA?.head(key)).toBeNull();
    expect(loggedLines).toMatchObject([{ event: "unknown_job" }, { event: "unknown_job" }]);
  });

  it("is recognized by its messages, whatever its name", async () => {
    const { workspace } = await signUp();
    const key = `m/${workspace}/${unique("file")}`;
    await testEnv.MEDIA?.put(key, "x");
    const wake = { kind: "publish", workspace, lane: 0 };
    const result = await consume("renamed-by-the-deploy-button", [{ kind: "clear_workspace", workspace }, wake]);
    expect(result.explicitAcks).toHaveLength(2);
    expect(await testEnv.MEDIA?.head(key)).toBeNull();
    expect(loggedLines).toEqual([]);
  });

  it("retries a failed job, and runs the other jobs of the batch", async () => {
    const [failing, succeeding] = [await signUp(), await signUp()];
    const key = `m/${succeeding.workspace}/${unique("file")}`;
    await testEnv.MEDIA?.put(key, "x");
    const PUBLISHER = new Proxy(testEnv.PUBLISHER, {
      get: (target, name) =>
        name === "getByName"
          ? (lane: string) =>
              lane.startsWith(failing.workspace) ? expect.fail("the object is away") : target.getByName(lane)
          : Reflect.get(target, name),
    });
    const bodies = [failing, succeeding].map(({ workspace }) => ({ kind: "clear_workspace", workspace }));
    const result = await consume("crier-maintenance", bodies, { ...testEnv, PUBLISHER });
    expect(result).toMatchObject({ explicitAcks: ["m1"], retryMessages: [{ msgId: "m0" }] });
    expect(loggedLines).toMatchObject([{ event: "job_failed", operation: "clear_workspace" }]);
    expect(await testEnv.MEDIA?.head(key)).toBeNull();
  });
});
