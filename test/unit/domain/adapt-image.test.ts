import { describe, expect, it } from "vitest";
import {
  adaptTarget,
  describeChanges,
  firstEncoding,
  type ImagePlan,
  nextEncoding,
  planImage,
  scaleDown,
} from "../../../src/domain/posts/adapt-image.ts";
import { checkTarget } from "../../../src/domain/posts/check-post.ts";
import type { MediaFacts } from "../../../src/domain/posts/post-target.ts";
import { fileRule } from "../../../src/domain/posts/post-target.ts";
import { findNetwork, networks } from "../../../src/networks/index.ts";
import { file, leastTarget } from "../../support/post-targets.ts";

const makeImage = (contentType: string, bytes: number, width: number, height: number): MediaFacts =>
  file("image", { contentType, bytes, width, height });
const PHOTO = makeImage("image/jpeg", 4_500_000, 4032, 3024);
const TRANSPARENT = { isAnimated: false, hasAlpha: true };
const ANIMATED = { isAnimated: true, hasAlpha: false };

const getRule = (platform: string) => {
  const network = findNetwork(platform);
  if (network === undefined) throw new Error(`no network ${platform}`);
  return network.rule;
};
function planFor(platform: string, facts: MediaFacts, traits: Parameters<typeof planImage>[2] = null) {
  const target = { rule: getRule(platform), postType: null };
  return planImage(facts, (contentType) => fileRule(target, { ...facts, contentType }), traits);
}
const WITH_IMAGES = networks.filter(({ rule }) => rule.image !== null).map(({ rule }) => rule.platform);

describe("planImage", () => {
  it("plans nothing for a file that the network accepts", () => {
    expect(planFor("instagram", makeImage("image/jpeg", 900_000, 1440, 1800))).toBeNull();
  });

  it("plans a 12 MP photo within the rules of every network that accepts images", () => {
    for (const platform of WITH_IMAGES) {
      const target = leastTarget(getRule(platform), null, { media: [PHOTO] });
      const adapted = adaptTarget(target, [null], null);
      expect(checkTarget(adapted.target).filter(({ field }) => field?.startsWith("/media"))).toEqual([]);
    }
  });

  it("plans a JPEG of a HEIC photo within the rules of every network that accepts images", () => {
    const heic = { ...PHOTO, contentType: "image/heic", bytes: 1_400_000 };
    for (const platform of WITH_IMAGES) {
      const target = leastTarget(getRule(platform), null, { media: [heic] });
      const adapted = adaptTarget(target, [null], null);
      expect(adapted.plans).toMatchObject([{ contentType: "image/jpeg" }]);
      expect(adapted.plans[0]?.changes).toContain("format");
      expect(checkTarget(adapted.target).filter(({ field }) => field?.startsWith("/media"))).toEqual([]);
      const [refusal] = checkTarget(target);
      expect(refusal).toMatchObject({
        code: "media_format_not_allowed",
        message: `${platform} does not accept image/heic.`,
      });
      expect(refusal?.hint).toContain('`media_fit: "adapt"`');
    }
  });

  it("scales a photo down to both limits of TikTok and keeps its ratio exactly", () => {
    expect(planFor("tiktok", PHOTO)).toMatchObject({
      contentType: "image/jpeg",
      width: 1440,
      height: 1080,
      changes: ["size"],
    });
  });

  it("plans a smaller file with the same number of pixels if only the bytes exceed the limit", () => {
    expect(planFor("bluesky", PHOTO)).toEqual({
      contentType: "image/jpeg",
      width: 4032,
      height: 3024,
      maxBytes: 2_000_000,
      isTooLarge: true,
      changes: [],
    });
  });

  it("converts a PNG to JPEG for a network that does not accept PNG", () => {
    expect(planFor("instagram", makeImage("image/png", 300_000, 800, 800))).toMatchObject({
      contentType: "image/jpeg",
      changes: ["format"],
    });
  });

  it("keeps a transparent PNG as PNG if the network accepts PNG, and converts it to JPEG otherwise", () => {
    const large = makeImage("image/png", 9_000_000, 2000, 2000);
    expect(planFor("x", large, TRANSPARENT)).toMatchObject({ contentType: "image/png" });
    expect(planFor("instagram", large, TRANSPARENT)).toMatchObject({ contentType: "image/jpeg" });
  });

  it("never plans an animated image", () => {
    expect(planFor("instagram", makeImage("image/gif", 300_000, 800, 800), ANIMATED)).toBeNull();
    expect(planFor("x", makeImage("image/gif", 90_000_000, 800, 800), ANIMATED)).toBeNull();
  });

  it("plans nothing for an image that is too large for the converter", () => {
    expect(planFor("telegram", makeImage("image/png", 20_000_000, 4000, 3000))).not.toBeNull();
    expect(planFor("telegram", makeImage("image/png", 20_000_001, 4000, 3000))).toBeNull();
    expect(planFor("telegram", makeImage("image/png", 900_000, 12_001, 3000))).toBeNull();
    expect(planFor("telegram", makeImage("image/png", 900_000, 12_000, 8_400))).toBeNull();
  });

  it("plans nothing if the size or the format of an image is unknown", () => {
    expect(planFor("instagram", file("image", { contentType: "image/png", bytes: 1 }))).toBeNull();
    expect(planFor("instagram", file("image", { width: 10, height: 10 }))).toBeNull();
  });

  it("plans nothing for a video", () => {
    expect(planFor("x", file("video", { contentType: "video/mp4", bytes: 1e12, width: 10, height: 10 }))).toBeNull();
  });

  it("scales an image to a limit of total pixels, and to a limit of width plus height", () => {
    const size = (platform: string, bytes: number) => {
      const plan = planFor(platform, makeImage("image/jpeg", bytes, 8064, 6048)) ?? expect.fail("nothing is planned");
      return [plan.width, plan.height] as const;
    };
    const [width, height] = size("linkedin", 12_000_000);
    expect(width * height).toBeLessThanOrEqual(36_152_319);
    expect(width * height).toBeGreaterThan(35_000_000);
    const [across, down] = size("telegram", 9_000_000);
    expect(across + down).toBeLessThanOrEqual(10_000);
    expect(across + down).toBeGreaterThan(9_800);
  });
});

