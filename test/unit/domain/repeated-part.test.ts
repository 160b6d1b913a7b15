import { expect, it } from "vitest";
import type { PostTarget } from "../../../src/domain/posts/post-target.ts";
import { warnOfRepeats } from "../../../src/domain/posts/warning.ts";
import { findNetwork } from "../../../src/networks/index.ts";

const makeTarget = (platform: string, text: string): PostTarget => ({
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
const listWarnings = (platform: string, ...texts: string[]) => {
  const [first = makeTarget(platform, ""), ...parts] = texts.map((text) => makeTarget(platform, text));
  return warnOfRepeats(first, parts).map(({ message }) => message.slice(0, 34));
};

it("a warning of a repeat has the places of both thread parts", () => {
  const [first = makeTarget("x", ""), ...parts] = ["one", "two", "one"].map((text) => makeTarget("x", text));
  expect(warnOfRepeats(first, parts)).toMatchObject([{ code: "repeated_part", part: 2, repeats: 0 }]);
});

it("a warning names each thread part that repeats an earlier one, on networks that refuse repeats", () => {
  expect(listWarnings("x", "one", "two", "one ", "two")).toEqual([
    "Part 3 has the text of part 1, and",
    "Part 4 has the text of part 2, and",
  ]);
  expect(listWarnings("x", "one", "two")).toEqual([]);
  expect(listWarnings("bluesky", "one", "one")).toEqual([]);
});
