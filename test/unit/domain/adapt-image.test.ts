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

const image = (contentType: string, bytes: number, width: number, height: number): MediaFacts =>
  file("image", { contentType, bytes, width, height });
const PHOTO = image("image/jpeg", 4_500_000, 4032, 3024);
const TRANSPARENT = { isAnimated: false, hasAlpha: true };
const ANIMATED = { isAnimated: true, hasAlpha: false };

const ruleNamed = (platform: string) => {
  const network = findNetwork(platform);
  if (network === undefined) throw new Error(`no network ${platform}`);
  return network.rule;
};
function planFor(platform: string, facts: MediaFacts, traits: Parameters<typeof planImage>[2] = null) {
  const target = { rule: ruleNamed(platform), postType: null };
  return planImage(facts, (contentType) => fileRule(target, { ...facts, contentType }), traits);
}
const WITH_IMAGES = networks.filter(({ rule }) => rule.image !== null).map(({ rule }) => rule.platform);

describe("planImage", () => {
  it("leaves a file alone that the network takes", () => {
    expect(planFor("instagram", image("image/jpeg", 900_000, 1440, 1800))).toBeNull();
  });

  it("plans a 12 MP photo for every network that takes images so that no rule is broken", () => {
    for (const platform of WITH_IMAGES) {
      const target = leastTarget(ruleNamed(platform), null, { media: [PHOTO] });
      const adapted = adaptTarget(target, [null], null);
      expect(checkTarget(adapted.target).filter(({ field }) => field?.startsWith("/media"))).toEqual([]);
    }
  });

  it("plans a JPEG of a HEIC photo for every network that takes images so that no rule is broken", () => {
    const heic = { ...PHOTO, contentType: "image/heic", bytes: 1_400_000 };
    for (const platform of WITH_IMAGES) {
      const target = leastTarget(ruleNamed(platform), null, { media: [heic] });
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

  it("plans fewer bytes at the same pixels where only the bytes are too many", () => {
    expect(planFor("bluesky", PHOTO)).toEqual({
      contentType: "image/jpeg",
      width: 4032,
      height: 3024,
      maxBytes: 2_000_000,
      isTooLarge: true,
      changes: [],
    });
  });

  it("converts a PNG to JPEG for a network that takes no PNG", () => {
    expect(planFor("instagram", image("image/png", 300_000, 800, 800))).toMatchObject({
      contentType: "image/jpeg",
      changes: ["format"],
    });
  });

  it("keeps a transparent PNG a PNG where the network takes PNG, and makes it JPEG where it does not", () => {
    const large = image("image/png", 9_000_000, 2000, 2000);
    expect(planFor("x", large, TRANSPARENT)).toMatchObject({ contentType: "image/png" });
    expect(planFor("instagram", large, TRANSPARENT)).toMatchObject({ contentType: "image/jpeg" });
  });

  it("never plans an animated image", () => {
    expect(planFor("instagram", image("image/gif", 300_000, 800, 800), ANIMATED)).toBeNull();
    expect(planFor("x", image("image/gif", 90_000_000, 800, 800), ANIMATED)).toBeNull();
  });

  it("plans nothing for an image that is too large for the converter", () => {
    expect(planFor("telegram", image("image/png", 20_000_000, 4000, 3000))).not.toBeNull();
    expect(planFor("telegram", image("image/png", 20_000_001, 4000, 3000))).toBeNull();
    expect(planFor("telegram", image("image/png", 900_000, 12_001, 3000))).toBeNull();
    expect(planFor("telegram", image("image/png", 900_000, 12_000, 8_400))).toBeNull();
  });

  it("plans nothing where the pixels or the format are not known", () => {
    expect(planFor("instagram", file("image", { contentType: "image/png", bytes: 1 }))).toBeNull();
    expect(planFor("instagram", file("image", { width: 10, height: 10 }))).toBeNull();
  });

  it("plans nothing for a video", () => {
    expect(planFor("x", file("video", { contentType: "video/mp4", bytes: 1e12, width: 10, height: 10 }))).toBeNull();
  });

  it("scales to the pixels in all, and to width plus height", () => {
    const size = (platform: string, bytes: number) => {
      const plan = planFor(platform, image("image/jpeg", bytes, 8064, 6048)) ?? expect.fail("nothing is planned");
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
  it("never goes above the scale, and never changes the ratio by more than a pixel", () => {
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

  it("goes from quality 92 to 75 and then to fewer pixels", () => {
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

  it("skips a quality that could not be enough", () => {
    expect(nextEncoding(plan, firstEncoding(plan), 4_000_000, 1)?.quality).toBe(75);
  });

  it("only scales a PNG, which has no quality", () => {
    const png: ImagePlan = { ...plan, contentType: "image/png" };
    expect(nextEncoding(png, firstEncoding(png), 8_000_000, 1)).toMatchObject({ width: 1860, height: 1395 });
  });

  it("gives up after eight encodings", () => {
    let encoding: ReturnType<typeof nextEncoding> = firstEncoding(plan);
    let tries = 0;
    while (encoding !== null) encoding = nextEncoding(plan, encoding, 2_000_001, ++tries);
    expect(tries).toBe(8);
  });
});

describe("a refusal that adapting could help against", () => {
  const instagram = ruleNamed("instagram");
  const refused = (facts: MediaFacts, traits: Parameters<typeof planImage>[2], adapts: boolean) => {
    const target = leastTarget(instagram, null, { media: [facts] });
    return checkTarget(adapts ? adaptTarget(target, [traits], null).target : target);
  };

  it("offers to convert a file that an exact post would be refused for", () => {
    const [violation] = refused(image("image/png", 300_000, 800, 800), null, false);
    expect(violation).toMatchObject({ code: "media_format_not_allowed" });
    expect(violation?.hint).toContain('`media_fit: "adapt"`');
  });

  it("says that an animated image is not converted", () => {
    const [violation] = refused(image("image/gif", 300_000, 800, 800), ANIMATED, true);
    expect(violation).toMatchObject({ code: "media_format_not_allowed" });
    expect(violation?.hint).toContain("Animated images are not adapted");
  });

  it("says that an image is too large to be converted", () => {
    const [violation] = refused(image("image/png", 24_000_000, 4000, 4000), null, true);
    expect(violation?.hint).toContain("Images above 20 MB");
  });

  it("refuses a ratio that only a crop could fix, and names the ratios that are accepted", () => {
    const [violation] = refused(image("image/jpeg", 300_000, 3000, 800), null, true);
    expect(violation).toMatchObject({ code: "media_dimensions_not_allowed", limit: 1.91 });
    expect(violation?.hint).toBe(
      "Crop the file to a ratio of width to height of at least 0.73 and at most 1.91. Adapting never crops.",
    );
  });

  it("says nothing of it about a file that has too few pixels", () => {
    const target = leastTarget(ruleNamed("pinterest"), null, { media: [image("image/jpeg", 3_000, 20, 20)] });
    const adapted = adaptTarget(target, [null], null);
    const [violation] = checkTarget(adapted.target);
    expect(violation).toMatchObject({ code: "media_dimensions_not_allowed" });
    expect(violation?.hint).toBe("Replace the file with one that fits.");
  });
});
