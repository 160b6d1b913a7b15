// A piece of work is written as somebody read it, and by one process at a time.
import { describe, expect, it } from "vitest";
import { FOLLOW_UP_STATES, isOpen } from "../../../../src/domain/delivery/follow-up-moves.ts";
import {
  recordFollowUp,
  saveFollowUpKey,
  writeFollowUpIntent,
} from "../../../../src/store/deliveries/follow-up-rows.ts";
import { type Case, db, everyStateBut, MINUTE, NOW, storedDelivery, type Work } from "./stored-delivery.ts";

const live = { state: "live", nextAt: null, checkAt: NOW - 1_000 } as const;
const kind = "first_comment";
const takedown = (state: Work["state"]): Work => ({ kind: "takedown", state });
const NOT_DUE = FOLLOW_UP_STATES.filter((state) => state !== "due");
/** A live delivery with a first comment like this, and a playlist that nothing changes. */
async function withComment(work: Partial<Work>, columns: Case[1] = {}, others: readonly Work[] = []) {
  const playlist = { kind: "playlist", state: "done", tries: 3 } as const;
  const stored = await storedDelivery({ ...live, ...columns }, [{ kind, state: "due", ...work }, playlist, ...others]);
  const readWork = async () => {
    const { work: all } = await stored.read();
    expect(all.playlist).toMatchObject(playlist);
    return all[kind];
  };
  return { ...stored, readWork };
}

describe("the preparation of a call", () => {
  it.each([null, "an earlier one"])("replaces what was read (%s)", async (stored) => {
    const { key, readWork } = await withComment({ publishKey: stored });
    expect(await saveFollowUpKey(db, key, { kind, stored, publishKey: "sealed" })).toBe(true);
    expect(await readWork()).toMatchObject({ state: "due", publishKey: "sealed" });
  });

  it.each([
    ["another was stored meanwhile", null, "theirs"],
    ["another was stored in its place", "an earlier one", "theirs"],
    ["it is gone", "an earlier one", null],
  ])("is not stored when %s", async (_why, stored, publishKey) => {
    const { key, readWork } = await withComment({ publishKey });
    expect(await saveFollowUpKey(db, key, { kind, stored, publishKey: "sealed" })).toBe(false);
    expect(await readWork()).toMatchObject({ publishKey });
  });

  it.each(NOT_DUE)("is not stored once the work is %s", async (state) => {
    const { key, readWork } = await withComment({ state });
    expect(await saveFollowUpKey(db, key, { kind, stored: null, publishKey: "sealed" })).toBe(false);
    expect(await readWork()).toMatchObject({ state, publishKey: null });
  });
});

describe("the intent to make a call", () => {
  it("is written, and the follow-up is due again when the call has had its five minutes", async () => {
    const { key, read } = await withComment({ tries: 2 });
    expect(await writeFollowUpIntent(db, key, kind)).toBe(true);
    const work = { first_comment: { state: "sending", tries: 2 } };
    expect(await read()).toMatchObject({ state: "live", work, checkAt: NOW + 5 * MINUTE });
  });

  it.each<[...Case, ...Work[]]>([["its post is to be taken down", {}, takedown("due")], ...everyStateBut("live")])(
    "is not written when %s",
    async (_why, columns, ...others) => {
      const { key, read } = await withComment({}, columns, others);
      const before = await read();
      expect(await writeFollowUpIntent(db, key, kind)).toBe(false);
      expect(await read()).toEqual(before);
    },
  );

  it.each(NOT_DUE)("is not written when the work is %s", async (state) => {
    const { key, read } = await withComment({ state });
    const before = await read();
    expect(await writeFollowUpIntent(db, key, kind)).toBe(false);
    expect(await read()).toEqual(before);
  });

  it("is written when a takedown of its post is over", async () => {
    const { key } = await withComment({}, {}, [takedown("failed")]);
    expect(await writeFollowUpIntent(db, key, kind)).toBe(true);
  });
});

describe("the end of a piece of work or of a try", () => {
  const sending = { state: "sending", tries: 2, publishKey: "sealed", detail: "before", networkMessage: "no" } as const;
  const asRead = { kind, state: "sending", tries: 2 } as const;
  const made = { move: "made", nextAt: null, detail: null } as const;

  it.each([
    ["made", "done"],
    ["refused", "failed"],
    ["lost", "unknown"],
  ] as const)("is written, and what was prepared goes with its end: %s", async (move, state) => {
    const { key, read, readWork } = await withComment(sending, { detail: "of the post" });
    await recordFollowUp(db, key, asRead, { move, nextAt: null, detail: null }, NOW + MINUTE);
    expect(await readWork()).toEqual({ kind, state, tries: 2, publishKey: null, detail: null, networkMessage: null });
    expect(await read()).toMatchObject({ detail: "of the post", checkAt: NOW + MINUTE });
  });

  it.each([
    ["put_off", "due"],
    ["not_found", "sending"],
  ] as const)("is written as one try more when it goes on: %s", async (move, state) => {
    const { key, read, readWork } = await withComment(sending);
    const outcome = { move, nextAt: NOW + MINUTE, detail: "why", networkMessage: "busy" } as const;
    await recordFollowUp(db, key, asRead, outcome, NOW + MINUTE);
    const left = { state, tries: 3, publishKey: "sealed", detail: "why", networkMessage: "busy" };
    expect(await readWork()).toMatchObject(left);
    expect((await read()).checkAt).toBe(NOW + MINUTE);
  });

  it.each([
    ["its state is not as it was read", { state: "due" }],
    ["somebody has put it off since", { tries: 3 }],
  ] as const)("is not written when %s", async (_why, changes) => {
    const { key, read } = await withComment({ ...sending, ...changes });
    const before = await read();
    await recordFollowUp(db, key, asRead, made, NOW + MINUTE);
    expect(await read()).toEqual(before);
  });

  it("is written however often it was put off when its one call was answered", async () => {
    const { key, readWork } = await withComment({ ...sending, tries: 7 });
    await recordFollowUp(db, key, { ...asRead, tries: null }, made, null);
    expect(await readWork()).toMatchObject({ state: "done", tries: 7 });
  });

  it("leaves a takedown due that was asked for meanwhile", async () => {
    const { key, read, readWork } = await withComment(sending, {}, [takedown("due")]);
    await recordFollowUp(db, key, asRead, made, NOW + MINUTE);
    expect(await readWork()).toMatchObject({ state: "done" });
    expect((await read()).checkAt).toBe(live.checkAt);
  });

  it.each(FOLLOW_UP_STATES.filter((state) => !isOpen({ state })))("never comes after it was %s", async (state) => {
    const { key, read } = await withComment({ state });
    const before = await read();
    await recordFollowUp(db, key, asRead, made, null);
    expect(await read()).toEqual(before);
  });
});
