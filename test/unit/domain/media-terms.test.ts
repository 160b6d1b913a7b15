import { expect, it } from "vitest";
import { buildTerms, getSearchedTerms } from "../../../src/domain/media/terms.ts";

const FILE = { kind: "image", name: "Engine_2.JPG", tags: ["Spring sale"], alt: "An engine, half built" } as const;

it("a file has terms for its kind, its tags, and each word of its name, tags and alt text", () => {
  expect(buildTerms(FILE).sort()).toEqual(
    [
      "image",
      "#Spring sale",
      ...["2", "an", "built", "engine", "half", "jpg", "sale", "spring"].map((word) => `=${word}`),
    ].sort(),
  );
});

it("a file without name, tags and alt text is found by its kind", () => {
  expect(buildTerms({ kind: "video", name: null, tags: [], alt: null })).toEqual(["video"]);
});

it("a tag and a word that are written alike have different terms", () => {
  expect(buildTerms({ kind: "image", name: null, tags: ["image"], alt: null })).toEqual(["image", "#image", "=image"]);
});

it("a search begins with its longest word, and with the kind only if there is nothing else", () => {
  expect(getSearchedTerms({ kind: "image", tag: "sale", words: ["an", "engine", "an"] })).toEqual([
    "=engine",
    "=an",
    "#sale",
    "image",
  ]);
  expect(getSearchedTerms({ kind: "image", tag: null, words: [] })).toEqual(["image"]);
  expect(getSearchedTerms({ kind: null, tag: null, words: [] })).toEqual([]);
});
