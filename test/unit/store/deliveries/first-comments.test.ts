// A first comment is written as somebody read it, and by one process at a time.
import { describe, expect, it } from "vitest";
import type { CommentState } from "../../../../src/domain/delivery/first-comment.ts";
import {
  saveCommentKey,
  settleFirstComment,
  writeCommentIntent,
} from "../../../../src/store/deliveries/first-comments.ts";
import { type Case, db, everyStateBut, MINUTE, NOW, storedDelivery } from "./stored-delivery.ts";

const due = { state: "live", nextAt: null, checkAt: NOW - 1_000, commentState: "due" } as const;
const NOT_DUE: (CommentState | null)[] = ["sending", "posted", "failed", "unknown", null];

describe("the handle of a first comment", () => {
  it.each([null, "an earlier one"])("replaces the one that was read (%s)", async (stored) => {
    const { key, read } = await storedDelivery({ ...due, commentKey: stored });
    expect(await saveCommentKey(db, key, stored, "sealed")).toBe(true);
    expect(await read()).toMatchObject({ ...due, commentKey: "sealed" });
  });

  it.each([
    ["another was stored meanwhile", null, "theirs"],
    ["another was stored in its place", "an earlier one", "theirs"],
    ["it is gone", "an earlier one", null],
  ])("is not stored when %s", async (_why, stored, commentKey) => {
    const { key, read } = await storedDelivery({ ...due, commentKey });
    expect(await saveCommentKey(db, key, stored, "sealed")).toBe(false);
    expect(await read()).toMatchObject({ commentKey });
  });

  it.each(NOT_DUE)("is not stored once the comment is %s", async (commentState) => {
    const { key, read } = await storedDelivery({ ...due, commentState });
    expect(await saveCommentKey(db, key, null, "sealed")).toBe(false);
    expect(await read()).toMatchObject({ commentState, commentKey: null });
  });
});

describe("the intent to make a first comment", () => {
  it("is written, and looked at again when its call has had its five minutes", async () => {
    const { key, read } = await storedDelivery(due);
    expect(await writeCommentIntent(db, key)).toBe(true);
    expect(await read()).toMatchObject({ state: "live", commentState: "sending", checkAt: NOW + 5 * MINUTE });
  });

  it.each<Case>([
    ["its post is to be taken down", { takedownState: "due" }],
    ...NOT_DUE.map((commentState): Case => [`the comment is ${commentState}`, { commentState }]),
    ...everyStateBut("live"),
  ])("is not written when %s", async (_why, changes) => {
    const { key, read } = await storedDelivery({ ...due, ...changes });
    const before = await read();
    expect(await writeCommentIntent(db, key)).toBe(false);
    expect(await read()).toEqual(before);
  });

  it("is written when a takedown of its post is over", async () => {
    const { key } = await storedDelivery({ ...due, takedownState: "failed" });
    expect(await writeCommentIntent(db, key)).toBe(true);
  });
});

describe("the end of a first comment or of a try", () => {
  const sending = {
    ...due,
    commentState: "sending",
    commentTries: 2,
    commentKey: "sealed",
    detail: "before",
  } as const;
  const asRead = { state: "sending", tries: 2 } as const;
  const posted = { state: "posted", nextAt: null, detail: null } as const;

  it.each(["posted", "failed", "unknown"] as const)(
    "is written, and the handle goes with its end: %s",
    async (state) => {
      const { key, read } = await storedDelivery(sending);
      await settleFirstComment(db, key, asRead, { state, nextAt: null, detail: null }, NOW + MINUTE);
      expect(await read()).toMatchObject({
        commentState: state,
        commentTries: 2,
        commentKey: null,
        detail: "before",
        checkAt: NOW + MINUTE,
      });
    },
  );

  it.each(["due", "sending"] as const)("is written as one try more when it goes on: %s", async (state) => {
    const { key, read } = await storedDelivery(sending);
    await settleFirstComment(db, key, asRead, { state, nextAt: null, detail: "why" }, null);
    expect(await read()).toMatchObject({
      commentState: state,
      commentTries: 3,
      commentKey: "sealed",
      detail: "why",
      checkAt: null,
    });
  });

  it.each<Case>([
    ["its state is not as it was read", { commentState: "due" }],
    ["somebody has put it off since", { commentTries: 3 }],
  ])("is not written when %s", async (_why, changes) => {
    const { key, read } = await storedDelivery({ ...sending, ...changes });
    const before = await read();
    await settleFirstComment(db, key, asRead, posted, NOW + MINUTE);
    expect(await read()).toEqual(before);
  });

  it("is written however often it was put off when its one call was answered", async () => {
    const { key, read } = await storedDelivery({ ...sending, commentTries: 7 });
    await settleFirstComment(db, key, { state: "sending", tries: null }, posted, null);
    expect(await read()).toMatchObject({ commentState: "posted", commentTries: 7 });
  });

  it("leaves a takedown due that was asked for meanwhile", async () => {
    const { key, read } = await storedDelivery({ ...sending, takedownState: "due" });
    await settleFirstComment(db, key, asRead, posted, NOW + MINUTE);
    expect(await read()).toMatchObject({ commentState: "posted", checkAt: due.checkAt });
  });
});
