// Phrases that are hidden in a text must be in it, and not in each other.
import { expect, it } from "vitest";
import { checkSpoilers } from "../../../src/domain/posts/check-spoilers.ts";
import { threads } from "../../../src/networks/threads/index.ts";
import { leastTarget } from "../../support/post-targets.ts";

it.each([
  [["the butler", "it"], []],
  [["the cook"], ["/text_spoilers/0"]],
  [["the butler", "butler did"], ["/text_spoilers/1"]],
  [
    ["The butler", "did it", "it."],
    ["/text_spoilers/0", "/text_spoilers/2"],
  ],
  [[7, null], []],
  ["no list", []],
])("finds the phrases of %j that cannot be hidden: %j", (phrases, fields) => {
  const target = leastTarget(threads.rule, null, { text: "So the butler did it." });
  const found = [...checkSpoilers(target, phrases)].map(({ field }) => field?.replace(target.optionsField, ""));
  expect(found).toEqual(fields);
});
