// What strangers write is read in linear time: pages for link cards, texts with links and tags, JSON bodies.
import { expect, it } from "vitest";
import { readPage } from "../../src/networks/bluesky/link-card.ts";
import { findSpans } from "../../src/networks/bluesky/rich-text.ts";
import { parseJson } from "../../src/operations/parse-json.ts";
import { expectLinear } from "../support/work.ts";

it.each([
  "<meta ",
  "<title",
  "<title>",
  "<meta a>",
  '<meta content="',
  "<title>a<",
  "<meta property= ",
  "&#1",
  " ",
  "<",
])("a page of %j over and over", (piece) => {
  expectLinear((html) => readPage(html, "https://example.com/"), piece, 10_000);
});

it("a page is read as before", () => {
  const page =
    '<TITLE lang="en">A &amp; B</title><meta name=description content="a < b"><meta property="og:image" content="/a.png">';
  expect(readPage(page, "https://example.com/")).toEqual({
    title: "A & B",
    description: "a < b",
    imageUrl: "https://example.com/a.png",
  });
  expect(readPage("<title>a<b></title>", "https://example.com/")).toBeNull();
  expect(readPage("<title", "https://example.com/")).toBeNull();
});

it.each(["a.b ", "@a.com ", "(a.a", "#1", "#!", "!", "#a ", "$A ", "https://a.com/ ", "(@a-", "\u0301"])(
  "the facets of %j over and over",
  (piece) => {
    expectLinear((text) => findSpans(text), piece, 20_000);
    expectLinear((text) => findSpans(`#a${text}a`), piece, 20_000);
  },
);

it.each(["[", "{", '{"a":', "[1,", '"', "\\u0000", " ", "/*", "-", '"a":1,'])("a body of %j over and over", (piece) => {
  const read = (text: string) => {
    try {
      parseJson(text);
    } catch {
      // Refused is as good as read.
    }
  };
  expectLinear(read, piece, 100_000);
  expectLinear((text) => read(JSON.stringify({ text })), piece, 100_000);
  expectLinear((text) => read(JSON.stringify(Array.from(text))), piece, 100_000);
});
