// The estimate of a text's length, the split into a thread, and the fixes of problems.
import { describe, expect, it } from "vitest";
import { computeBox } from "../../../src/dashboard/compose/crop.ts";
import { EMPTY, withFile } from "../../../src/dashboard/compose/draft.ts";
import { findEmoji } from "../../../src/dashboard/compose/emoji.ts";
import { applyFix, findFileAt } from "../../../src/dashboard/compose/fixing.ts";
import { splitText } from "../../../src/dashboard/compose/split.ts";
import { describeViolation } from "../../../src/dashboard/words/violations.ts";
import { measure } from "../../../src/domain/posts/measure-text.ts";
import { splitToFit } from "../../../src/domain/posts/split-text.ts";
import { textLength } from "../../../src/domain/posts/text-length.ts";

const COUNTINGS = [
  { text_unit: "graphemes" },
  { text_unit: "characters" },
  { text_unit: "utf16" },
  { text_unit: "weighted", text_weighting: "twitter_text_v3" },
  { text_unit: "weighted", text_weighting: "emoji_utf8" },
  { text_unit: "utf16", text_weighting: "mention_names" },
] as const;

describe("the estimate of a text's length", () => {
  const texts = [
    "Hello",
    "Ünïcödé 👩‍👩‍👧 🇩🇪",
    "日本語のテキスト",
    "مرحبا",
    "Read https://example.com/a/b?c=d, please #now",
    "a\n\nb",
    "With @[Acme (EU)](urn:li:organization:12) and @[no](mention)",
  ];
  for (const counting of COUNTINGS) {
    it(`equals the service's count in ${counting.text_unit} ${"text_weighting" in counting ? counting.text_weighting : ""}`, () => {
      const lengths = texts.map((text) => measure(text, counting, 1_000)?.length);
      expect(lengths).toEqual(texts.map((text) => textLength(text, counting)));
    });
  }
  it("names the place at which the text becomes too long, and never cuts a character", () => {
    expect(measure("abcdef", { text_unit: "graphemes" }, 4)).toEqual({ length: 6, cut: 4 });
    expect(measure("ab👩‍👩‍👧cd", { text_unit: "utf16" }, 5)?.cut).toBe(2);
    expect(measure("abc", { text_unit: "graphemes" }, 3)?.cut).toBeNull();
  });
});

describe("the split of a text into a thread", () => {
  const cutAt = (limit: number) => (text: string) => (text.length > limit ? limit : null);
  it("divides a text that is too long between paragraphs, then sentences, then words", () => {
    const paragraph = "One sentence here. Another one there.";
    expect(splitToFit([paragraph, paragraph, paragraph].join("\n\n"), cutAt(40))).toEqual([
      paragraph,
      paragraph,
      paragraph,
    ]);
    expect(splitToFit(paragraph, cutAt(25))).toEqual(["One sentence here.", "Another one there."]);
    expect(splitToFit("abc def ghi", cutAt(8))).toEqual(["abc def", "ghi"]);
    expect(splitToFit("abcdefghij", cutAt(4))).toEqual(["abcd", "efgh", "ij"]);
  });
  it("loses no word, and makes parts that fit", () => {
    const text = "Words of different length, in a row that never seems to end! Is it so? It is. ".repeat(30).trim();
    const parts = splitToFit(text, cutAt(280));
    expect(parts.join(" ")).toBe(text);
    expect(parts.every((part) => part.length <= 280)).toBe(true);
  });
  it("divides a short text at lines of dashes, at the cursor, or between paragraphs", () => {
    expect(splitText("one\n---\ntwo\n---\nthree", 0, cutAt(100))).toEqual(["one", "two", "three"]);
    expect(splitText("one two", 3, cutAt(100))).toEqual(["one", "two"]);
    expect(splitText("one\n\ntwo", 8, cutAt(100))).toEqual(["one", "two"]);
    expect(splitText("one", 3, cutAt(100))).toEqual(["one"]);
  });
});

describe("the fix of a problem", () => {
  const draft = { ...EMPTY, channels: ["ch_a"], media: ["med_1", "med_2", "med_3"] };
  const apply = (fix: Parameters<typeof applyFix>[1]) => applyFix(draft, fix);
  it("removes the file at a pointer, or as many as are too many", () => {
    const remove = (field: string, count: number) => apply({ kind: "remove_file", field, count, label: "" })?.media;
    expect(remove("/media/1", 1)).toEqual(["med_1", "med_3"]);
    expect(remove("/media", 2)).toEqual(["med_1"]);
    expect(findFileAt(draft, "/media/2")).toBe("med_3");
  });
  it("removes as many files as its button says, also if another network accepts fewer", () => {
    const excess = { code: "too_many_images", message: "", field: "/media", unit: "images" } as const;
    const found = [
      { ...excess, over_by: 2 },
      { ...excess, over_by: 1 },
    ].map((violation) => describeViolation(violation));
    const fix = found[1]?.fixes[0] ?? expect.fail("no fix");
    expect([fix.label, apply(fix)?.media]).toEqual(["Remove 1 image", ["med_1", "med_2"]]);
  });
  it("changes the options, the thread and the text of one channel", () => {
    expect(apply({ kind: "first_part_only", channel: "ch_a", label: "" })?.overrides).toEqual({ ch_a: { thread: [] } });
    expect(apply({ kind: "clear_text", channel: "ch_a", label: "" })?.overrides).toEqual({ ch_a: { text: "" } });
    expect(apply({ kind: "post_type", type: "story", label: "" })?.postType).toBe("story");
    expect(apply({ kind: "adapt", label: "" })?.mediaFit).toBe("adapt");
    expect(apply({ kind: "pick_time", label: "" })).toBeNull();
  });
  it("puts a cropped file in the place of the original, everywhere", () => {
    const used = { ...draft, overrides: { ch_a: { media: ["med_2"] } } };
    const cropped = withFile(used, { of: "instead", key: "med_2" }, "med_9");
    expect(cropped.media).toEqual(["med_1", "med_9", "med_3"]);
    expect(cropped.overrides).toEqual({ ch_a: { media: ["med_9"] } });
  });
});

it("the part of a picture that a crop keeps has the ratio, and is as large as possible", () => {
  expect(computeBox({ width: 1_000, height: 2_000 }, 0.8, 0.5)).toEqual({ x: 0, y: 375, width: 1_000, height: 1_250 });
  expect(computeBox({ width: 2_000, height: 1_000 }, 1, 1)).toEqual({ x: 1_000, y: 0, width: 1_000, height: 1_000 });
});

it("emoji are found by the words of their names", () => {
  expect(findEmoji("party popper", 5).map(({ emoji }) => emoji)).toEqual(["🎉"]);
});
