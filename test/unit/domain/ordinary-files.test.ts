// What ordinary cameras and phones make is not refused by a rule that is stricter than its network.
import { describe, expect, it } from "vitest";
import { checkTarget } from "../../../src/domain/posts/check-post.ts";
import type { MediaFacts, PostTarget } from "../../../src/domain/posts/post-target.ts";
import { createTextMeter } from "../../../src/domain/posts/text-length.ts";
import { warnOfTarget } from "../../../src/domain/posts/warning.ts";
import { findNetwork } from "../../../src/networks/index.ts";

const VIDEO: MediaFacts = {
  kind: "video",
  contentType: "video/mp4",
  bytes: 30_000_000,
  width: 1_920,
  height: 1_080,
  seconds: 30,
  alt: null,
};
const PHOTO: MediaFacts = { ...VIDEO, kind: "image", contentType: "image/jpeg", bytes: 3_000_000, seconds: null };

function target(platform: string, media: MediaFacts[]): PostTarget {
  return {
    channel: "ch_1",
    rule: findNetwork(platform)?.rule ?? expect.fail("no such network"),
    text: "a text",
    textField: "/text",
    media,
    mediaField: "/media",
    postType: null,
    optionsField: "/overrides/ch_1",
    options: [],
  };
}
const violations = (platform: string, ...media: MediaFacts[]) =>
  checkTarget(target(platform, media)).map(({ code }) => code);
const warnings = (platform: string, ...media: MediaFacts[]) =>
  warnOfTarget(target(platform, media), createTextMeter()).map(({ code }) => code);

describe("on x", () => {
  it.each([
    ["1080p", 1_920, 1_080],
    ["upright 1080p", 1_080, 1_920],
    ["4K", 3_840, 2_160],
  ])("a %s video is not refused for its pixels", (_, width, height) => {
    expect(violations("x", { ...VIDEO, width, height })).toEqual([]);
  });
});

describe("on instagram", () => {
  it.each([
    ["feed", [PHOTO]],
    ["carousel", [PHOTO, PHOTO]],
  ])("an upright 3:4 photo in a %s is warned of and not refused", (_, photos) => {
    const upright = photos.map((photo) => ({ ...photo, width: 3_024, height: 4_032 }));
    expect(violations("instagram", ...upright)).toEqual([]);
    expect(warnings("instagram", ...upright)).toEqual(photos.map(() => "aspect_may_be_refused"));
  });

  it("a photo of 4:5 and a wide one are taken without a word", () => {
    for (const height of [1_350, 800]) expect(warnings("instagram", { ...PHOTO, width: 1_080, height })).toEqual([]);
  });

  it("a photo is warned of from 0.73 up to 0.8, and only there", () => {
    const of = (width: number) => warnings("instagram", { ...PHOTO, width, height: 1_000 });
    expect([730, 799].flatMap(of)).toEqual(["aspect_may_be_refused", "aspect_may_be_refused"]);
    expect(violations("instagram", { ...PHOTO, width: 730, height: 1_000 })).toEqual([]);
    expect([800, 801].flatMap(of)).toEqual([]);
  });

  it("a photo that is narrower than 0.73 is refused", () => {
    expect(violations("instagram", { ...PHOTO, width: 720, height: 1_000 })).toEqual(["media_dimensions_not_allowed"]);
  });
});
