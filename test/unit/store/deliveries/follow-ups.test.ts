// When follow-ups are put off or end: only as they were read, never what was written since.

import { describe, expect, it } from "vitest";
import { recordFollowUp } from "../../../../src/store/deliveries/follow-up-rows.ts";
import { putOffFollowUps, rescheduleFollowUp } from "../../../../src/store/deliveries/follow-ups.ts";
import { recordRecheck } from "../../../../src/store/deliveries/rechecks.ts";
import { askForTakedown, recordTakenDown } from "../../../../src/store/deliveries/takedowns.ts";
import { makeEntry } from "../../../support/audit-entries.ts";
import { proofOf, record } from "./delivery-records.ts";
import { db, MINUTE, NOW, pass, type Stored, storedDelivery } from "./stored-delivery.ts";

const live = { state: "live", nextAt: null, checkAt: NOW - MINUTE } as const;
const entryFor = ({ key }: Stored) => makeEntry(key.workspaceId, "delivery.takedown_requested");
const putOffUntil = ({ key }: Stored, dueAt: number, since: number) =>
  putOffFollowUps(db, key.workspaceId, key.channelId, [key.postId], dueAt, since);

describe("putting follow-ups of a channel off", () => {
  it("has those wait that were due when their network was asked", async () => {
    const stored = await storedDelivery(live);
    await putOffUntil(stored, NOW + 15 * MINUTE, NOW);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + 15 * MINUTE });
  });

  it("leaves the time that another session has written since", async () => {
    const stored = await storedDelivery(live);
    await stored.change({ checkAt: NOW + 60 * MINUTE });
    await putOffUntil(stored, NOW + 15 * MINUTE, NOW);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + 60 * MINUTE });
  });

  it("leaves a takedown alone that was asked for in the same instant", async () => {
    const stored = await storedDelivery(live);
    await askForTakedown(db, stored.key, entryFor(stored));
    await putOffUntil(stored, NOW + 15 * MINUTE, NOW);
    expect(await stored.read()).toMatchObject({ checkAt: NOW });
  });

  it("has a takedown wait that was due before its network was asked", async () => {
    const stored = await storedDelivery(live);
    await askForTakedown(db, stored.key, entryFor(stored));
    pass(1);
    await putOffUntil(stored, NOW + 15 * MINUTE, NOW + 1);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + 15 * MINUTE });
  });
});

const TAKEDOWN = { kind: "takedown", state: "due" } as const;
const COMMENT = { kind: "first_comment", state: "due" } as const;
const commented = () => storedDelivery(live, [COMMENT]);
/** A delivery and its work, as a follow-up is read. */
async function readFollowUp(stored: Stored) {
  const delivery = await stored.read();
  return { delivery, followUps: Object.values(delivery.work).map((work) => ({ ...work, ...stored.key })) };
}
const stateOfComment = async (stored: Stored) => (await stored.read()).work.first_comment?.state;

describe("rescheduling the follow-up of a delivery that was read", () => {
  it("writes when it is due again", async () => {
    const stored = await commented();
    await rescheduleFollowUp(db, await readFollowUp(stored), NOW + MINUTE);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + MINUTE, work: { first_comment: { state: "due" } } });
  });

  it("ends a takedown as unknown if it is never due again", async () => {
    const stored = await storedDelivery(live, [TAKEDOWN]);
    await rescheduleFollowUp(db, await readFollowUp(stored), null);
    const detail = "it may not have been taken down; check the network";
    expect(await stored.read()).toMatchObject({ checkAt: null, work: { takedown: { state: "unknown", detail } } });
  });

  it.each([
    ["was not begun", "due", "failed"],
    ["has no answer", "sending", "unknown"],
    ["is done", "done", "done"],
    ["was refused", "failed", "failed"],
  ] as const)("ends work that %s if it is never due again: %s becomes %s", async (_why, state, end) => {
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
    ["it got another time", { checkAt: NOW }],
    ["the first comment was begun, which is due again later", { checkAt: NOW + 5 * MINUTE }],
  ] as const)("writes nothing after %s", async (_why, columns) => {
    const stored = await commented();
    const read = await readFollowUp(stored);
    await stored.change(columns);
    await rescheduleFollowUp(db, read, null);
    expect(await stored.read()).toEqual({ ...read.delivery, ...columns });
  });

  it("writes nothing after its owner has asked for a takedown", async () => {
    const stored = await storedDelivery({ ...live, checkAt: NOW }, [COMMENT]);
    const read = await readFollowUp(stored);
    await askForTakedown(db, stored.key, entryFor(stored));
    const before = await stored.read();
    await rescheduleFollowUp(db, read, null);
    expect(await stored.read()).toEqual(before);
    expect(before).toMatchObject({ checkAt: NOW, work: { takedown: { state: "due" } } });
  });

  it("writes nothing after a takedown has ended that was due when it was read", async () => {
    const stored = await storedDelivery(live, [TAKEDOWN, COMMENT]);
    const read = await readFollowUp(stored);
    await stored.changeWork("takedown", { state: "failed" });
    const before = await stored.read();
    await rescheduleFollowUp(db, read, null);
    expect(await stored.read()).toEqual(before);
  });

  it("leaves a first comment due that proof has asked for since the delivery was read", async () => {
    const stored = await storedDelivery({ ...live, state: "outcome_unknown", hasOpenSend: true });
    const read = await readFollowUp(stored);
    await record(proofOf(stored, { followUp: { checkAt: NOW - MINUTE, kinds: ["first_comment"] } }));
    await rescheduleFollowUp(db, read, null);
    const work = { first_comment: { state: "due" } };
    expect(await stored.read()).toMatchObject({ state: "live", work, checkAt: NOW - MINUTE });
  });
});

