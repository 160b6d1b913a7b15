import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPage } from "../../src/networks/bluesky/link-card.ts";
import { makeTid } from "../../src/networks/bluesky/record.ts";
import { findSpans } from "../../src/networks/bluesky/rich-text.ts";

/** The text that each span covers, with its kind and its value. */
const findCovered = (text: string) =>
  findSpans(text).map(({ byteStart, byteEnd, feature }) => {
    const covered = new TextDecoder().decode(new TextEncoder().encode(text).slice(byteStart, byteEnd));
    const value = feature.kind === "link" ? feature.uri : feature.kind === "tag" ? feature.tag : feature.handle;
    return [covered, feature.kind, value];
  });

describe("links, mentions and tags", () => {
  it.each([
    ["see https://example.com/a?b=c.", [["https://example.com/a?b=c", "link", "https://example.com/a?b=c"]]],
    ["(https://example.com/x)", [["https://example.com/x", "link", "https://example.com/x"]]],
    [
      "https://en.wikipedia.org/wiki/A_(b)",
      [["https://en.wikipedia.org/wiki/A_(b)", "link", "https://en.wikipedia.org/wiki/A_(b)"]],
    ],
    ["go to example.com, now", [["example.com", "link", "https://example.com"]]],
    ["readme.txt is no link, nor is e.g.", []],
    ["👩‍👩‍👧 ünï https://example.com", [["https://example.com", "link", "https://example.com"]]],
    ["hi @alice.bsky.social!", [["@alice.bsky.social", "mention", "alice.bsky.social"]]],
    ["mail me@example.com", []],
    ["@nobody and @a.notatld", []],
    [
      "#crier, #日本 and #123 #1a",
      [
        ["#crier", "tag", "crier"],
        ["#日本", "tag", "日本"],
        ["#1a", "tag", "1a"],
      ],
    ],
    ["＃full", [["＃full", "tag", "full"]]],
    [
      "#tag\u200Bmore #soft\u00ADhyphen",
      [
        ["#tag", "tag", "tag"],
        ["#soft", "tag", "soft"],
      ],
    ],
    [`#${"a".repeat(65)}`, []],
    ["buy $ABC and $5", [["$ABC", "tag", "$ABC"]]],
    ["https://example.com/#frag", [["https://example.com/#frag", "link", "https://example.com/#frag"]]],
    ["", []],
  ])("are found in %j", (text, expected) => expect(findCovered(text)).toEqual(expected));

  it("lie inside the text, in order and on character boundaries, without overlap", () => {
    const pieces = fc.constantFrom(
      "https://example.com",
      "@alice.bsky.social",
      "#tag",
      "$ABC",
      "ü",
      "👩‍👩‍👧",
      " ",
      "\n",
      "(",
      ")",
      ".",
      "example.com/x",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const text = parts.join("");
        const bytes = new TextEncoder().encode(text);
        let end = 0;
        for (const span of findSpans(text)) {
          expect(span.byteStart).toBeGreaterThanOrEqual(end);
          expect(span.byteEnd).toBeGreaterThan(span.byteStart);
          expect(span.byteEnd).toBeLessThanOrEqual(bytes.length);
          new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.slice(span.byteStart, span.byteEnd));
          end = span.byteEnd;
        }
      }),
    );
  });
});

describe("the metadata of a linked page", () => {
  it("is read from Open Graph first, then from the page itself", () => {
    const html = `<head><title>Plain</title><meta property="og:title" content="Fish &amp; &#39;Chips&#x27;">
      <meta name='description' content='  two\n lines '><meta content="/pic.png" property="og:image"></head>`;
    expect(readPage(html, "https://example.com/a/b")).toEqual({
      title: "Fish & 'Chips'",
      description: "two lines",
      imageUrl: "https://example.com/pic.png",
    });
    expect(readPage("<TITLE>Only</TITLE>", "https://example.com/")).toEqual({
      title: "Only",
      description: "",
      imageUrl: null,
    });
    expect(readPage("<p>nothing", "https://example.com/")).toBeNull();
  });
  it("is read without crashing or hanging, whatever the page contains", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 500 }),
        (html) => readPage(`<meta ${html}<title`, "https://example.com/") !== undefined,
      ),
    );
    readPage("<meta ".repeat(50_000), "https://example.com/");
  });
});

describe("record keys", () => {
  it("have the network's format, and sort by time", () => {
    const form = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/;
    const keys = [1, 2, 3].map((i) => makeTid(1_795_000_000_000 + i, new Uint8Array([255, 255, 255])));
    for (const key of keys) expect(key).toMatch(form);
    expect([...keys].sort()).toEqual(keys);
    expect(makeTid(1_795_000_000_000, new Uint8Array([0, 1, 0]))).not.toBe(
      makeTid(1_795_000_000_000, new Uint8Array([0, 2, 0])),
    );
  });
});
