// The thumbnail of a video is checked by its network's limits, and reported under its own field.
import { describe, expect, it } from "vitest";
import { checkTarget } from "../../../src/domain/posts/check-post.ts";
import { usesFiles } from "../../../src/domain/posts/post.ts";
import type { MediaFacts, PostTarget } from "../../../src/domain/posts/post-target.ts";
import { findNetwork } from "../../../src/networks/index.ts";

const VIDEO: MediaFacts = {
  kind: "video",
  contentType: "video/mp4",
  bytes: 300_000,
  width: 1_280,
  height: 720,
  seconds: 10,
  alt: null,
};
const PICTURE: MediaFacts = { ...VIDEO, kind: "image", contentType: "image/jpeg", seconds: null };

const findCodes = (platform: string, thumbnail: MediaFacts, media = [VIDEO]) => {
  const target: PostTarget = {
    channel: "ch_1",
    rule: findNetwork(platform)?.rule ?? expect.fail("no such network"),
    text: "a text",
    textField: "/text",
    media,
    mediaField: "/media",
    thumbnail,
    postType: null,
    optionsField: "/overrides/ch_1",
    options: ["thumbnail_media"],
  };
  return checkTarget(target).map(({ code, field }) => [code, field]);
};
const AT = "/overrides/ch_1/thumbnail_media";

describe.each(["youtube", "facebook", "linkedin"])("on %s", (platform) => {
  it("a thumbnail within the limits is accepted", () => {
    expect(findCodes(platform, PICTURE)).toEqual([]);
  });

  it("a thumbnail that is a video, of another type or too large is refused", () => {
    expect(findCodes(platform, VIDEO)).toEqual([["media_format_not_allowed", AT]]);
    expect(findCodes(platform, { ...PICTURE, contentType: "image/webp" })).toEqual([["media_format_not_allowed", AT]]);
    expect(findCodes(platform, { ...PICTURE, bytes: 60_000_000 })).toEqual([["media_too_large", AT]]);
  });
});

it("a thumbnail is refused in a post without a video", () => {
  expect(findCodes("facebook", PICTURE, [PICTURE])).toEqual([["invalid_option", AT]]);
  expect(findCodes("linkedin", PICTURE, [])).toEqual([["media_required", "/media"]]);
});

it("a post whose only file is a thumbnail uses files", () => {
  const post = { media: [], thread: null, overrides: { ch_1: { thumbnail_media: "med_1" } } };
  expect(usesFiles(post)).toBe(true);
});
