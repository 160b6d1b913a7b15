// Tests every rule of every network at its limit and one above it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTarget } from "../../../src/domain/posts/check-post.ts";
import { namesOfSet } from "../../../src/domain/posts/option-fit.ts";
import { POST_TYPES, type PostType, TEXT_PARTS, type TextPart } from "../../../src/domain/posts/platform-rule.ts";
import {
  effectivePostType,
  fileRule,
  type MediaFacts,
  mediaCounts,
  type PostTarget,
  textLimit,
} from "../../../src/domain/posts/post-target.ts";
import { textLength, utf8Length } from "../../../src/domain/posts/text-length.ts";
import { networks } from "../../../src/networks/index.ts";
import { file, files, leastTarget } from "../../support/post-targets.ts";

const codes = (target: PostTarget) => checkTarget(target).map(({ code }) => code);
const rules = networks.map(({ rule }) => rule);
const shapes = rules.flatMap((rule) =>
  rule.post_types.map((type): [string, PostType, typeof rule] => [rule.platform, type, rule]),
);

it("there are rules for all ten networks", () => {
  expect(rules.map(({ platform }) => platform).sort()).toEqual(
    "bluesky facebook instagram linkedin pinterest telegram threads tiktok x youtube".split(" "),
  );
});

describe.each(shapes)("%s %s", (_platform, type, rule) => {
  const target = (changes: Partial<PostTarget> = {}) => leastTarget(rule, type, changes);
  const limit = textLimit(target());

  it("accepts the smallest valid post", () => {
    expect(checkTarget(target())).toEqual([]);
  });

  it("accepts a text at the limit and rejects a longer one with the exact number", () => {
    const [broken] = checkTarget(target({ text: "a".repeat(limit + 1) }));
    expect(codes(target({ text: "a".repeat(limit) }))).toEqual([]);
    expect(broken).toMatchObject({
      code: "text_too_long",
      limit,
      actual: limit + 1,
      over_by: 1,
      unit: rule.text_unit,
      field: "/text",
    });
  });

  it("checks any text only by its length in the network's unit", () => {
    const piece = fc.constantFrom("a", "é", "中", "👩‍👩‍👧", "e\u0301", "\r\n", "🇩🇪", "\u202Eab", "1️⃣", "𝒳", " ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat({ max: 3 }), (pieces, over) => {
        const head = pieces.join("");
        const room = limit - textLength(head, rule);
        if (limit === 0 || room < 0 || utf8Length(head) + room > (rule.text_max_bytes ?? Number.POSITIVE_INFINITY))
          return;
        const text = head + "b".repeat(room + over);
        // Adjacent characters may form a grapheme or a link, so the length of the whole text is measured.
        const actual = textLength(text, rule);
        expect(codes(target({ text })).includes("text_too_long")).toBe(
          actual > limit || utf8Length(text) > (rule.text_max_bytes ?? Number.POSITIVE_INFINITY),
        );
        expect(Math.abs(actual - limit - over)).toBeLessThanOrEqual(23);
      }),
    );
  });

  it("accepts as many files as its rule says and rejects one more", () => {
    const { images, videos, min, mixed, total = images + videos } = mediaCounts(target());
    const refused = (kind: "image" | "video") =>
      codes(target({ media: files(kind, mediaCounts(target())[`${kind}s`] + 1) }));
    const refusesKind = (kind: "image" | "video") =>
      rule.media[`${kind}s`] > 0 && mediaCounts(target())[`${kind}s`] === 0;
    if (images >= min && images > 0) expect(codes(target({ media: files("image", images) }))).toEqual([]);
    if (videos >= min && videos > 0) expect(codes(target({ media: files("video", videos) }))).toEqual([]);
    expect(refused("image")).toContain(refusesKind("image") ? "post_type_media_mismatch" : "too_many_images");
    expect(refused("video")).toContain(refusesKind("video") ? "post_type_media_mismatch" : "too_many_videos");
    if (images > 0 && videos > 0) {
      expect(codes(target({ media: [file("image"), file("video")] }))).toEqual(
        mixed ? [] : ["mixed_media_not_allowed"],
      );
      if (mixed && total < images + videos)
        expect(codes(target({ media: [...files("image", total), file("video")] }))).toEqual(["too_many_images"]);
    }
    if (min > 0) {
      const [broken] = checkTarget(target({ media: files(images > 0 ? "image" : "video", min - 1) }));
      expect(broken?.code).toBe(type === "feed" ? "media_required" : "post_type_media_mismatch");
      expect(broken).toMatchObject({ limit: min, actual: min - 1 });
    }
  });

  const kinds = (["image", "video"] as const).flatMap((kind) => {
    const kindRule = fileRule(target(), { kind, contentType: null });
    return kindRule === null || mediaCounts(target())[`${kind}s`] === 0 ? [] : [[kind, kindRule] as const];
  });
  describe.each(kinds)("with a file (%s)", (kind, kindRule) => {
    const { min } = mediaCounts(target());
    const otherFiles = files(kind, Math.max(0, min - 1));
    const withFile = (facts: Partial<MediaFacts>) => codes(target({ media: [file(kind, facts), ...otherFiles] }));

    it("checks the type of a file", () => {
      for (const contentType of kindRule.types) {
        const alone = kindRule.alone?.includes(contentType) && otherFiles.length > 0;
        expect(withFile({ contentType })).toEqual(alone ? ["mixed_media_not_allowed"] : []);
      }
      const foreign = ["image/gif", "image/webp", "image/png", "video/webm", "video/quicktime"].find(
        (type) => type.startsWith(kind) && !kindRule.types.includes(type),
      );
      if (foreign !== undefined) expect(withFile({ contentType: foreign })).toEqual(["media_format_not_allowed"]);
    });

    it("checks the bytes, the duration and the alt text of a file", () => {
      expect(withFile({ bytes: kindRule.max_bytes })).toEqual([]);
      expect(withFile({ bytes: kindRule.max_bytes + 1 })).toEqual(["media_too_large"]);
      if (kindRule.min_bytes !== undefined)
        expect(withFile({ bytes: kindRule.min_bytes - 1 })).toEqual(["media_too_small"]);
      if (kindRule.max_seconds !== undefined) {
        expect(withFile({ seconds: kindRule.max_seconds })).toEqual([]);
        expect(withFile({ seconds: kindRule.max_seconds + 0.1 })).toEqual(["media_too_long"]);
      }
      if (kindRule.min_seconds !== undefined)
        expect(withFile({ seconds: kindRule.min_seconds - 0.1 })).toEqual(["media_too_short"]);
      if (kindRule.max_alt) {
        expect(withFile({ alt: "😀".repeat(kindRule.max_alt) })).toEqual([]);
        expect(withFile({ alt: "a".repeat(kindRule.max_alt + 1) })).toEqual(["alt_too_long"]);
      }
    });

    it("checks the pixels of a file", () => {
      const refused = (width: number, height: number) => withFile({ width, height });
      const dimensions = "media_dimensions_not_allowed";
      // Each size breaks one limit, and is computed from that limit.
      const { max_width, min_width, min_height, max_side, max_short_side, min_side, max_side_sum, max_pixels } =
        kindRule;
      if (max_width !== undefined) expect(refused(max_width + 1, max_width)).toContain(dimensions);
      if (min_width !== undefined) expect(refused(min_width - 1, min_width * 2)).toContain(dimensions);
      if (min_height !== undefined) expect(refused(min_height, min_height - 1)).toContain(dimensions);
      if (max_side !== undefined) expect(refused(max_side + 1, max_side)).toContain(dimensions);
      if (max_short_side !== undefined) expect(refused(max_short_side + 1, max_short_side + 1)).toContain(dimensions);
      if (min_side !== undefined) expect(refused(min_side - 1, min_side)).toContain(dimensions);
      if (max_side_sum !== undefined) expect(refused(max_side_sum / 2, max_side_sum / 2 + 1)).toContain(dimensions);
      if (max_pixels !== undefined) expect(refused(max_pixels, 2)).toContain(dimensions);
      const { max_aspect, min_aspect, max_ratio } = kindRule;
      if (max_aspect !== undefined) expect(refused(1_000 * max_aspect + 2, 1_000)).toContain(dimensions);
      if (min_aspect !== undefined) expect(refused(1_000, 1_000 / min_aspect + 102)).toContain(dimensions);
      if (max_ratio !== undefined) expect(refused(100, 100 * max_ratio + 1)).toContain(dimensions);
    });

    it("checks no property of a file that is not known", () => {
      expect(withFile({})).toEqual([]);
    });
  });

  it("requires the options of the post type", () => {
    for (const name of rule.per_type[type]?.required_options ?? []) {
      const [broken] = checkTarget(target({ options: [] }));
      expect(broken).toMatchObject({ code: "option_required", field: `/overrides/ch_1/${name}` });
    }
  });
});

