// When follow-ups are put off or end: only as they were read, never what was written since.

import { describe, expect, it } from "vitest";
import {
  putOffFollowUps,
  rescheduleFollowUp,
  settleVerification,
} from "../../../../src/store/deliveries/follow-ups.ts";
import { askForTakedown, settleTakedown } from "../../../../src/store/deliveries/takedowns.ts";
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

const COMMENT = { kind: "first_comment", state: "due" } as const;
const commented = () => storedDelivery(live, [COMMENT]);
const stateOfComment = async (stored: Stored) => (await stored.read()).work.first_comment?.state;

describe("rescheduling the follow-up of a delivery that was read", () => {
  it("writes when it is due again", async () => {
    const stored = await commented();
    await rescheduleFollowUp(db, await stored.read(), NOW + MINUTE);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + MINUTE, work: { first_comment: { state: "due" } } });
  });

  it("ends a takedown as unknown if it is never due again", async () => {
    const stored = await storedDelivery({ ...live, takedownState: "due" });
    await rescheduleFollowUp(db, await stored.read(), null);
    const detail = "it may not have been taken down; check the network";
    expect(await stored.read()).toMatchObject({ checkAt: null, takedownState: "unknown", detail });
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
    await rescheduleFollowUp(db, await stored.read(), null);
    const work = { playlist: { state: end, tries: 1 }, first_comment: { state: "done" } };
    expect(await stored.read()).toMatchObject({ checkAt: null, work });
  });

  it.each([
    ["another session has written the delivery", { version: 4 }],
    ["it got another time", { checkAt: NOW }],
    ["the first comment was begun, which is due again later", { checkAt: NOW + 5 * MINUTE }],
    ["its owner has asked for a takedown", { takedownState: "due" }],
  ] as const)("writes nothing after %s", async (_why, columns) => {
    const stored = await commented();
    const read = await stored.read();
    await stored.change(columns);
    await rescheduleFollowUp(db, read, null);
    expect(await stored.read()).toEqual({ ...read, ...columns });
  });

  it("leaves a first comment due that proof has asked for since the delivery was read", async () => {
    const stored = await storedDelivery({ ...live, state: "outcome_unknown", hasOpenSend: true });
    const read = await stored.read();
    await record(proofOf(stored, { followUp: { checkAt: NOW - MINUTE, kinds: ["first_comment"] } }));
    await rescheduleFollowUp(db, read, null);
    const work = { first_comment: { state: "due" } };
    expect(await stored.read()).toMatchObject({ state: "live", work, checkAt: NOW - MINUTE });
  });
});

describe("the end of a post", () => {
  const gone = { is: "removed" } as const;

  it.each([
    ["is found gone", async ({ key }: Stored) => settleVerification(db, key, gone, null)],
    ["was taken down", async ({ key }: Stored) => settleTakedown(db, key, gone, null)],
  ])("that %s ends its pending work", async (_why, end) => {
    const stored = await storedDelivery({ ...live, takedownState: "due" }, [{ ...COMMENT, state: "sending" }]);
    await end(stored);
    expect(await stored.read()).toMatchObject({ state: "removed", work: { first_comment: { state: "unknown" } } });
  });
});

describe("a takedown that ends while its post stays", () => {
  const outcome = { is: "kept", nextAt: null, detail: "it may still be there" } as const;

  it.each(["unknown", "failed"] as const)("as %s leaves no first comment due", async (state) => {
    const stored = await storedDelivery({ ...live, takedownState: "due" }, [COMMENT]);
    await settleTakedown(db, stored.key, { ...outcome, state }, NOW + 60 * MINUTE);
    expect(await stored.read()).toMatchObject({ takedownState: state });
    expect(await stateOfComment(stored)).toBe("failed");
  });

  it("leaves the first comment as it is while it goes on", async () => {
    const stored = await storedDelivery({ ...live, takedownState: "due" }, [COMMENT]);
    await settleTakedown(db, stored.key, { ...outcome, state: "due" }, NOW + MINUTE);
    expect(await stored.read()).toMatchObject({ takedownState: "due" });
    expect(await stateOfComment(stored)).toBe("due");
  });
});
