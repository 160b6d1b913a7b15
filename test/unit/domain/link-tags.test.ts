// Parameters in links: only what is missing is added, and everything else stays as it is written.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hasKnownPlaceholders,
  type LinkTags,
  storedLinkTags,
  tagAddress,
} from "../../../src/domain/posts/link-tags.ts";
import { tagOptions, tagText } from "../../../src/domain/posts/tagged-text.ts";

const POST = `post_${"1".repeat(26)}`;
const DELIVERY = { platform: "linkedin", channel: "ch_1", post: POST };
const makeTags = (parameters: Record<string, string>, domains: string[] | null = null): LinkTags => ({
  parameters,
  domains,
});
const SOURCE = makeTags({ utm_source: "{network}" });
const ADDED = "utm_source=linkedin";

describe("a tagged link", () => {
  it.each([
    ["gets the parameter", "https://a.com/x", `https://a.com/x?${ADDED}`],
    ["keeps its own parameters before the new one", "https://a.com/?b=1", `https://a.com/?b=1&${ADDED}`],
    ["keeps its fragment at the end", "https://a.com/x#top", `https://a.com/x?${ADDED}#top`],
    ["does not get a second separator", "https://a.com/x?", `https://a.com/x?${ADDED}`],
    ["is not normalized", "HTTPS://A.com/%7e/../x?b=+", `HTTPS://A.com/%7e/../x?b=+&${ADDED}`],
    ["keeps a parameter that it has", "https://a.com/?utm_source=me", "https://a.com/?utm_source=me"],
    ["keeps an empty parameter that it has", "https://a.com/?utm_source", "https://a.com/?utm_source"],
    ["has an http address", "ftp://a.com/x", "ftp://a.com/x"],
  ])("%s", (_, address, tagged) => {
    expect(tagAddress(address, SOURCE, DELIVERY)).toBe(tagged);
  });

  it("belongs to one of the given sites or their subdomains", () => {
    const tags = makeTags({ utm_source: "x" }, ["shop.com"]);
    const tag = (address: string) => tagAddress(address, tags, DELIVERY) !== address;
    expect(["https://shop.com", "https://www.SHOP.com/a"].filter(tag)).toHaveLength(2);
    expect(["https://myshop.com", "https://shop.org", "https://x.com/?shop.com"].filter(tag)).toEqual([]);
  });

  it("has each placeholder's value, encoded so that every network sees where the link ends", () => {
    const tags = makeTags({ a: "{network}-{channel}", b: "{post}", c: "1 & (2)." });
    expect(tagAddress("https://a.com", tags, DELIVERY)).toBe(
      `https://a.com?a=linkedin-ch_1&b=${POST}&c=1%20%26%20%282%29%2E`,
    );
    const future = tagAddress("https://a.com", tags, { ...DELIVERY, post: null });
    expect(future).toHaveLength(tagAddress("https://a.com", tags, DELIVERY).length);
  });

  it("has no parameter whose value is empty, and the label that the post had when its tags were set", () => {
    const written = makeTags({ utm_campaign: "{label}", utm_source: "{network}" });
    expect(storedLinkTags(written, [])).toEqual(makeTags({ utm_campaign: "", utm_source: "{network}" }));
    expect(tagAddress("https://a.com", storedLinkTags(written, []), DELIVERY)).toBe(`https://a.com?${ADDED}`);
    expect(tagAddress("https://a.com", storedLinkTags(written, ["spring", "b"]), DELIVERY)).toBe(
      `https://a.com?utm_campaign=spring&${ADDED}`,
    );
  });

  it("knows its placeholders", () => {
    expect(["{network}", "x{label}y{post}", "plain", ""].every(hasKnownPlaceholders)).toBe(true);
    expect(["{nobody}", "{}", "{network", "a}"].some(hasKnownPlaceholders)).toBe(false);
  });
});

describe("a text with links", () => {
  it.each([
    ["at the end", "See https://a.com/x", `See https://a.com/x?${ADDED}`],
    ["before punctuation", "(https://a.com/x). Next", `(https://a.com/x?${ADDED}). Next`],
    ["two of them", "https://a.com/x\nhttps://b.com", `https://a.com/x?${ADDED}\nhttps://b.com?${ADDED}`],
    ["before ideographic punctuation", "看 https://a.com/x。好", `看 https://a.com/x?${ADDED}。好`],
    ["that may go on", "https://a.com/路径 https://a.com.nosuchtld/", null],
    ["without a scheme", "a.com/x", null],
    ["none", "Nothing here", null],
  ])("tags links %s", (_, text, tagged) => {
    expect(tagText(text, SOURCE, DELIVERY)).toBe(tagged ?? text);
  });

  it("has nothing changed but the added parameters, and is tagged once only", () => {
    const link = fc.constantFrom("https://a.com/x", "http://b.com?q=1", "https://c.com/ä#f", "d.com");
    const word = fc.oneof(
      link,
      fc.string({ unit: "grapheme", maxLength: 6 }),
      fc.constantFrom(" ", "\n", ".", ")", "。"),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const text = words.join("");
        fc.pre(!text.includes(ADDED));
        const tagged = tagText(text, SOURCE, DELIVERY);
        expect(tagged.replaceAll(new RegExp(`&${ADDED}|\\?${ADDED}`, "g"), "")).toBe(text);
        expect(tagText(tagged, SOURCE, DELIVERY)).toBe(tagged);
      }),
    );
  });

  it("is also the first comment, the link and the card of a network's options", () => {
    const options = {
      first_comment: "More: https://a.com",
      link: "https://a.com/pin",
      link_card: { url: "https://a.com", title: "A" },
      alt: "https://a.com",
    };
    expect(tagOptions(options, SOURCE, DELIVERY)).toEqual({
      first_comment: `More: https://a.com?${ADDED}`,
      link: `https://a.com/pin?${ADDED}`,
      link_card: { url: `https://a.com?${ADDED}`, title: "A" },
      alt: "https://a.com",
    });
  });
});
