import { expect, it } from "vitest";
import { correctSkewMs } from "../../../src/domain/clock-skew.ts";

it("a slow answer is not mistaken for a clock that is behind", () => {
  expect(correctSkewMs(0, { askedAt: 1_000, answeredAt: 31_000, shownAt: 1_000 })).toBe(0);
});

it("a delayed request is not mistaken for a clock that is ahead", () => {
  expect(correctSkewMs(0, { askedAt: 1_000, answeredAt: 31_000, shownAt: 31_000 })).toBe(0);
});

it("a quick answer with a different time corrects the clock", () => {
  expect(correctSkewMs(0, { askedAt: 1_000, answeredAt: 1_010, shownAt: 3_000 })).toBe(1_990);
  expect(correctSkewMs(0, { askedAt: 3_000, answeredAt: 3_010, shownAt: 1_000 })).toBe(-2_000);
});

it("the clock keeps a correction that a later answer does not contradict", () => {
  expect(correctSkewMs(1_500, { askedAt: 1_000, answeredAt: 9_000, shownAt: 3_000 })).toBe(1_500);
});

it("the correction uses the newest time if the local clock was set back between request and answer", () => {
  expect(correctSkewMs(0, { askedAt: 5_000, answeredAt: 4_000, shownAt: 4_500 })).toBe(500);
});
