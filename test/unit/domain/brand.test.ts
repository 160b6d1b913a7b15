import { expect, it } from "vitest";
import { getTextColor } from "../../../src/domain/brand.ts";

it.each([
  ["#000000", "#ffffff"],
  ["#ffffff", "#000000"],
  ["#0b57d0", "#ffffff"],
  ["#ffd400", "#000000"],
  ["#777777", "#000000"],
  ["#747474", "#ffffff"],
])("text on %s is %s, whichever has more contrast", (accent, expected) => {
  expect(getTextColor(accent)).toBe(expected);
});