describe("scaleDown", () => {
  it("scaleDown never exceeds the scale, and changes the ratio by one pixel at most", () => {
    for (const [width, height, scale] of [
      [4032, 3024, 0.31],
      [3024, 4032, 0.267],
      [4000, 2251, 0.48],
      [101, 9999, 0.1],
      [3, 2, 0.4],
    ] as const) {
      const size = scaleDown(width, height, scale);
      expect(size.width).toBeLessThanOrEqual(Math.max(1, width * scale));
      expect(size.height).toBeLessThanOrEqual(Math.max(1, height * scale));
      expect(Math.abs(size.height - (height * size.width) / width)).toBeLessThanOrEqual(1);
    }
  });
});

describe("encodings", () => {
  const plan: ImagePlan = {
    contentType: "image/jpeg",
    width: 4000,
    height: 3000,
    maxBytes: 2_000_000,
    isTooLarge: true,
    changes: [],
  };

  it("encodings go from quality 92 down to 75, and then to fewer pixels", () => {
    const first = firstEncoding(plan);
    expect(first).toEqual({ width: 4000, height: 3000, quality: 92 });
    const second = nextEncoding(plan, first, 3_000_000, 1);
    expect(second).toEqual({ width: 4000, height: 3000, quality: 84 });
    const third = second && nextEncoding(plan, second, 2_500_000, 2);
    expect(third).toEqual({ width: 4000, height: 3000, quality: 75 });
    const fourth = third && nextEncoding(plan, third, 2_200_000, 3);
    expect(fourth?.quality).toBe(75);
    expect(fourth?.width).toBeLessThan(3600);
    expect(describeChanges(plan, first)).toEqual(["quality"]);
    expect(fourth && describeChanges(plan, fourth)).toEqual(["size", "quality"]);
  });

  it("encodings skip a quality that would not be low enough", () => {
    expect(nextEncoding(plan, firstEncoding(plan), 4_000_000, 1)?.quality).toBe(75);
  });

  it("encodings of a PNG, which has no quality, only scale it", () => {
    const png: ImagePlan = { ...plan, contentType: "image/png" };
    expect(nextEncoding(png, firstEncoding(png), 8_000_000, 1)).toMatchObject({ width: 1860, height: 1395 });
  });

  it("a conversion gives up after eight encodings", () => {
    let encoding: ReturnType<typeof nextEncoding> = firstEncoding(plan);
    let tries = 0;
    while (encoding !== null) encoding = nextEncoding(plan, encoding, 2_000_001, ++tries);
    expect(tries).toBe(8);
  });
});

describe("a refused image", () => {
  const instagram = getRule("instagram");
  const checkPost = (facts: MediaFacts, traits: Parameters<typeof planImage>[2], adapts: boolean) => {
    const target = leastTarget(instagram, null, { media: [facts] });
    return checkTarget(adapts ? adaptTarget(target, [traits], null).target : target);
  };

  it("the refusal of a file in an exact post offers to adapt it", () => {
    const [violation] = checkPost(makeImage("image/png", 300_000, 800, 800), null, false);
    expect(violation).toMatchObject({ code: "media_format_not_allowed" });
    expect(violation?.hint).toContain('`media_fit: "adapt"`');
  });

  it("the refusal of an animated image says that it is not adapted", () => {
    const [violation] = checkPost(makeImage("image/gif", 300_000, 800, 800), ANIMATED, true);
    expect(violation).toMatchObject({ code: "media_format_not_allowed" });
    expect(violation?.hint).toContain("Animated images are not adapted");
  });

  it("the refusal of an image that is too large for the converter says so", () => {
    const [violation] = checkPost(makeImage("image/png", 24_000_000, 4000, 4000), null, true);
    expect(violation?.hint).toContain("Images above 20 MB");
  });

  it("the refusal of an image that would need a crop names the accepted ratios", () => {
    const [violation] = checkPost(makeImage("image/jpeg", 300_000, 3000, 800), null, true);
    expect(violation).toMatchObject({ code: "media_dimensions_not_allowed", limit: 1.91 });
    expect(violation?.hint).toBe(
      "Crop the file to a ratio of width to height of at least 0.73 and at most 1.91. Adapting never crops.",
    );
  });

  it("the refusal of a file with too few pixels does not offer to adapt it", () => {
    const target = leastTarget(getRule("pinterest"), null, { media: [makeImage("image/jpeg", 3_000, 20, 20)] });
    const adapted = adaptTarget(target, [null], null);
    const [violation] = checkTarget(adapted.target);
    expect(violation).toMatchObject({ code: "media_dimensions_not_allowed" });
    expect(violation?.hint).toBe("Replace the file with one that fits.");
  });
});
