import { describe, expect, it } from "vitest";
import { checkLeg, effectivePostType, type Leg, type MediaFacts } from "../../src/domain/check-post.ts";
import { textLength, utf8Length } from "../../src/domain/text-length.ts";
import { networks } from "../../src/networks/index.ts";

const file = (kind: "image" | "video", facts: Partial<MediaFacts> = {}): MediaFacts => ({
  kind,
  contentType: null,
  bytes: null,
  width: null,
  height: null,
  seconds: null,
  ...facts,
});
const codes = (leg: Leg) => checkLeg(leg).map(({ code }) => code);

describe.each(networks.map((network) => [network.rule.platform, network.rule] as const))("%s", (_platform, rule) => {
  const leg = (changes: Partial<Leg>): Leg => ({
    channel: "ch",
    rule,
    text: "x",
    textField: "/text",
    media: [],
    mediaField: "/media",
    postType: null,
    ...changes,
  });

  it("takes a text at the limit and refuses one over it, by the number", () => {
    expect(codes(leg({ text: "a".repeat(rule.text_limit) }))).toEqual([]);
    const [broken] = checkLeg(leg({ text: "a".repeat(rule.text_limit + 1) }));
    expect(broken).toMatchObject({
      code: "text_too_long",
      limit: rule.text_limit,
      actual: rule.text_limit + 1,
      over_by: 1,
      unit: rule.text_unit,
      field: "/text",
    });
  });

  it("applies the caption limit once a file is attached", () => {
    const media = [file("image")];
    expect(codes(leg({ media, text: "a".repeat(rule.caption_limit) }))).toEqual([]);
    expect(codes(leg({ media, text: "a".repeat(rule.caption_limit + 1) }))).toEqual(["text_too_long"]);
  });

  it("takes as many files as it says, and not one more", () => {
    const images = (count: number) => leg({ media: Array.from({ length: count }, () => file("image")) });
    const videos = (count: number) => leg({ media: Array.from({ length: count }, () => file("video")) });
    expect(codes(images(rule.media.images))).toEqual([]);
    expect(codes(images(rule.media.images + 1))).toEqual(["too_many_images"]);
    expect(codes(videos(rule.media.videos))).toEqual([]);
    expect(codes(videos(rule.media.videos + 1))).toEqual(["too_many_videos"]);
    const mixed = codes(leg({ media: [file("image"), file("video")] }));
    expect(mixed).toEqual(rule.media.mixed ? [] : ["mixed_media_not_allowed"]);
  });

  it("judges bytes, type and size of each file where they are known", () => {
    const image = rule.image;
    if (image === null) return;
    expect(
      codes(leg({ media: [file("image", { bytes: image.max_bytes, contentType: image.types[0] ?? null })] })),
    ).toEqual([]);
    expect(codes(leg({ media: [file("image", { bytes: image.max_bytes + 1 })] }))).toEqual(["media_too_large"]);
    if (!image.types.includes("image/webp")) {
      expect(codes(leg({ media: [file("image", { contentType: "image/webp" })] }))).toEqual([
        "media_format_not_allowed",
      ]);
    }
    if (image.max_side_sum !== undefined) {
      expect(codes(leg({ media: [file("image", { width: image.max_side_sum, height: 1 })] }))).toContain(
        "media_dimensions_not_allowed",
      );
    }
    const seconds = rule.video?.max_seconds;
    if (seconds !== undefined)
      expect(codes(leg({ media: [file("video", { seconds: seconds + 1 })] }))).toEqual(["media_too_long"]);
  });

  it("refuses a post type that it does not offer, and names those that it does", () => {
    const [broken] = checkLeg(leg({ postType: "story" }));
    if (rule.post_types.includes("story")) return;
    expect(broken).toMatchObject({
      code: "post_type_not_offered",
      field: "/post_type",
      hint: `It offers ${rule.post_types.join(", ")}.`,
    });
    expect(rule.post_types).toContain(effectivePostType({ rule, postType: null }));
  });

  it("has a source and a date for its numbers", () => {
    expect(rule.source).toMatch(/^https:\/\//);
    expect(rule.verified_at).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });
});

describe("lengths", () => {
  it.each([
    ["héllo", 5, 5, 5, 6],
    ["👩‍👩‍👧", 5, 1, 8, 18],
    ["e\u0301", 2, 1, 2, 3],
    ["\r\n", 2, 1, 2, 2],
    ["🇩🇪", 2, 1, 4, 8],
    ["", 0, 0, 0, 0],
  ])("of %j", (text, characters, graphemes, utf16, bytes) => {
    expect(textLength(text, "characters")).toBe(characters);
    expect(textLength(text, "graphemes")).toBe(graphemes);
    expect(textLength(text, "utf16")).toBe(utf16);
    expect(utf8Length(text)).toBe(bytes);
  });
});
