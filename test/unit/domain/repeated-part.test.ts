// A thread that repeats itself is told of before its network stops it.
import { expect, it } from "vitest";
import type { PostTarget } from "../../../src/domain/posts/post-target.ts";
import { warnOfRepeats } from "../../../src/domain/posts/warning.ts";
import { findNetwork } from "../../../src/networks/index.ts";

const target = (platform: string, text: string): PostTarget => ({
  channel: "ch_1",
  rule: findNetwork(platform)?.rule ?? expect.fail("no such network"),
  text,
  textField: "/text",
  media: [],
  mediaField: "/media",
  postType: null,
  optionsField: "/overrides/ch_1",
  options: [],
});
const warned = (platform: string, ...texts: string[]) => {
  const [first = target(platform, ""), ...parts] = texts.map((text) => target(platform, text));
  return warnOfRepeats(first, parts).map(({ message }) => message.slice(0, 34));
};

it("each part that says what an earlier one says is named, on a network that refuses it", () => {
  expect(warned("x", "one", "two", "one ", "two")).toEqual([
    "Part 3 has the text of part 1, and",
    "Part 4 has the text of part 2, and",
  ]);
  expect(warned("x", "one", "two")).toEqual([]);
  expect(warned("bluesky", "one", "one")).toEqual([]);
});
