import { expect, it } from "vitest";
import { parseExactly } from "../../src/networks/shared/http-call.ts";

it("preserves every digit of a number in an answer: an integer beyond 2^53 becomes a string, anything else is as in JSON", () => {
  const text = '{"ids":[7512345678901234567,-9007199254740993],"n":9007199254740991,"x":1.5,"s":"7512345678901234567"}';
  expect(parseExactly(text)).toEqual({
    ids: ["7512345678901234567", "-9007199254740993"],
    n: 9_007_199_254_740_991,
    x: 1.5,
    s: "7512345678901234567",
  });
  expect(() => parseExactly("<h1>no</h1>")).toThrow();
});
