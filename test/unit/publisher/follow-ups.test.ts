// Follow-ups beside the deliveries of a publisher: begun where their channel is free, and one by one after starts without an end.
import { describe, expect, it } from "vitest";
import type { FollowUpTask } from "../../../src/domain/job.ts";
import { HOUR_MS } from "../../../src/domain/limits.ts";
import { FollowUps } from "../../../src/publisher/follow-ups.ts";
import { PieceOfWork } from "../../../src/publisher/piece-of-work.ts";
import { Starts } from "../../../src/publisher/starts.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { followedDelivery } from "../follow-up/followed-delivery.ts";
import { CREDENTIAL, xWith } from "../follow-up/on-x.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";

const VERIFY: FollowUpTask = { kind: "verify", channel: "ch_1", posts: ["post_1"] };
const RENEW: FollowUpTask = { kind: "renew_credential", channel: "ch_1" };
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** The follow-ups of a lane of X; `storage`: what its object has left behind. */
async function followUpsOnX(task: FollowUpTask, parts: Parts = {}, storage = memoryStorage()) {
  const x = xWith({ 77: "once" });
  const columns = { readback: { state: "unverifiable" as const, altered: [] }, ...parts.columns };
  const followed = await followedDelivery({ platform: "x", credential: CREDENTIAL, fetch: x.fetch, ...parts, columns });
  const followUps = new FollowUps(followed.lane);
  followUps.add(task);
  const starts = new Starts(storage);
  starts.begin({ isLate: true, hasFollowUps: true });
  const piece = new PieceOfWork(followed.tools.ctx);
  const started = () => new Promise<void>((ended) => followUps.start(followed.tools, piece, ended));
  return {
    ...followed,
    calls: x.calls,
    followUps,
    storage,
    started,
    workAlone: () => followUps.workAlone(followed.tools, starts, piece),
  };
}
/** Three starts had no end, in each of which this was worked alone. */
const endedAt = (name: string) =>
  memoryStorage(new Map<string, unknown>([["begun", { starts: 3, alone: name, ends: { [name]: 2 } }]]));

describe("a follow-up", () => {
  it("is under way until it has ended, and its end is told", async () => {
    const { followUps, started, calls, readRow } = await followUpsOnX(VERIFY);
    expect(followUps.isIdle).toBe(false);
    const ended = started();
    expect(followUps.isIdle).toBe(false);
    await ended;
    expect(followUps.isIdle).toBe(true);
    expect(calls).toHaveLength(2);
    expect((await readRow()).checkedAt).toBe(NOW);
  });

  it.each([
    ["of a credential renews it", RENEW, "POST /2/oauth2/token"],
    ["of what was published verifies it", VERIFY, "GET /2/tweets 77"],
  ] as const)("%s", async (_what, task, call) => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW + HOUR_MS };
    const { started, calls } = await followUpsOnX(task, { credential, channel: { renewAt: NOW } });
    await started();
    expect(calls[0]).toBe(call);
  });

  it("before publishing judges what still waits", async () => {
    const task: FollowUpTask = { kind: "preflight", channel: "ch_1", posts: ["post_1"], minutes: 60 };
    const waiting = { state: "pending", nextAt: NOW + HOUR_MS, checkAt: null } as const;
    const { started, readEvents } = await followUpsOnX(task, { columns: waiting, channel: { removedAt: NOW } });
    await started();
    expect(await readEvents()).toMatchObject([{ event: "delivery.at_risk" }]);
  });

  it("that fails on our side is logged, and the next one begins", async () => {
    const outside = { networkIO: () => expect.fail("a fault of our own") };
    const { started, logs, followUps, key } = await followUpsOnX(VERIFY, { outside });
    await started();
    expect(followUps.isIdle).toBe(true);
    expect(logs[0]).toMatchObject({
      level: "error",
      event: "follow_up_failed",
      workspace: key.workspaceId,
      operation: "verify",
    });
  });
});

describe("a follow-up that is worked alone", () => {
  it("is done and ends, and says before that it is done alone", async () => {
    const { workAlone, followUps, calls, storage } = await followUpsOnX(VERIFY, {}, endedAt("something else"));
    await workAlone();
    expect(followUps.isIdle).toBe(true);
    expect(calls).toHaveLength(2);
    expect(storage.values.get("begun")).toMatchObject({ alone: null, ends: { "something else": 3 } });
  });

  it("is given up at the step at which the object has ended three times", async () => {
    const { workAlone, calls, readRow } = await followUpsOnX(VERIFY, {}, endedAt("verify:ch_1:post_1:recheck"));
    await workAlone();
    expect(calls).toEqual([]);
    expect(await readRow()).toMatchObject({ checkAt: null, state: "live" });
  });

  it("is not given up for what another step has done", async () => {
    const { workAlone, calls } = await followUpsOnX(VERIFY, {}, endedAt("verify:ch_1:post_1:comment"));
    await workAlone();
    expect(calls).toHaveLength(2);
  });

  it("is left out where it is not due any more", async () => {
    const { workAlone, calls, followUps } = await followUpsOnX(VERIFY, { columns: { checkAt: NOW + 1 } });
    await workAlone();
    expect([calls, followUps.isIdle]).toEqual([[], true]);
  });

  it("and is no verification is given up as a whole, with a line in the log", async () => {
    const name = "renew_credential:ch_1:";
    const channel = { renewAt: NOW };
    const { workAlone, readChannel, logs, key } = await followUpsOnX(RENEW, { channel }, endedAt(name));
    await workAlone();
    expect(await readChannel()).toMatchObject({ renewAt: NOW });
    expect(logs).toEqual([
      { level: "error", event: "follow_up_given_up", workspace: key.workspaceId, operation: "renew_credential" },
    ]);
    const again = await followUpsOnX(RENEW, { channel }, endedAt("something else"));
    await again.workAlone();
    expect((await again.readChannel()).renewAt).not.toBe(NOW);
  });
});
