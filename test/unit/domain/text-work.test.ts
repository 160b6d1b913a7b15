// The work on a text grows linearly with its length. Hostile texts are measured and searched in linear time, or refused earlier.
import fc from "fast-check";
import twitterText from "twitter-text";
import { describe, expect, it } from "vitest";
import { TEXT_LENGTH_MAX } from "../../../src/domain/limits.ts";
import { checkTarget } from "../../../src/domain/posts/check-post.ts";
import { findLinks } from "../../../src/domain/posts/links.ts";
import { TEXT_PARTS } from "../../../src/domain/posts/platform-rule.ts";
import { textLimit } from "../../../src/domain/posts/post-target.ts";
import { createTextMeter, textLength, textParts } from "../../../src/domain/posts/text-length.ts";
import { networks } from "../../../src/networks/index.ts";
import { leastTarget } from "../../support/post-targets.ts";
import { countRuns } from "../../support/runs.ts";
import { expectLinear } from "../../support/work.ts";

const X = { text_unit: "weighted", text_weighting: "twitter_text_v3" } as const;
const THREADS = { text_unit: "weighted", text_weighting: "emoji_utf8" } as const;

/** Pieces of text that make naive searches for links, tags and graphemes slow. */
const HOSTILE = [
  "a.",
  "a-",
  "http://",
  "中.",
  "a.com ",
  "a.com,",
  "a.co/(",
  `${"a.".repeat(100)}中.com,`,
  "#a ",
  "@a ",
  "$A ",
  "👩\u200d",
  "\u0301",
  "🇩",
  "1\ufe0f\u20e3",
];

describe.each(HOSTILE.map((piece) => [piece]))("%j over and over", (piece) => {
  it("the length of a repeated piece is computed in linear time", () => {
    expectLinear((text) => textLength(text, X), piece, 20_000);
    expectLinear((text) => textLength(text, THREADS), piece, 20_000);
    expectLinear((text) => textLength(text, { text_unit: "graphemes" }), piece, 20_000);
  });

  it("a repeated piece is searched for links and tags in linear time", () => {
    for (const kind of TEXT_PARTS) expectLinear((text) => textParts(text, kind), piece, 20_000);
  });
});

/** Pieces of links, and text around them. */
const PIECES =
  "a|.|-|_|com|.com|http://|HTTPS://|https://t.co/|/|?|中|。|x|1| |@|#|$|(|)|!|xn--p1ai|é|公司|example.com|a.co|/a(b)c|/(a(b)|?q=|&|:80|😀|+|co.uk".split(
    "|",
  );
const OTHERS = [
  "\n",
  "\u200e",
  "\u0301",
  "\u0338",
  "1\ufe0f\u20e3",
  "👩‍👩‍👧",
  "🇩🇪",
  "e\u0301",
  "#tag",
  "＃",
  "#1",
  "\ufffe",
];

it("links, weighted lengths and hashtags equal those of the library twitter-text", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES, ...OTHERS), { maxLength: 14 }), (pieces) => {
      const text = pieces.join("");
      expect(findLinks(text)).toEqual(twitterText.extractUrlsWithIndices(text));
      expect(textLength(text, X)).toBe(twitterText.parseTweet(text).weightedLength);
      expect(textParts(text, "hashtags")).toEqual(twitterText.extractHashtags(text));
    }),
    { numRuns: countRuns(3_000) },
  );
});

it("a link of up to 4,096 characters counts as a link, as in the library twitter-text", () => {
  for (const length of [4_096, 4_097]) {
    const link = "https://example.com/".padEnd(length, "a");
    expect(textLength(link, X)).toBe(twitterText.parseTweet(link).weightedLength);
  }
});

describe.each(networks.map(({ rule }) => [rule.platform, rule] as const))("a far too long text on %s", (_, rule) => {
  const least = leastTarget(rule, "feed");
  const limit = textLimit(least);

  it("a far too long text is refused with its exact excess or a lower bound of it", () => {
    for (const piece of ["a", "ab cd ", "👩‍👩‍👧 ", "e\u0301", "see example.com "]) {
      const text = piece.repeat(Math.ceil((limit * 40) / piece.length));
      const [broken] = checkTarget({ ...least, text });
      const actual = textLength(text, rule);
      expect(broken).toMatchObject({ code: "text_too_long", limit, unit: rule.text_unit });
      expect(broken?.actual).toBeLessThanOrEqual(actual);
      expect(broken?.actual).toBeGreaterThan(limit);
      expect(broken?.over_by).toBe((broken?.actual ?? 0) - limit);
      expect(broken?.at_least ?? false).toBe(broken?.message.includes("at least") ?? false);
      if (broken?.at_least !== true) expect(broken?.actual).toBe(actual);
    }
  });

  it("a text of many long links is refused only if its weighted length is too long", () => {
    const link = "https://example.com/".padEnd(4_000, "a");
    const text = Array.from({ length: 6 }, () => link).join(" ");
    const isTooLong = textLength(text, rule) > limit;
    expect(checkTarget({ ...least, text }).some(({ code }) => code === "text_too_long")).toBe(isTooLong);
  });
});

it("a text meter computes each result only once for a text", () => {
  const meter = createTextMeter();
  const text = "see a.com #tag";
  expect(meter.parts(text, "links")).toBe(meter.parts(text, "links"));
  expect(meter.length(text, X)).toBe(textLength(text, X));
  expect(meter.length(text, THREADS)).toBe(textLength(text, THREADS));
});

it("the largest length of a text is at most 2 % above the largest limit of a network", () => {
  const largest = Math.max(...networks.map(({ rule }) => rule.text_limit));
  expect(TEXT_LENGTH_MAX).toBeGreaterThan(largest);
  expect(TEXT_LENGTH_MAX).toBeLessThan(largest * 1.02);
});
