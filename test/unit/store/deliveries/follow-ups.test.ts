// Follow-ups are delayed and ended only if they have not changed since they were read.

import { describe, expect, it } from "vitest";
import { recordFollowUp } from "../../../../src/store/deliveries/follow-up-rows.ts";
import { putOffFollowUps, rescheduleFollowUp } from "../../../../src/store/deliveries/follow-ups.ts";
import { recordRecheck } from "../../../../src/store/deliveries/rechecks.ts";
import { askForTakedown, recordTakenDown } from "../../../../src/store/deliveries/takedowns.ts";
import { makeEntry } from "../../../support/audit-entries.ts";
import { makeProof, record } from "./delivery-records.ts";
import { db, MINUTE, NOW, pass, type Stored, storedDelivery } from "./stored-delivery.ts";

const live = { state: "live", nextAt: null, checkAt: NOW - MINUTE } as const;
const entryFor = ({ key }: Stored) => makeEntry(key.workspaceId, "delivery.takedown_requested");
const delayUntil = ({ key }: Stored, dueAt: number, since: number) =>
  putOffFollowUps(db, key.workspaceId, key.channelId, [key.postId], dueAt, since);

describe("delaying the follow-ups of a channel", () => {
  it("follow-ups that were due at the time of the call are delayed", async () => {
    const stored = await storedDelivery(live);
    await delayUntil(stored, NOW + 15 * MINUTE, NOW);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + 15 * MINUTE });
  });

  it("a due time that another session has written since is not changed", async () => {
    const stored = await storedDelivery(live);
    await stored.change({ checkAt: NOW + 60 * MINUTE });
    await delayUntil(stored, NOW + 15 * MINUTE, NOW);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + 60 * MINUTE });
  });

  it("a takedown that was requested at the same instant is not delayed", async () => {
    const stored = await storedDelivery(live);
    await askForTakedown(db, stored.key, entryFor(stored));
    await delayUntil(stored, NOW + 15 * MINUTE, NOW);
    expect(await stored.read()).toMatchObject({ checkAt: NOW });
  });

  it("a takedown that was due before the call is delayed", async () => {
    const stored = await storedDelivery(live);
    await askForTakedown(db, stored.key, entryFor(stored));
    pass(1);
    await delayUntil(stored, NOW + 15 * MINUTE, NOW + 1);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + 15 * MINUTE });
  });
});

const TAKEDOWN = { kind: "takedown", state: "due" } as const;
const COMMENT = { kind: "first_comment", state: "due" } as const;
const storeWithComment = () => storedDelivery(live, [COMMENT]);
/** Reads a delivery and its work like a follow-up. */
async function readFollowUp(stored: Stored) {
  const delivery = await stored.read();
  return { delivery, followUps: Object.values(delivery.work).map((work) => ({ ...work, ...stored.key })) };
}
const readCommentState = async (stored: Stored) => (await stored.read()).work.first_comment?.state;

describe("rescheduling the follow-up of a delivery that was read", () => {
  it("rescheduling a follow-up writes its next due time", async () => {
    const stored = await storeWithComment();
    await rescheduleFollowUp(db, await readFollowUp(stored), NOW + MINUTE);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + MINUTE, work: { first_comment: { state: "due" } } });
  });

  it("a takedown that is never due again becomes unknown", async () => {
    const stored = await storedDelivery(live, [TAKEDOWN]);
    await rescheduleFollowUp(db, await readFollowUp(stored), null);
    const detail = "it may not have been taken down; check the network";
    expect(await stored.read()).toMatchObject({ checkAt: null, work: { takedown: { state: "unknown", detail } } });
  });

  it.each([
    ["has not begun", "due", "failed"],
    ["has no answer", "sending", "unknown"],
    ["is done", "done", "done"],
    ["was refused", "failed", "failed"],
  ] as const)("work that %s and is never due again changes from %s to %s", async (_reason, state, end) => {
    const stored = await storedDelivery(live, [
      { kind: "playlist", state, tries: 1 },
      { kind: "first_comment", state: "done" },
    ]);
    await rescheduleFollowUp(db, await readFollowUp(stored), null);
    const work = { playlist: { state: end, tries: 1 }, first_comment: { state: "done" } };
    expect(await stored.read()).toMatchObject({ checkAt: null, work });
  });

  it.each([
    ["another session has written the delivery", { version: 4 }],
    ["its due time has changed", { checkAt: NOW }],
    ["the first comment has begun", { checkAt: NOW + 5 * MINUTE }],
  ] as const)("rescheduling a follow-up writes nothing if %s", async (_reason, columns) => {
    const stored = await storeWithComment();
    const read = await readFollowUp(stored);
    await stored.change(columns);
    await rescheduleFollowUp(db, read, null);
    expect(await stored.read()).toEqual({ ...read.delivery, ...columns });
  });

  it("rescheduling a follow-up writes nothing after the owner has requested a takedown", async () => {
    const stored = await storedDelivery({ ...live, checkAt: NOW }, [COMMENT]);
    const read = await readFollowUp(stored);
    await askForTakedown(db, stored.key, entryFor(stored));
    const before = await stored.read();
    await rescheduleFollowUp(db, read, null);
    expect(await stored.read()).toEqual(before);
    expect(before).toMatchObject({ checkAt: NOW, work: { takedown: { state: "due" } } });
  });

  it("rescheduling a follow-up writes nothing if a takedown that was due at the read has ended", async () => {
    const stored = await storedDelivery(live, [TAKEDOWN, COMMENT]);
    const read = await readFollowUp(stored);
    await stored.changeWork("takedown", { state: "failed" });
    const before = await stored.read();
    await rescheduleFollowUp(db, read, null);
    expect(await stored.read()).toEqual(before);
  });

  it("a first comment that was added since the delivery was read stays due", async () => {
    const stored = await storedDelivery({ ...live, state: "outcome_unknown", hasOpenSend: true });
    const read = await readFollowUp(stored);
    await record(makeProof(stored, { followUp: { checkAt: NOW - MINUTE, kinds: ["first_comment"] } }));
    await rescheduleFollowUp(db, read, null);
    const work = { first_comment: { state: "due" } };
    expect(await stored.read()).toMatchObject({ state: "live", work, checkAt: NOW - MINUTE });
  });
});

