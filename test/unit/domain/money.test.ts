// Money is exact because it is computed in whole millionths of a dollar.
import { expect, it } from "vitest";
import { formatMicros, formatUsd, isExactUsd, toMicros, toUsd } from "../../../src/domain/money.ts";

it("prices are added without rounding errors", () => {
  expect(0.1 + 0.2).not.toBe(0.3);
  expect(toUsd(toMicros(0.1) + toMicros(0.2))).toBe(0.3);
  expect(toUsd(1_000 * toMicros(0.005))).toBe(5);
});

it("an amount may have six decimals, and more are rejected", () => {
  for (const usd of [0, 0.000001, 0.015, 19.99, 1_000_000, 999_999.999999]) {
    expect(toUsd(toMicros(usd))).toBe(usd);
    expect(isExactUsd(usd)).toBe(true);
  }
  expect(isExactUsd(0.0000001)).toBe(false);
  expect(isExactUsd(1.0000005)).toBe(false);
});

it("an amount is written with at least two decimals", () => {
  expect([0, 1_500_000, 15_000, 2_500, 200_000, 1].map(formatMicros)).toEqual([
    "$0.00",
    "$1.50",
    "$0.015",
    "$0.0025",
    "$0.20",
    "$0.000001",
  ]);
  expect(formatUsd(0.1 + 0.2)).toBe("$0.30");
});
