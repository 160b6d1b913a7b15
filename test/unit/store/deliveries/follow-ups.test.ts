// When follow-ups are put off or end: only as they were read, never what was written since.

import { describe, expect, it } from "vitest";
import { putOffFollowUps, rescheduleFollowUp } from "../../../../src/store/deliveries/follow-ups.ts";
import { askForTakedown, settleTakedown } from "../../../../src/store/deliveries/takedowns.ts";
import { makeEntry } from "../../../support/audit-entries.ts";
import { proofOf, settle } from "./settlements.ts";
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

const ended = { checkAt: null, commentState: null, takedownState: null } as const;
const commented = { ...live, commentState: "due" } as const;

describe("rescheduling the follow-up of a delivery that was read", () => {
  it("writes when it is due again", async () => {
    const stored = await storedDelivery(commented);
    await rescheduleFollowUp(db, await stored.read(), NOW + MINUTE);
    expect(await stored.read()).toMatchObject({ checkAt: NOW + MINUTE, commentState: "due" });
  });

  it.each([
    ["a first comment that was not sent as failed", { commentState: "due" }, { commentState: "failed" }],
    ["a first comment without an answer as unknown", { commentState: "sending" }, { commentState: "unknown" }],
    ["a first comment that was posted as posted", { commentState: "posted" }, { commentState: "posted" }],
    [
      "a takedown as unknown",
      { takedownState: "due" },
      { takedownState: "unknown", detail: "it may not have been taken down; check the network" },
    ],
    [
      "additions that were not sent as failed, those without an answer as unknown",
      { additions: '{"a":{"state":"due","tries":0},"b":{"state":"sending","tries":1},"c":{"state":"done","tries":0}}' },
      {
        additions:
          '{"a":{"state":"failed","tries":0},"b":{"state":"unknown","tries":1},"c":{"state":"done","tries":0}}',
      },
    ],
  ] as const)("ends %s if it is never due again", async (_what, columns, left) => {
    const stored = await storedDelivery({ ...live, ...columns });
    await rescheduleFollowUp(db, await stored.read(), null);
    expect(await stored.read()).toMatchObject({ ...ended, ...left });
  });

  it.each([
    ["another session has written the delivery", { version: 4 }],
    ["it got another time", { checkAt: NOW }],
    ["the first comment is being made", { commentState: "sending" }],
    ["its owner has asked for a takedown", { takedownState: "due" }],
  ] as const)("writes nothing after %s", async (_why, columns) => {
    const stored = await storedDelivery(commented);
    const read = await stored.read();
    await stored.change(columns);
    await rescheduleFollowUp(db, read, null);
    expect(await stored.read()).toEqual({ ...read, ...columns });
  });

  it("leaves a first comment due that proof has asked for since the delivery was read", async () => {
    const stored = await storedDelivery({ ...live, state: "outcome_unknown", hasOpenSend: true });
    const read = await stored.read();
    await settle(proofOf(stored, { followUp: { checkAt: NOW - MINUTE, hasComment: true } }));
    await rescheduleFollowUp(db, read, null);
    expect(await stored.read()).toMatchObject({ state: "live", commentState: "due", checkAt: NOW - MINUTE });
  });
});

describe("a takedown that ends while its post stays", () => {
  const outcome = { is: "kept", nextAt: null, detail: "it may still be there" } as const;

  it.each(["unknown", "failed"] as const)("as %s leaves no first comment due", async (state) => {
    const stored = await storedDelivery({ ...live, commentState: "due", takedownState: "due" });
    await settleTakedown(db, stored.key, { ...outcome, state }, NOW + 60 * MINUTE);
    expect(await stored.read()).toMatchObject({ takedownState: state, commentState: "failed" });
  });

  it("leaves the first comment as it is while it goes on", async () => {
    const stored = await storedDelivery({ ...live, commentState: "due", takedownState: "due" });
    await settleTakedown(db, stored.key, { ...outcome, state: "due" }, NOW + MINUTE);
    expect(await stored.read()).toMatchObject({ takedownState: "due", commentState: "due" });
  });
});