describe("the end of a post", () => {
  const removed = { after: { is: "removed" }, result: "removed", altered: null } as const;

  it.each([
    ["is no longer found", async ({ key }: Stored) => recordRecheck(db, key, removed)],
    ["was taken down", async ({ key }: Stored) => recordTakenDown(db, key, null)],
  ])("a post that %s ends its pending work", async (_reason, end) => {
    const stored = await storedDelivery(live, [TAKEDOWN, { ...COMMENT, state: "sending" }]);
    await end(stored);
    const work = { takedown: { state: "done" }, first_comment: { state: "unknown" } };
    expect(await stored.read()).toMatchObject({ state: "removed", checkAt: null, work });
  });

  it.each(["failed", "unknown"] as const)(
    "a post that is found removed completes a takedown that is %s",
    async (state) => {
      const stored = await storedDelivery(live, [{ ...TAKEDOWN, state, detail: "why", networkMessage: "no" }]);
      await recordRecheck(db, stored.key, removed);
      const takedown = { state: "done", detail: null, networkMessage: null };
      expect(await stored.read()).toMatchObject({ work: { takedown } });
    },
  );
});

describe("a takedown that ends while its post stays live", () => {
  const asRead = { kind: "takedown", state: "due", tries: 0 } as const;
  const outcome = { nextAt: null, detail: "it may still be there" } as const;

  it.each([
    ["unknown", "unclear"],
    ["failed", "refused"],
  ] as const)("a takedown that is %s leaves no first comment due", async (state, move) => {
    const stored = await storedDelivery(live, [TAKEDOWN, COMMENT]);
    await recordFollowUp(db, stored.key, asRead, { ...outcome, move }, NOW + 60 * MINUTE);
    const takedown = { state, detail: outcome.detail };
    expect(await stored.read()).toMatchObject({ checkAt: NOW + 60 * MINUTE, work: { takedown } });
    expect(await readCommentState(stored)).toBe("failed");
  });

  it("a takedown that continues does not change the first comment", async () => {
    const stored = await storedDelivery(live, [TAKEDOWN, COMMENT]);
    const later = { ...outcome, move: "put_off", nextAt: NOW + MINUTE } as const;
    await recordFollowUp(db, stored.key, asRead, later, NOW + MINUTE);
    const takedown = { state: "due", tries: 1 };
    expect(await stored.read()).toMatchObject({ checkAt: NOW + MINUTE, work: { takedown } });
    expect(await readCommentState(stored)).toBe("due");
  });
});

describe("requesting a takedown", () => {
  const ask = (stored: Stored) => askForTakedown(db, stored.key, entryFor(stored));

  it("a requested takedown is due at once", async () => {
    const stored = await storedDelivery({ ...live, checkAt: null });
    expect(await ask(stored)).toBe(true);
    expect(await stored.read()).toMatchObject({ checkAt: NOW, work: { takedown: { state: "due", tries: 0 } } });
  });

  it("a second request changes nothing while the takedown is due", async () => {
    const stored = await storedDelivery({ ...live, checkAt: NOW + MINUTE }, [{ ...TAKEDOWN, tries: 2 }]);
    const before = await stored.read();
    expect(await ask(stored)).toBe(false);
    expect(await stored.read()).toEqual(before);
  });

  it.each(["failed", "unknown"] as const)(
    "a request after a takedown that is %s starts again without tries",
    async (state) => {
      const ended = { ...TAKEDOWN, state, tries: 5, detail: "why", networkMessage: "no" };
      const stored = await storedDelivery({ ...live, checkAt: null }, [ended]);
      expect(await ask(stored)).toBe(true);
      const takedown = { state: "due", tries: 0, detail: null, networkMessage: null };
      expect(await stored.read()).toMatchObject({ checkAt: NOW, work: { takedown } });
    },
  );

  it("a request changes nothing if the delivery was not published", async () => {
    const stored = await storedDelivery({ ...live, state: "failed" });
    const before = await stored.read();
    expect(await ask(stored)).toBe(false);
    expect(await stored.read()).toEqual(before);
  });
});
