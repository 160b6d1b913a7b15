import { expect, it } from "vitest";
import { settleAddition } from "../../../src/domain/delivery/additions.ts";
import {
  commentStatus,
  findFirstComment,
  isCommentDue,
  settleComment,
} from "../../../src/domain/delivery/first-comment.ts";

const T = 1_800_000_000_000;
const MINUTE = 60_000;
const retryable = { is: "retryable", error: "network_quota", detail: "slow down" } as const;

it.each([
  ["due", "pending", true],
  ["sending", "pending", true],
  ["posted", "posted", false],
  ["failed", "failed", false],
  ["unknown", "unknown", false],
] as const)("a first comment that is %s is shown as %s; still to be processed: %s", (commentState, status, isDue) => {
  expect(commentStatus(commentState)).toBe(status);
  expect(isCommentDue({ commentState })).toBe(isDue);
});

it("a delivery without a first comment has none to write", () => {
  expect(isCommentDue({ commentState: null })).toBe(false);
  for (const first_comment of [null, 1]) expect(findFirstComment({ first_comment })).toBeNull();
  expect(findFirstComment({ text: "Hello" })).toBeNull();
  expect(findFirstComment(undefined)).toBeNull();
  expect(findFirstComment({ first_comment: "First!" })).toBe("First!");
});

it("a first comment that was written is posted without a message", () => {
  expect(settleComment({ is: "commented" }, 1, T)).toEqual({ state: "posted", nextAt: null, detail: null });
});

it("a first comment that may exist is never written again", () => {
  expect(settleComment({ is: "unknown", detail: "no answer" }, 0, T)).toEqual({
    state: "unknown",
    nextAt: null,
    detail: "the first comment may not be there: no answer",
  });
});

it("a refused first comment fails with the network's message", () => {
  const rejected = { is: "rejected", error: "permission_missing", detail: "no permission (10)" } as const;
  expect(settleComment(rejected, 0, T)).toEqual({
    state: "failed",
    nextAt: null,
    detail:
      "the first comment was refused: no permission (10); connect the channel again and grant all requested permissions; " +
      "the channel's `missing_permissions` lists those that it lacks",
  });
});

it("a postponed first comment is written at the time that the network names, and given up after the fourth attempt", () => {
  const waits = [0, 1, 2, 3].map((tries) => (settleComment(retryable, tries, T).nextAt ?? 0) - T);
  expect(waits).toEqual([MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE]);
  const later = { ...retryable, notBefore: T + 5 * MINUTE };
  expect(settleComment(later, 0, T)).toMatchObject({ state: "due", nextAt: T + 5 * MINUTE });
  const detail = "the first comment waits: slow down";
  expect(settleComment(retryable, 4, T)).toEqual({ state: "failed", nextAt: null, detail });
});

it("a first comment whose network asks for one second is written after the usual wait", () => {
  for (const [tries, wait] of [MINUTE, 10 * MINUTE, 60 * MINUTE].entries())
    expect(settleComment({ ...retryable, notBefore: T + 1_000 }, tries, T)).toMatchObject({ nextAt: T + wait });
});

it("a first comment whose access token is refused waits like a postponed one", () => {
  const unauthorized = { is: "unauthorized", detail: "expired" } as const;
  const detail = "the first comment waits: expired";
  expect(settleComment(unauthorized, 1, T)).toEqual({ state: "due", nextAt: T + 10 * MINUTE, detail });
  expect(settleComment(unauthorized, 4, T)).toEqual({ state: "failed", nextAt: null, detail });
});

it("a first comment whose network is preparing is written once the network is ready", () => {
  expect(settleComment({ ...retryable, retryAt: T + 7 }, 2, T)).toMatchObject({ state: "due", nextAt: T + 7 });
  const both = { ...retryable, retryAt: T + 7, notBefore: T + 5 * MINUTE };
  expect(settleComment(both, 2, T)).toMatchObject({ state: "due", nextAt: T + 5 * MINUTE });
});

it("a first comment that was not found is looked up again after the same waits, never before the network allows it, and is then unknown", () => {
  const missing = { is: "not_found", detail: "no answer" } as const;
  const waits = [0, 1, 2, 3].map((tries) => (settleComment(missing, tries, T).nextAt ?? 0) - T);
  expect(waits).toEqual([MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE]);
  const asked = { ...missing, notBefore: T + 5 * MINUTE };
  expect(settleComment(asked, 0, T)).toMatchObject({ state: "sending", nextAt: T + 5 * MINUTE });
  expect(settleComment(asked, 1, T)).toMatchObject({ state: "sending", nextAt: T + 10 * MINUTE });
  const detail = "the first comment may not be there: no answer";
  expect(settleComment(asked, 0, T).detail).toBe(detail);
  expect(settleComment(asked, 4, T)).toEqual({ state: "unknown", nextAt: null, detail });
  expect(settleAddition(missing, "playlist", 1, T)).toMatchObject({ addition: { state: "sending", tries: 2 } });
  expect(settleAddition(missing, "playlist", 4, T)).toMatchObject({ addition: { state: "unknown" }, nextAt: null });
});
