// `crier post --split`: a thread where networks have threads, the whole text elsewhere.
import { expect, it } from "vitest";
import { splitPost } from "../../../cli/split.ts";
import { networks } from "../../../src/networks/index.ts";

const rules = networks.map(({ rule }) => JSON.parse(JSON.stringify({ ...rule, per_type: {} })));
const CHANNELS = [
  { id: "ch_x", platform: "x", tier: null },
  { id: "ch_t", platform: "telegram", tier: null },
];
const LONG = "A sentence that is not short at all, with some words in it. ".repeat(10).trim();

it("makes a thread for networks with threads, and leaves the text whole on the others", () => {
  const { text, thread, overrides } = splitPost({
    text: LONG,
    channels: CHANNELS,
    rules,
    hasFiles: false,
    linkTags: null,
    overrides: { ch_t: { silent: true } },
  });
  const parts = [text, ...(thread ?? []).map((part) => part.text)];
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.join(" ")).toBe(LONG);
  expect(overrides).toEqual({ ch_t: { text: LONG, thread: [], silent: true } });
});

it("leaves a text alone that fits, or whose networks have no threads", () => {
  const short = { channels: CHANNELS, rules, hasFiles: false, linkTags: null, overrides: undefined };
  expect(splitPost({ ...short, text: "Short" })).toEqual({ text: "Short" });
  expect(splitPost({ ...short, text: LONG, channels: CHANNELS.slice(1) })).toEqual({ text: LONG });
  expect(() => splitPost({ ...short, text: undefined })).toThrow("--split needs a text.");
});
