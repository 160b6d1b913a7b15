import { expect, it } from "vitest";
import { correctSkewMs } from "../../../src/domain/clock-skew.ts";

it("does not mistake a slow answer for a clock that is behind", () => {
  expect(correctSkewMs(0, { askedAt: 1_000, answeredAt: 31_000, shownAt: 1_000 })).toBe(0);
});

it("does not mistake a delayed request for a clock that is ahead", () => {
  expect(correctSkewMs(0, { askedAt: 1_000, answeredAt: 31_000, shownAt: 31_000 })).toBe(0);
});

it("believes a quick answer that shows another time", () => {
  expect(correctSkewMs(0, { askedAt: 1_000, answeredAt: 1_010, shownAt: 3_000 })).toBe(1_990);
  expect(correctSkewMs(0, { askedAt: 3_000, answeredAt: 3_010, shownAt: 1_000 })).toBe(-2_000);
});

it("keeps what an earlier answer showed while a later one does not contradict it", () => {
  expect(correctSkewMs(1_500, { askedAt: 1_000, answeredAt: 9_000, shownAt: 3_000 })).toBe(1_500);
});

it("uses the newest time of a clock that was set back between request and answer", () => {
  expect(correctSkewMs(0, { askedAt: 5_000, answeredAt: 4_000, shownAt: 4_500 })).toBe(500);
});
