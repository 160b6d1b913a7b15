import { expect, it } from "vitest";
import { formatChange } from "../../../src/domain/change.ts";

it.each([
  [112, 100, "+12 %"],
  [95, 100, "−5 %"],
  [1_001, 1_000, "±0 %"],
  [0, 4, "−100 %"],
  [4, 0, null],
  [4, null, null],
])("the change to %s from %s is %s", (value, before, expected) => {
  expect(formatChange(value, before)).toBe(expected);
});
