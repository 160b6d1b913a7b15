// The warnings of one channel's post, at their limits: its length, its descriptions, its shape, its price and its repeats.
import { describe, expect, it } from "vitest";
import type { PostTarget } from "../../../src/domain/posts/post-target.ts";
import { createTextMeter } from "../../../src/domain/posts/text-length.ts";
import { warnOfRepeats, warnOfTarget } from "../../../src/domain/posts/warning.ts";
import { findNetwork } from "../../../src/networks/index.ts";
import { file, leastTarget } from "../../support/post-targets.ts";

const target = (platform: string, changes: Partial<PostTarget>) =>
  leastTarget(findNetwork(platform)?.rule ?? expect.fail("no such network"), null, changes);
const warned = (platform: string, changes: Partial<PostTarget>, part?: string) =>
  warnOfTarget(target(platform, changes), createTextMeter(), part);
const image = (width: number | null, height: number | null, alt: string | null = null) =>
  file("image", { width, height, alt });

describe("a text that is nearly too long", () => {
  it("is measured by the limit of a caption if the post has a file", () => {
    const text = "a".repeat(1_000);
    expect(warned("telegram", { text })).toEqual([]);
    expect(warned("telegram", { text, media: [file("image")] })).toMatchObject([
      { code: "near_text_limit", message: "The text uses 1000 of 1024 utf16 on telegram." },
    ]);
  });

  it("is measured in the network's unit", () => {
    const family = "👨‍👩‍👧";
    expect(family.length * 100).toBeGreaterThan(300);
    expect(warned("bluesky", { text: family.repeat(100) })).toEqual([]);
    expect(warned("bluesky", { text: family.repeat(290) })).toMatchObject([{ code: "near_text_limit" }]);
  });

  it("is none where the network takes no text at all", () => {
    expect(warned("instagram", { text: "a", postType: "story" })).toEqual([]);
  });
});

describe("a description that a network drops", () => {
  it("is named with the part of the thread, and one that it takes is not", () => {
    const media = [image(1_000, 1_000, "a loom")];
    expect(warned("telegram", { media }, " of part 2 of 3")).toMatchObject([
      { message: "telegram accepts no alt text for one of these files of part 2 of 3." },
    ]);
    expect(warned("instagram", { media })).toEqual([]);
  });
});

describe("an image that is narrower than a network documents", () => {
  it("is named with its pixels, from the ratio on that is documented", () => {
    expect(warned("instagram", { media: [image(800, 1_000)] })).toEqual([]);
    expect(warned("instagram", { media: [image(1_000, 800)] })).toEqual([]);
    expect(warned("instagram", { media: [image(799, 1_000)] }, " of part 2 of 3")).toEqual([
      {
        code: "aspect_may_be_refused",
        channel: "ch_1",
        message:
          "instagram documents images from 0.8 times as wide as high, but usually accepts this one of 799 × 1000 pixels of part 2 of 3. If it does not, nothing is published.",
      },
    ]);
  });

  it("is not guessed from pixels that are not known", () => {
    for (const media of [image(null, 1_000), image(799, null), image(0, 1_000)]) {
      expect(warned("instagram", { media: [media] })).toEqual([]);
    }
  });
});

describe("a link in a text", () => {
  it("is named with what the network charges for it, and not where it costs nothing", () => {
    const text = "see https://example.com";
    expect(warned("bluesky", { text })).toEqual([]);
    expect(warned("x", { text: "see nothing" })).toEqual([]);
    expect(warned("x", { text })).toMatchObject([
      { code: "link_price", message: "x charges $0.20 for this post, because its text contains a link." },
    ]);
  });
});

describe("a part of a thread", () => {
  const repeats = (...parts: Partial<PostTarget>[]) => {
    const [first = expect.fail("no parts"), ...others] = parts.map((changes) => target("x", changes));
    return warnOfRepeats(first, others).length;
  };

  it("with a file repeats nothing, whatever its text", () => {
    const withFile = { text: "one", media: [file("image")] };
    expect(repeats(withFile, withFile)).toBe(0);
    expect(repeats({ text: "one" }, withFile)).toBe(0);
    expect(repeats({ text: "one" }, { text: "one" })).toBe(1);
  });

  it("repeats an earlier one that looks the same", () => {
    expect(repeats({ text: "caf\u00e9" }, { text: "cafe\u0301" })).toBe(1);
  });
});
