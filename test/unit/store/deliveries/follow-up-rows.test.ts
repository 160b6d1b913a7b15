// Follow-up work is written only if it has not changed since it was read, and by one process at a time.
import { describe, expect, it } from "vitest";
import { FOLLOW_UP_STATES, isOpen } from "../../../../src/domain/delivery/follow-up-moves.ts";
import {
  recordFollowUp,
  saveFollowUpKey,
  writeFollowUpIntent,
} from "../../../../src/store/deliveries/follow-up-rows.ts";
import { type Case, db, listOtherStates, MINUTE, NOW, storedDelivery, type Work } from "./stored-delivery.ts";

const live = { state: "live", nextAt: null, checkAt: NOW - 1_000 } as const;
const kind = "first_comment";
const takedown = (state: Work["state"]): Work => ({ kind: "takedown", state });
const NOT_DUE = FOLLOW_UP_STATES.filter((state) => state !== "due");
/** Stores a live delivery with this first comment, and a playlist that must not change. */
async function storeWithComment(work: Partial<Work>, columns: Case[1] = {}, otherWork: readonly Work[] = []) {
  const playlist = { kind: "playlist", state: "done", tries: 3 } as const;
  const stored = await storedDelivery({ ...live, ...columns }, [
    { kind, state: "due", ...work },
    playlist,
    ...otherWork,
  ]);
  const readWork = async () => {
    const { work: allWork } = await stored.read();
    expect(allWork.playlist).toMatchObject(playlist);
    return allWork[kind];
  };
  return { ...stored, readWork };
}

describe("the preparation of a call", () => {
  it.each([null, "an earlier one"])("a new publish key replaces the one that was read (%s)", async (stored) => {
    const { key, readWork } = await storeWithComment({ publishKey: stored });
    expect(await saveFollowUpKey(db, key, { kind, stored, publishKey: "sealed" })).toBe(true);
    expect(await readWork()).toMatchObject({ state: "due", publishKey: "sealed" });
  });

  it.each([
    ["another one was stored in the meantime", null, "theirs"],
    ["the earlier one was replaced", "an earlier one", "theirs"],
    ["the earlier one was deleted", "an earlier one", null],
  ])("a publish key is not stored if %s", async (_reason, stored, publishKey) => {
    const { key, readWork } = await storeWithComment({ publishKey });
    expect(await saveFollowUpKey(db, key, { kind, stored, publishKey: "sealed" })).toBe(false);
    expect(await readWork()).toMatchObject({ publishKey });
  });

  it.each(NOT_DUE)("a publish key is not stored once the work is %s", async (state) => {
    const { key, readWork } = await storeWithComment({ state });
    expect(await saveFollowUpKey(db, key, { kind, stored: null, publishKey: "sealed" })).toBe(false);
    expect(await readWork()).toMatchObject({ state, publishKey: null });
  });
});

describe("the intent to make a call", () => {
  it("the intent to make a call makes the follow-up due again after the five minutes of the call", async () => {
    const { key, read } = await storeWithComment({ tries: 2 });
    expect(await writeFollowUpIntent(db, key, kind)).toBe(true);
    const work = { first_comment: { state: "sending", tries: 2 } };
    expect(await read()).toMatchObject({ state: "live", work, checkAt: NOW + 5 * MINUTE });
  });

  it.each<[...Case, ...Work[]]>([["its post is to be taken down", {}, takedown("due")], ...listOtherStates("live")])(
    "the intent to make a call is not written if %s",
    async (_reason, columns, ...otherWork) => {
      const { key, read } = await storeWithComment({}, columns, otherWork);
      const before = await read();
      expect(await writeFollowUpIntent(db, key, kind)).toBe(false);
      expect(await read()).toEqual(before);
    },
  );

  it.each(NOT_DUE)("the intent to make a call is not written if the work is %s", async (state) => {
    const { key, read } = await storeWithComment({ state });
    const before = await read();
    expect(await writeFollowUpIntent(db, key, kind)).toBe(false);
    expect(await read()).toEqual(before);
  });

  it("the intent to make a call is written after a takedown of the post has ended", async () => {
    const { key } = await storeWithComment({}, {}, [takedown("failed")]);
    expect(await writeFollowUpIntent(db, key, kind)).toBe(true);
  });
});

describe("the outcome of follow-up work", () => {
  const sending = { state: "sending", tries: 2, publishKey: "sealed", detail: "before", networkMessage: "no" } as const;
  const asRead = { kind, state: "sending", tries: 2 } as const;
  const madeOutcome = { move: "made", nextAt: null, detail: null } as const;

  it.each([
    ["made", "done"],
    ["refused", "failed"],
    ["lost", "unknown"],
  ] as const)("work that ends loses its publish key: %s", async (move, state) => {
    const lastTry = { retries: 0, error: null, detail: "of the post", networkMessage: null };
    const { key, read, readWork } = await storeWithComment(sending, { lastTry });
    await recordFollowUp(db, key, asRead, { move, nextAt: null, detail: null }, NOW + MINUTE);
    expect(await readWork()).toEqual({
      kind,
      state,
      edit: null,
      tries: 2,
      publishKey: null,
      detail: null,
      networkMessage: null,
    });
    expect(await read()).toMatchObject({ lastTry, checkAt: NOW + MINUTE });
  });

  it.each([
    ["put_off", "due"],
    ["not_found", "sending"],
  ] as const)("work that continues counts one more try: %s", async (move, state) => {
    const { key, read, readWork } = await storeWithComment(sending);
    const outcome = { move, nextAt: NOW + MINUTE, detail: "why", networkMessage: "busy" } as const;
    await recordFollowUp(db, key, asRead, outcome, NOW + MINUTE);
    const expectedWork = { state, tries: 3, publishKey: "sealed", detail: "why", networkMessage: "busy" };
    expect(await readWork()).toMatchObject(expectedWork);
    expect((await read()).checkAt).toBe(NOW + MINUTE);
  });

  it.each([
    ["the state of the work has changed", { state: "due" }],
    ["the work has been delayed since", { tries: 3 }],
  ] as const)("an outcome is not written if %s", async (_reason, changes) => {
    const { key, read } = await storeWithComment({ ...sending, ...changes });
    const before = await read();
    await recordFollowUp(db, key, asRead, madeOutcome, NOW + MINUTE);
    expect(await read()).toEqual(before);
  });

  it("an outcome without a number of tries is written after any number of delays", async () => {
    const { key, readWork } = await storeWithComment({ ...sending, tries: 7 });
    await recordFollowUp(db, key, { ...asRead, tries: null }, madeOutcome, null);
    expect(await readWork()).toMatchObject({ state: "done", tries: 7 });
  });

  it("an outcome leaves a takedown due that was requested in the meantime", async () => {
    const { key, read, readWork } = await storeWithComment(sending, {}, [takedown("due")]);
    await recordFollowUp(db, key, asRead, madeOutcome, NOW + MINUTE);
    expect(await readWork()).toMatchObject({ state: "done" });
    expect((await read()).checkAt).toBe(live.checkAt);
  });

  it.each(FOLLOW_UP_STATES.filter((state) => !isOpen({ state })))(
    "an outcome is not written once the work is %s",
    async (state) => {
      const { key, read } = await storeWithComment({ state });
      const before = await read();
      await recordFollowUp(db, key, asRead, madeOutcome, null);
      expect(await read()).toEqual(before);
    },
  );
});