describe.each(rules.map((rule) => [rule.platform, rule] as const))("%s", (_platform, rule) => {
  it("rejects a post type that it does not offer and lists the ones that it does", () => {
    for (const type of POST_TYPES.filter((type) => !rule.post_types.includes(type))) {
      expect(checkTarget(leastTarget(rule, type))[0]).toMatchObject({
        code: "post_type_not_offered",
        field: "/post_type",
        hint: `Supported: ${rule.post_types.join(", ")}.`,
      });
    }
    expect(rule.post_types).toContain(effectivePostType({ rule, postType: null }));
  });

  it("counts the links, mentions and tags in a text", () => {
    const parts: Record<TextPart, (i: number) => string> = {
      hashtags: (i) => `#tag${i}`,
      mentions: (i) => `@name${i}`,
      links: (i) => `https://example.com/${i}`,
      cashtags: (i) => `$${"ABCDEF"[i % 6]}X`,
    };
    for (const kind of TEXT_PARTS) {
      const limit = rule.text_parts?.[kind];
      if (limit === undefined) continue;
      const text = (count: number) => Array.from({ length: count }, (_, i) => parts[kind](i)).join(" ");
      expect(codes(leastTarget(rule, null, { text: text(limit) }))).toEqual([]);
      expect(checkTarget(leastTarget(rule, null, { text: text(limit + 1) }))).toMatchObject([
        { code: "too_many_text_parts", unit: kind, limit, actual: limit + 1, over_by: 1 },
      ]);
    }
  });

  it("rejects the characters that the network rejects", () => {
    for (const character of rule.text_without ?? []) {
      expect(codes(leastTarget(rule, null, { text: `a ${character} b` }))).toEqual(["character_not_allowed"]);
    }
  });

  it("accepts options only up to their largest number of files", () => {
    for (const [name, max] of Object.entries(rule.options_max_media ?? {})) {
      const scope = rule.options_go_with?.[name]?.media ?? "any";
      const kind = scope === "any" ? "image" : scope;
      const media = files(kind, max + 1);
      expect(codes(leastTarget(rule, null, { options: [name], media: files(kind, max) }))).toEqual([]);
      expect(codes(leastTarget(rule, null, { options: [name], media }))).toEqual(["invalid_option"]);
    }
  });

  it("accepts options only with their post types and media, and names the field otherwise", () => {
    for (const [name, { media: kind, post_types: types = rule.post_types, poll: needsPoll }] of Object.entries(
      rule.options_go_with ?? {},
    )) {
      // A post with a poll has no files.
      if (needsPoll === true || rule.options_max_media?.[name] === 0) continue;
      for (const type of rule.post_types) {
        const { images, videos, min } = mediaCounts({ rule, postType: type });
        for (const each of ["image", "video"] as const) {
          if ((each === "image" ? images : videos) < Math.max(1, min)) continue;
          const media = files(each, Math.max(1, min));
          const fits = types.includes(type) && (kind === "any" || each === (kind ?? each));
          const required = rule.per_type[type]?.required_options ?? [];
          const broken = checkTarget(leastTarget(rule, type, { options: [...required, name], media }));
          const field = `/overrides/ch_1/${name}`;
          const codes = broken.filter((violation) => violation.field === field).map(({ code }) => code);
          if (fits) expect(broken, `${type} ${each} ${name}`).toEqual([]);
          else expect(new Set(codes), `${type} ${each} ${name}`).toEqual(new Set(["invalid_option"]));
        }
      }
    }
  });

  it("accepts options only with a poll, or only without one", () => {
    const poll = { question: "q", options: ["y", "n"], minutes: 1_440 };
    for (const [name, { poll: needsPoll }] of Object.entries(rule.options_go_with ?? {})) {
      if (needsPoll === undefined) continue;
      const broken = (withPoll: boolean) =>
        codes(leastTarget(rule, null, { options: [name], poll: withPoll ? poll : null }));
      expect([broken(needsPoll), broken(!needsPoll)]).toEqual([[], ["invalid_option"]]);
    }
  });

  it("requires the file that an option needs, except in a draft", () => {
    for (const [name, { media }] of Object.entries(rule.options_go_with ?? {})) {
      if (media === undefined) continue;
      expect(new Set(codes(leastTarget(rule, null, { options: [name], media: [] })))).toEqual(
        new Set(["media_required"]),
      );
    }
  });

  it("accepts only a single file where the network requires that", () => {
    for (const contentType of rule.image?.alone ?? []) {
      const firstFile = file("image", { contentType });
      expect(codes(leastTarget(rule, null, { media: [firstFile] }))).toEqual([]);
      expect(codes(leastTarget(rule, null, { media: [firstFile, file("image")] }))).toEqual([
        "mixed_media_not_allowed",
      ]);
    }
  });

  it("has a source and a date for its numbers", () => {
    expect(rule.source).toMatch(/^https:\/\//);
    expect(rule.verified_at).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });
});

describe("lengths", () => {
  it.each([
    ["héllo", 5, 5, 5, 5, 5, 6],
    ["👩‍👩‍👧", 5, 1, 8, 2, 18, 18],
    ["e\u0301", 2, 1, 2, 1, 2, 3],
    ["\r\n", 2, 1, 2, 2, 2, 2],
    ["🇩🇪", 2, 1, 4, 2, 8, 8],
    ["中文", 2, 2, 2, 4, 2, 6],
    ["1#", 2, 2, 2, 2, 2, 2],
    ["see example.com/abcdefghijklmnopqrstuvwxyz", 42, 42, 42, 27, 42, 42],
    ["", 0, 0, 0, 0, 0, 0],
  ])("the length of %j is measured in each unit", (text, characters, graphemes, utf16, twitter, emoji, bytes) => {
    expect(textLength(text, { text_unit: "characters" })).toBe(characters);
    expect(textLength(text, { text_unit: "graphemes" })).toBe(graphemes);
    expect(textLength(text, { text_unit: "utf16" })).toBe(utf16);
    expect(textLength(text, { text_unit: "weighted", text_weighting: "twitter_text_v3" })).toBe(twitter);
    expect(textLength(text, { text_unit: "weighted", text_weighting: "emoji_utf8" })).toBe(emoji);
    expect(utf8Length(text)).toBe(bytes);
  });
});

it("options that are false, undefined or null do not count as set", () => {
  expect(namesOfSet({ spoiler: false, silent: true, langs: [], title: undefined, count: 0 })).toEqual([
    "silent",
    "langs",
    "count",
  ]);
});
