// A new text for a live post is checked like the text of a new post, and only offered where a network lets an app edit.
import { describe, expect, it } from "vitest";
import { whyNotEditable } from "../../../src/domain/posts/editable.ts";
import { checkLiveText } from "../../../src/domain/posts/live-text.ts";
import type { PostType } from "../../../src/domain/posts/platform-rule.ts";
import { networks } from "../../../src/networks/index.ts";

const CHANNEL = "ch_1";
const getNetwork = (platform: string) =>
  networks.find(({ rule }) => rule.platform === platform) ?? expect.fail("no network");
const POLL = { question: "Q", options: ["a", "b"], minutes: 60 };
const makePost = (parts: { media?: string[]; postType?: PostType | null; poll?: typeof POLL | null } = {}) => ({
  text: "before",
  media: [],
  overrides: {},
  poll: null,
  postType: null,
  ...parts,
});

describe("a new text for a live post", () => {
  it("a network offers edits exactly if it has a call for them, and says why it does not", () => {
    for (const { rule, editText } of networks) {
      expect([rule.platform, rule.edit.offered]).toEqual([rule.platform, editText !== undefined]);
      expect([rule.platform, rule.edit.reason !== undefined]).toEqual([rule.platform, editText === undefined]);
    }
  });

  it.each([
    ["telegram", makePost(), null],
    ["telegram", makePost({ poll: POLL }), "telegram only lets an app edit a post without a poll."],
    ["facebook", makePost({ postType: "reel" }), null],
    ["facebook", makePost({ postType: "story" }), expect.stringContaining("`post_type` feed or reel or carousel")],
    ["x", makePost(), expect.stringContaining("paying accounts")],
    ["pinterest", makePost(), expect.stringContaining("beta")],
  ])("a post on %s can be edited or says why not", (platform, post, reason) => {
    expect(whyNotEditable(getNetwork(platform).rule, post, CHANNEL)).toEqual(reason);
  });

  const check = (platform: string, text: string, media: string[] = []) =>
    checkLiveText({ text, rule: getNetwork(platform).rule, post: makePost({ media }), channel: CHANNEL });

  it("a text that fits has no violation", () => {
    expect(check("telegram", "x".repeat(4_096))).toEqual([]);
    expect(check("telegram", "x".repeat(1_024), ["med_1"])).toEqual([]);
  });

  it("a text that exceeds the caption limit is refused for a post with a file", () => {
    expect(check("telegram", "x".repeat(1_030), ["med_1"])).toMatchObject([
      { code: "text_too_long", field: "/text", limit: 1_024, over_by: 6, hint: "Remove 6 utf16." },
    ]);
  });

  it("all violations are listed at once", () => {
    const codes = check("youtube", `<${"ä".repeat(5_000)}>`).map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(["text_too_long", "character_not_allowed"]));
  });

  it("an edit cannot remove the text", () => {
    expect(check("facebook", " ", ["med_1"])).toMatchObject([{ code: "text_required", field: "/text" }]);
  });
});
