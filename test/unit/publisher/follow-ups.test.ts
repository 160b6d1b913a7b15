// Follow-ups run in parallel to the deliveries of a publisher, and one by one after starts that never ended.
import { describe, expect, it } from "vitest";
import type { FollowUpTask } from "../../../src/domain/job.ts";
import { HOUR_MS } from "../../../src/domain/limits.ts";
import { FollowUps } from "../../../src/publisher/follow-ups.ts";
import { PieceOfWork } from "../../../src/publisher/piece-of-work.ts";
import { Starts } from "../../../src/publisher/starts.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { followedDelivery } from "../follow-up/followed-delivery.ts";
import { CREDENTIAL, makeX } from "../follow-up/on-x.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";

const VERIFY: FollowUpTask = { kind: "after_publish", channel: "ch_1", posts: ["post_1"] };
const RENEW: FollowUpTask = { kind: "renew_credential", channel: "ch_1" };
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Sets up the follow-ups of a lane of X. `storage` is the storage that an earlier object left. */
async function setUpFollowUps(task: FollowUpTask, parts: Parts = {}, storage = memoryStorage()) {
  const x = makeX({ 77: "once" });
  const columns = { readback: { state: "unverifiable" as const, altered: [] }, ...parts.columns };
  const followed = await followedDelivery({ platform: "x", credential: CREDENTIAL, fetch: x.fetch, ...parts, columns });
  const followUps = new FollowUps(followed.lane);
  followUps.add(task);
  const starts = new Starts(storage);
  starts.begin({ isLate: true, hasFollowUps: true });
  const piece = new PieceOfWork(followed.tools.ctx);
  const runNext = () => new Promise<void>((ended) => followUps.start(followed.tools, piece, ended));
  return {
    ...followed,
    calls: x.calls,
    followUps,
    storage,
    started: runNext,
    workAlone: () => followUps.workAlone(followed.tools, starts, piece),
  };
}
/** Makes the storage after three starts that never ended, each of which processed `name` alone. */
const makeEndedStorage = (name: string) =>
  memoryStorage(new Map<string, unknown>([["begun", { starts: 3, alone: name, ends: { [name]: 2 } }]]));

describe("a follow-up", () => {
  it("follow-ups are not idle until the task in progress has ended", async () => {
    const { followUps, started: runNext, calls, readRow } = await setUpFollowUps(VERIFY);
    expect(followUps.isIdle).toBe(false);
    const ended = runNext();
    expect(followUps.isIdle).toBe(false);
    await ended;
    expect(followUps.isIdle).toBe(true);
    expect(calls).toHaveLength(2);
    expect((await readRow()).networkPost?.checkedAt).toBe(NOW);
  });

  it.each([
    ["a task for a credential renews it", RENEW, "POST /2/oauth2/token"],
    ["a task for a published post rechecks it", VERIFY, "GET /2/tweets 77"],
  ] as const)("%s", async (_effect, task, call) => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW + HOUR_MS };
    const { started: runNext, calls } = await setUpFollowUps(task, { credential, channel: { renewAt: NOW } });
    await runNext();
    expect(calls[0]).toBe(call);
  });

  it("a pre-flight task checks a waiting delivery", async () => {
    const task: FollowUpTask = { kind: "preflight", channel: "ch_1", posts: ["post_1"], minutes: 60 };
    const waiting = { state: "pending", nextAt: NOW + HOUR_MS, checkAt: null } as const;
    const { started: runNext, readEvents } = await setUpFollowUps(task, {
      columns: waiting,
      channel: { removedAt: NOW },
    });
    await runNext();
    expect(await readEvents()).toMatchObject([{ event: "delivery.at_risk" }]);
  });

  it("a follow-up that fails on our side is logged, and further ones can begin", async () => {
    const outside = { networkIO: () => expect.fail("a fault of our own") };
    const { started: runNext, logs, followUps, key } = await setUpFollowUps(VERIFY, { outside });
    await runNext();
    expect(followUps.isIdle).toBe(true);
    expect(logs[0]).toMatchObject({
      level: "error",
      event: "follow_up_failed",
      workspace: key.workspaceId,
      operation: "after_publish",
    });
  });
});

describe("a follow-up that is processed alone", () => {
  it("a follow-up that is processed alone is recorded in the storage before, and completes", async () => {
    const { workAlone, followUps, calls, storage } = await setUpFollowUps(
      VERIFY,
      {},
      makeEndedStorage("something else"),
    );
    await workAlone();
    expect(followUps.isIdle).toBe(true);
    expect(calls).toHaveLength(2);
    expect(storage.values.get("begun")).toMatchObject({ alone: null, ends: { "something else": 3 } });
  });

  it("a follow-up is given up at the step during which the object has ended three times", async () => {
    const { workAlone, calls, readRow } = await setUpFollowUps(
      VERIFY,
      {},
      makeEndedStorage("after_publish:ch_1:post_1:recheck"),
    );
    await workAlone();
    expect(calls).toEqual([]);
    expect(await readRow()).toMatchObject({ checkAt: null, state: "live" });
  });

  it("a follow-up is not given up if the object ended during another step", async () => {
    const { workAlone, calls } = await setUpFollowUps(
      VERIFY,
      {},
      makeEndedStorage("after_publish:ch_1:post_1:comment"),
    );
    await workAlone();
    expect(calls).toHaveLength(2);
  });

  it("a follow-up that is no longer due is skipped", async () => {
    const { workAlone, calls, followUps } = await setUpFollowUps(VERIFY, { columns: { checkAt: NOW + 1 } });
    await workAlone();
    expect([calls, followUps.isIdle]).toEqual([[], true]);
  });

  it("a renewal during which the object has ended three times is given up and logged", async () => {
    const name = "renew_credential:ch_1:";
    const channel = { renewAt: NOW };
    const { workAlone, readChannel, logs, key } = await setUpFollowUps(RENEW, { channel }, makeEndedStorage(name));
    await workAlone();
    expect(await readChannel()).toMatchObject({ renewAt: NOW });
    expect(logs).toEqual([
      { level: "error", event: "follow_up_given_up", workspace: key.workspaceId, operation: "renew_credential" },
    ]);
    const again = await setUpFollowUps(RENEW, { channel }, makeEndedStorage("something else"));
    await again.workAlone();
    expect((await again.readChannel()).renewAt).not.toBe(NOW);
  });
});
