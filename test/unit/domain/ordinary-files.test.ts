// No rule is stricter than its network for the files of ordinary cameras and phones.
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

function makeTarget(platform: string, media: MediaFacts[]): PostTarget {
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
const findViolations = (platform: string, ...media: MediaFacts[]) =>
  checkTarget(makeTarget(platform, media)).map(({ code }) => code);
const findWarnings = (platform: string, ...media: MediaFacts[]) =>
  warnOfTarget(makeTarget(platform, media), createTextMeter()).map(({ code }) => code);

describe("on x", () => {
  it.each([
    ["1080p", 1_920, 1_080],
    ["upright 1080p", 1_080, 1_920],
    ["4K", 3_840, 2_160],
  ])("X accepts the size of a %s video", (_, width, height) => {
    expect(findViolations("x", { ...VIDEO, width, height })).toEqual([]);
  });
});

describe("on instagram", () => {
  it.each([
    ["feed", [PHOTO]],
    ["carousel", [PHOTO, PHOTO]],
  ])("an upright 3:4 photo in a %s on Instagram gets a warning and is not refused", (_, photos) => {
    const upright = photos.map((photo) => ({ ...photo, width: 3_024, height: 4_032 }));
    expect(findViolations("instagram", ...upright)).toEqual([]);
    expect(findWarnings("instagram", ...upright)).toEqual(photos.map(() => "aspect_may_be_refused"));
  });

  it("a 4:5 photo and a wide photo get no warning on Instagram", () => {
    for (const height of [1_350, 800])
      expect(findWarnings("instagram", { ...PHOTO, width: 1_080, height })).toEqual([]);
  });

  it("a photo gets a warning on Instagram if its ratio is at least 0.73 and less than 0.8", () => {
    const warnOfWidth = (width: number) => findWarnings("instagram", { ...PHOTO, width, height: 1_000 });
    expect([730, 799].flatMap(warnOfWidth)).toEqual(["aspect_may_be_refused", "aspect_may_be_refused"]);
    expect(findViolations("instagram", { ...PHOTO, width: 730, height: 1_000 })).toEqual([]);
    expect([800, 801].flatMap(warnOfWidth)).toEqual([]);
  });

  it("a photo with a ratio of less than 0.73 is refused on Instagram", () => {
    expect(findViolations("instagram", { ...PHOTO, width: 720, height: 1_000 })).toEqual([
      "media_dimensions_not_allowed",
    ]);
  });
});
