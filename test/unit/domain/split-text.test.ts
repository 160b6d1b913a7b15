// A long text as the parts of a thread: nothing is lost, every part fits, and no link, mention or character is cut.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitIntoThread } from "../../../src/domain/posts/split-text.ts";
import { textLength } from "../../../src/domain/posts/text-length.ts";

const LIMITS = [
  { text_unit: "weighted", text_weighting: "twitter_text_v3", text_limit: 280 },
  { text_unit: "graphemes", text_limit: 300 },
  { text_unit: "weighted", text_weighting: "emoji_utf8", text_limit: 500 },
  { text_unit: "utf16", text_limit: 60 },
] as const;
const WHOLES = [
  "https://example.com/a/b?c=d&e=f#g",
  "@ada.bsky.social",
  "#engines",
  "@[Ada](urn:li:organization:1)",
  "👩‍👩‍👧",
  "é",
];
const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WHOLES) },
  { weight: 6, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }) },
  { weight: 2, arbitrary: fc.constantFrom("word.", "Really?", "日本語のテキスト。", "x".repeat(90)) },
);
const space = fc.constantFrom(" ", " ", " ", "\n", "\n\n", " \n \n ", "");
const text = fc
  .array(fc.tuple(word, space), { minLength: 1, maxLength: 120 })
  .map((pieces) => pieces.map((piece) => piece.join("")).join(""));
const withoutSpace = (value: string) => value.replaceAll(/\s+/gu, "");

describe("a text split into a thread", () => {
  it("loses nothing but white space between two parts", () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...LIMITS), (whole, limit) => {
        const parts = splitIntoThread(whole, [limit]);
        expect(withoutSpace(parts.join(""))).toBe(withoutSpace(whole));
        for (const part of parts) expect(whole).toContain(part);
      }),
    );
  });

  it("has only parts that fit on every network, by its own count", () => {
    const plain = fc.constantFrom("word", "two words", "End.", "日本語。", ...WHOLES);
    const sentence = fc.array(plain, { minLength: 1, maxLength: 200 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(sentence, (whole) => {
        for (const part of splitIntoThread(whole, LIMITS))
          for (const limit of LIMITS) expect(textLength(part, limit)).toBeLessThanOrEqual(limit.text_limit);
      }),
    );
  });

  it("never cuts a link, a mention, a hashtag or a character", () => {
    const inText = fc.array(fc.constantFrom(...WHOLES), { minLength: 5, maxLength: 60 });
    fc.assert(
      fc.property(inText, fc.integer({ min: 40, max: 90 }), (wholes, text_limit) => {
        const parts = splitIntoThread(wholes.join(" "), [{ text_unit: "utf16", text_limit }]);
        expect(parts.flatMap((part) => part.split(" "))).toEqual(wholes);
      }),
    );
  });

  it.each([
    ["paragraphs", "One two three.\n\nFour five six.", ["One two three.", "Four five six."]],
    ["sentences", "One two three. Four five six.", ["One two three.", "Four five six."]],
    ["words", "One two three four five", ["One two three four", "five"]],
    ["characters where there is no space", "x".repeat(25), ["x".repeat(20), "xxxxx"]],
    ["the start of a link", "See it: https://a.example/b", ["See it:", "https://a.example/b"]],
  ])("is divided between %s", (_, whole, parts) => {
    expect(splitIntoThread(whole, [{ text_unit: "characters", text_limit: 20 }])).toEqual(parts);
  });

  it("counts the parameters that a network gets in its links", () => {
    const tag = (part: string) => part.replaceAll(/https:\S+/g, "$&?utm_source=bluesky");
    const whole = "Look at https://example.com/a and then at https://example.com/b for more.";
    const limit = { text_unit: "graphemes", text_limit: 60, tag };
    const parts = splitIntoThread(whole, [limit]);
    expect(parts.join(" ")).toBe(whole);
    expect(parts.every((part) => tag(part).length <= 60)).toBe(true);
    expect(splitIntoThread(whole, [{ ...limit, text_limit: 200 }])).toEqual([whole]);
  });

  it("keeps a text that fits, and leaves a link that is longer than a part whole", () => {
    expect(splitIntoThread("Short", LIMITS)).toEqual(["Short"]);
    expect(splitIntoThread("", LIMITS)).toEqual([]);
    const link = `https://example.com/${"x".repeat(60)}`;
    expect(splitIntoThread(`${link} end`, [{ text_unit: "utf16", text_limit: 30 }])).toEqual([link, "end"]);
  });
});
