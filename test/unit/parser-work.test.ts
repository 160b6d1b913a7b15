// Input from strangers must be parsed in linear time: pages for link cards, texts with links and tags, JSON bodies.
import { expect, it } from "vitest";
import { comparable } from "../../src/domain/delivery/readback.ts";
import { readPage } from "../../src/networks/bluesky/link-card.ts";
import { findSpans } from "../../src/networks/bluesky/rich-text.ts";
import { shownText } from "../../src/networks/linkedin/text.ts";
import { ask } from "../../src/networks/shared/http-call.ts";
import { postShown, textKept } from "../../src/networks/x/timeline.ts";
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
])("reads a page that repeats %j in linear time", (piece) => {
  expectLinear((html) => readPage(html, "https://example.com/"), piece, 10_000);
});

it("reads the title, the description and the image of a page", () => {
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
  "finds the facets of a text that repeats %j in linear time",
  (piece) => {
    expectLinear((text) => findSpans(text), piece, 20_000);
    expectLinear((text) => findSpans(`#a${text}a`), piece, 20_000);
  },
);

it.each(["[", "{", '{"a":', "[1,", '"', "\\u0000", " ", "/*", "-", '"a":1,'])(
  "parses a body that repeats %j in linear time",
  (piece) => {
    const read = (text: string) => {
      try {
        parseJson(text);
      } catch {
        // A body that is refused has been parsed, too.
      }
    };
    expectLinear(read, piece, 100_000);
    expectLinear((text) => read(JSON.stringify({ text })), piece, 100_000);
    expectLinear((text) => read(JSON.stringify(Array.from(text))), piece, 100_000);
  },
);

it.each([" ", "\t", "a ", "\r", " \n", "\u00a0"])(
  "compares a network's text that repeats %j in linear time",
  (piece) => {
    expectLinear((text) => comparable(`${text}x`), piece, 50_000);
  },
);

it.each(["{hashtag|#|", "@[", "@[a](", "\\\\", "{hashtag|\\#|a", "@[a]"])(
  "reads LinkedIn's text that repeats %j in linear time",
  (piece) => {
    expectLinear((text) => shownText(text), piece, 20_000);
  },
);

it.each(["https://t.co/a.", "https://t.co/a ", "https://t.co/a-b", "t.co/"])(
  "compares X's text that repeats %j in linear time",
  (piece) => {
    const links = (text: string) => ({
      id: "1",
      text,
      entities: { urls: [{ url: "https://t.co/a", expanded_url: "." }] },
    });
    expectLinear((text) => textKept(links(text), ".".repeat(text.length)), piece, 20_000);
    expectLinear((text) => postShown(links(text), ".".repeat(text.length)), piece, 20_000);
  },
);

it("does not expand links of X endlessly if they expand to one another", () => {
  const text = "https://t.co/a ".repeat(1_000);
  const urls = Array.from({ length: 30 }, (_, i) => ({
    url: `https://t.co/${i === 0 ? "a" : i}`,
    expanded_url: `https://t.co/${i + 1} `.repeat(1_000),
  }));
  expect(postShown({ id: "1", text, entities: { urls: [...urls, { url: "", expanded_url: text }] } }, "a")).toBe(false);
});

it("ignores the body of an answer that is nested more than 64 levels deep", async () => {
  const answer = (text: string) => ask(async () => new Response(text), 1_000);
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const) {
    const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
    expect(await answer(nested(64))).toMatchObject({ body: expect.anything() });
    expect(await answer(nested(65))).toMatchObject({ body: undefined });
  }
  const brackets = { text: '[{"\\'.repeat(1_000) };
  expect(await answer(JSON.stringify(brackets))).toMatchObject({ body: brackets });
});
