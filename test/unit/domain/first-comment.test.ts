import { expect, it } from "vitest";
import { settleAddition } from "../../../src/domain/delivery/additions.ts";
import { settleComment } from "../../../src/domain/delivery/first-comment.ts";

const T = 1_800_000_000_000;
const MINUTE = 60_000;
const retryable = { is: "retryable", error: "network_quota", detail: "slow down" } as const;

it("one that may be there is never made again", () => {
  expect(settleComment({ is: "unknown", detail: "no answer" }, 0, T)).toMatchObject({ state: "unknown", nextAt: null });
});

it("one that is refused has failed, with the network's word", () => {
  const rejected = { is: "rejected", error: "permission_missing", detail: "no permission (10)" } as const;
  expect(settleComment(rejected, 0, T)).toEqual({
    state: "failed",
    nextAt: null,
    detail: "the first comment was refused: no permission (10)",
  });
});

it("one that is put off is made later, when the network says, and given up after the fourth time", () => {
  const waits = [0, 1, 2, 3].map((tries) => (settleComment(retryable, tries, T).nextAt ?? 0) - T);
  expect(waits).toEqual([MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE]);
  expect(settleComment({ ...retryable, notBefore: T + 5 }, 0, T)).toMatchObject({ state: "due", nextAt: T + 5 });
  expect(settleComment(retryable, 4, T)).toMatchObject({ state: "failed", nextAt: null });
});

it("one that was not found is looked for again after the same waits, not before the network allows it, and then is unknown", () => {
  const missing = { is: "not_found", detail: "no answer" } as const;
  const waits = [0, 1, 2, 3].map((tries) => (settleComment(missing, tries, T).nextAt ?? 0) - T);
  expect(waits).toEqual([MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE]);
  const asked = { ...missing, notBefore: T + 5 * MINUTE };
  expect(settleComment(asked, 0, T)).toMatchObject({ state: "sending", nextAt: T + 5 * MINUTE });
  expect(settleComment(asked, 1, T)).toMatchObject({ state: "sending", nextAt: T + 10 * MINUTE });
  expect(settleComment(asked, 4, T)).toMatchObject({ state: "unknown", nextAt: null });
  expect(settleAddition(missing, "playlist", 1, T)).toMatchObject({ addition: { state: "sending", tries: 2 } });
  expect(settleAddition(missing, "playlist", 4, T)).toMatchObject({ addition: { state: "unknown" }, nextAt: null });
});
