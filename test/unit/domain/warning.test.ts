// The warnings of a post on one channel, at their limits: length, alt texts, aspect ratio, price and repeated parts.
import { describe, expect, it } from "vitest";
import type { PostTarget } from "../../../src/domain/posts/post-target.ts";
import { createTextMeter } from "../../../src/domain/posts/text-length.ts";
import { warnOfRepeats, warnOfTarget } from "../../../src/domain/posts/warning.ts";
import { findNetwork } from "../../../src/networks/index.ts";
import { file, leastTarget } from "../../support/post-targets.ts";

const makeTarget = (platform: string, changes: Partial<PostTarget>) =>
  leastTarget(findNetwork(platform)?.rule ?? expect.fail("no such network"), null, changes);
const listWarnings = (platform: string, changes: Partial<PostTarget>, place?: { part: number; count: number }) =>
  warnOfTarget(makeTarget(platform, changes), createTextMeter(), place);
const makeImage = (width: number | null, height: number | null, alt: string | null = null) =>
  file("image", { width, height, alt });

describe("a text that is nearly too long", () => {
  it("the warning of a long text uses the limit of captions if the post has a file", () => {
    const text = "a".repeat(1_000);
    expect(listWarnings("telegram", { text })).toEqual([]);
    expect(listWarnings("telegram", { text, media: [file("image")] })).toMatchObject([
      {
        code: "near_text_limit",
        message: "The text uses 1000 of 1024 utf16 on telegram.",
        limit: 1_024,
        actual: 1_000,
        unit: "utf16",
      },
    ]);
  });

  it("the warning of a long text measures the text in the network's unit", () => {
    const family = "👨‍👩‍👧";
    expect(family.length * 100).toBeGreaterThan(300);
    expect(listWarnings("bluesky", { text: family.repeat(100) })).toEqual([]);
    expect(listWarnings("bluesky", { text: family.repeat(290) })).toMatchObject([{ code: "near_text_limit" }]);
  });

  it("there is no warning of a long text if the network accepts no text at all", () => {
    expect(listWarnings("instagram", { text: "a", postType: "story" })).toEqual([]);
  });
});

describe("a description that a network drops", () => {
  it("the warning of an alt text that the network drops names the thread part", () => {
    const media = [makeImage(1_000, 1_000, "a loom")];
    expect(listWarnings("telegram", { media }, { part: 1, count: 3 })).toMatchObject([
      { message: "telegram accepts no alt text for one of these files of part 2 of 3." },
    ]);
    expect(listWarnings("instagram", { media })).toEqual([]);
  });
});

describe("an image that is narrower than a network documents", () => {
  it("the warning of a narrow image names its size, and starts below the documented ratio", () => {
    expect(listWarnings("instagram", { media: [makeImage(800, 1_000)] })).toEqual([]);
    expect(listWarnings("instagram", { media: [makeImage(1_000, 800)] })).toEqual([]);
    expect(listWarnings("instagram", { media: [makeImage(799, 1_000)] }, { part: 1, count: 3 })).toEqual([
      {
        code: "aspect_may_be_refused",
        channel: "ch_1",
        part: 1,
        limit: 0.8,
        actual: 0.799,
        unit: "times as wide as high",
        message:
          "instagram documents images from 0.8 times as wide as high, but usually accepts this one of 799 × 1000 pixels of part 2 of 3. If it does not, nothing is published.",
      },
    ]);
  });

  it("there is no warning of a narrow image whose size is not known", () => {
    for (const media of [makeImage(null, 1_000), makeImage(799, null), makeImage(0, 1_000)]) {
      expect(listWarnings("instagram", { media: [media] })).toEqual([]);
    }
  });
});

describe("a link in a text", () => {
  it("the warning of a link names the price, and appears only on networks that charge for links", () => {
    const text = "see https://example.com";
    expect(listWarnings("bluesky", { text })).toEqual([]);
    expect(listWarnings("x", { text: "see nothing" })).toEqual([]);
    expect(listWarnings("x", { text })).toMatchObject([
      {
        code: "link_price",
        message: "x charges $0.20 for this post, because its text contains a link.",
        cost_usd: 0.2,
      },
    ]);
  });
});

describe("a part of a thread", () => {
  const countRepeats = (...parts: Partial<PostTarget>[]) => {
    const [first = expect.fail("no parts"), ...otherParts] = parts.map((changes) => makeTarget("x", changes));
    return warnOfRepeats(first, otherParts).length;
  };

  it("a thread part with a file is no repeat, even with the same text", () => {
    const withFile = { text: "one", media: [file("image")] };
    expect(countRepeats(withFile, withFile)).toBe(0);
    expect(countRepeats({ text: "one" }, withFile)).toBe(0);
    expect(countRepeats({ text: "one" }, { text: "one" })).toBe(1);
  });

  it("a thread part that looks the same as an earlier one is a repeat", () => {
    expect(countRepeats({ text: "caf\u00e9" }, { text: "cafe\u0301" })).toBe(1);
  });
});
