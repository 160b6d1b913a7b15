import { expect, it } from "vitest";
import { splitWords, storedWords } from "../../../src/domain/posts/words.ts";

it.each([
  ["Straße", "STRASSE", true],
  ["ΛΌΓΟΣ", "λόγος", true],
  ["İstanbul", "istanbul", true],
  ["Привет, МИР", "мир привет", true],
  ["café", "cafe\u0301", true],
  ["ＡＢＣ１", "abc1", true],
  ["私は東京に行きました", "東京", true],
  ["ภาษาไทยง่าย", "ภาษา", true],
  ["#Winter2026!", "winter2026", true],
  ["winters", "winter", false],
  ["don't stop", "don stop", true],
  ["a_b", "b", true],
  ["Winter", "winter sale", false],
])("whether the text %j matches the search %j: %s", (text, q, expected) => {
  const words = storedWords({ text, overrides: {}, labels: [], thread: null, poll: null });
  expect(splitWords(q).every((word) => words.includes(` ${word} `))).toBe(expected);
});

it("the stored words include those of overrides and labels, and exclude the ids of files", () => {
  const overrides = { ch_1: { text: "Andere", title: "Titel", media: ["med_1"], tags: ["deep", { more: "Deeper" }] } };
  expect(storedWords({ text: "Eins zwei eins", overrides, labels: ["Black Friday"], thread: null, poll: null })).toBe(
    " eins zwei andere titel deep deeper black friday ",
  );
});