describe("the end of a post", () => {
  const gone = { is: "removed" } as const;

  it.each([
    ["is found gone", async ({ key }: Stored) => recordRecheck(db, key, gone, null)],
    ["was taken down", async ({ key }: Stored) => recordTakenDown(db, key, null)],
  ])("that %s ends its pending work", async (_why, end) => {
    const stored = await storedDelivery(live, [TAKEDOWN, { ...COMMENT, state: "sending" }]);
    await end(stored);
    const work = { takedown: { state: "done" }, first_comment: { state: "unknown" } };
    expect(await stored.read()).toMatchObject({ state: "removed", checkAt: null, work });
  });

  it.each(["failed", "unknown"] as const)("settles a takedown that is %s", async (state) => {
    const stored = await storedDelivery(live, [{ ...TAKEDOWN, state, detail: "why", networkMessage: "no" }]);
    await recordRecheck(db, stored.key, gone, null);
    const takedown = { state: "done", detail: null, networkMessage: null };
    expect(await stored.read()).toMatchObject({ work: { takedown } });
  });
});

describe("a takedown that ends while its post stays", () => {
  const asRead = { kind: "takedown", state: "due", tries: 0 } as const;
  const outcome = { nextAt: null, detail: "it may still be there" } as const;

  it.each([
    ["unknown", "unclear"],
    ["failed", "refused"],
  ] as const)("as %s leaves no first comment due", async (state, move) => {
    const stored = await storedDelivery(live, [TAKEDOWN, COMMENT]);
    await recordFollowUp(db, stored.key, asRead, { ...outcome, move }, NOW + 60 * MINUTE);
    const takedown = { state, detail: outcome.detail };
    expect(await stored.read()).toMatchObject({ checkAt: NOW + 60 * MINUTE, work: { takedown } });
    expect(await stateOfComment(stored)).toBe("failed");
  });

  it("leaves the first comment as it is while it goes on", async () => {
    const stored = await storedDelivery(live, [TAKEDOWN, COMMENT]);
    const later = { ...outcome, move: "put_off", nextAt: NOW + MINUTE } as const;
    await recordFollowUp(db, stored.key, asRead, later, NOW + MINUTE);
    const takedown = { state: "due", tries: 1 };
    expect(await stored.read()).toMatchObject({ checkAt: NOW + MINUTE, work: { takedown } });
    expect(await stateOfComment(stored)).toBe("due");
  });
});

describe("asking for a takedown", () => {
  const ask = (stored: Stored) => askForTakedown(db, stored.key, entryFor(stored));

  it("makes it due at once", async () => {
    const stored = await storedDelivery({ ...live, checkAt: null });
    expect(await ask(stored)).toBe(true);
    expect(await stored.read()).toMatchObject({ checkAt: NOW, work: { takedown: { state: "due", tries: 0 } } });
  });

  it("once more changes nothing while it is due", async () => {
    const stored = await storedDelivery({ ...live, checkAt: NOW + MINUTE }, [{ ...TAKEDOWN, tries: 2 }]);
    const before = await stored.read();
    expect(await ask(stored)).toBe(false);
    expect(await stored.read()).toEqual(before);
  });

  it.each(["failed", "unknown"] as const)("begins anew after one that is %s", async (state) => {
    const ended = { ...TAKEDOWN, state, tries: 5, detail: "why", networkMessage: "no" };
    const stored = await storedDelivery({ ...live, checkAt: null }, [ended]);
    expect(await ask(stored)).toBe(true);
    const takedown = { state: "due", tries: 0, detail: null, networkMessage: null };
    expect(await stored.read()).toMatchObject({ checkAt: NOW, work: { takedown } });
  });

  it("changes nothing of a post that is not out", async () => {
    const stored = await storedDelivery({ ...live, state: "failed" });
    const before = await stored.read();
    expect(await ask(stored)).toBe(false);
    expect(await stored.read()).toEqual(before);
  });
});
