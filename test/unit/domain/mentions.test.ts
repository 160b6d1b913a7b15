import { expect, it } from "vitest";
import { isMentioned } from "../../../src/domain/mentions.ts";

const ADA = { name: "Ada Lovelace", email: "ada@example.com" };

it.each([
  ["@Ada Lovelace, please look", true],
  ["please look (@ada lovelace)", true],
  ["ask @ada@example.com.", true],
  ["@ADA LOVELACE's post", true],
  ["Ada Lovelace, please look", false],
  ["@Ada Lovelaces", false],
  ["write to grace@ada lovelace", false],
  ["grace@Ada Lovelace and then @Ada Lovelace", true],
  ["", false],
])("%j mentions Ada Lovelace: %s", (text, expected) => {
  expect(isMentioned(text, ADA)).toBe(expected);
});

it("a member without a name is mentioned by email address only", () => {
  const member = { name: null, email: "ada@example.com" };
  expect(isMentioned("@ada@example.com?", member)).toBe(true);
  expect(isMentioned("@ who?", { ...member, name: " " })).toBe(false);
  expect(isMentioned("@null", member)).toBe(false);
});
