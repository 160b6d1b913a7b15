// The changes of a post since it was approved or declined.
import { describe, expect, it } from "vitest";
import { findChanges, isUnchanged } from "../../../src/dashboard/approvals/changes.ts";
import { listDiff, type Piece, wordDiff } from "../../../src/dashboard/approvals/diff.ts";

/** Marks the pieces of a diff: [-removed-] and [+added+]. */
const toMarkup = (pieces: Piece[]) =>
  pieces.map(({ is, text }) => (is === "same" ? text : is === "removed" ? `[-${text}-]` : `[+${text}+]`)).join("");
const diff = (before: string, after: string) => toMarkup(wordDiff(before, after));

describe("a word diff", () => {
  it.each([
    ["Too early.", "On Monday.", "[-Too early-][+On Monday+]."],
    ["One two three", "One three", "One [-two -]three"],
    ["One three", "One two three", "One [+two +]three"],
    ["", "All new", "[+All new+]"],
    ["All gone", "", "[-All gone-]"],
    ["same", "same", "same"],
    ["", "", ""],
    ["first\nsecond", "first\nthird", "first\n[-second-][+third+]"],
    ["It is 3.5 euros", "It is 4.5 euros", "It is [-3.5-][+4.5+] euros"],
    ["don't stop", "don't start", "don't [-stop-][+start+]"],
  ])("the word diff of %j and %j marks the changed words", (before, after, expected) => {
    expect(diff(before, after)).toBe(expected);
  });

  it("the word diff finds words that have no spaces between them", () => {
    expect(diff("今日は東京へ行きます", "今日は京都へ行きます")).toBe("今日は[-東京-][+京都+]へ行きます");
    expect(diff("我喜欢苹果", "我喜欢香蕉")).toBe("我喜欢[-苹果-][+香蕉+]");
    expect(diff("ฉันกินข้าว", "ฉันกินปลา")).toBe("ฉันกิน[-ข้าว-][+ปลา+]");
  });

  it("the word diff splits no emoji and no letter with combining marks", () => {
    expect(diff("Go 👩‍🚀", "Go 👩‍🔬")).toBe("Go [-👩‍🚀-][+👩‍🔬+]");
    expect(diff("👍🏻", "👍🏿")).toBe("[-👍🏻-][+👍🏿+]");
    expect(diff("🇩🇪🇫🇷", "🇩🇪🇮🇹")).toBe("🇩🇪[-🇫🇷-][+🇮🇹+]");
    expect(diff("cafe\u0301", "cafe")).toBe("[-cafe\u0301-][+cafe+]");
  });

  it("both texts can be restored from every word diff", () => {
    const words = ["a", " ", "  ", "b", "\n", "é", "👩‍👩‍👧", "京", ".", "-"];
    // A generator with a fixed seed makes the same texts in each run.
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor(seed / 65_536) % below;
    };
    const text = () => Array.from({ length: next(12) }, () => words[next(words.length)]).join("");
    for (let i = 0; i < 3_000; i++) {
      const [before, after] = [text(), text()];
      const pieces = wordDiff(before, after);
      const without = (which: Piece["is"]) => pieces.flatMap(({ is, text }) => (is === which ? [] : [text])).join("");
      expect(without("added"), JSON.stringify([before, after])).toBe(before);
      expect(without("removed"), JSON.stringify([before, after])).toBe(after);
    }
  });

  it("the word diff of two long, completely different texts has one removed and one added piece", () => {
    const [before, after] = ["x ".repeat(5_000), "y ".repeat(5_000)];
    expect(wordDiff(before, after)).toEqual([
      { is: "removed", text: before },
      { is: "added", text: after },
    ]);
  });
});

it("the diff of a list has the added and removed items, and whether the others changed their order", () => {
  expect(listDiff(["a", "b"], ["a", "b"])).toBeNull();
  expect(listDiff(["a", "b", "c"], ["c", "a", "d"])).toEqual({ added: ["d"], removed: ["b"], moved: true });
  expect(listDiff(["a"], ["b", "a"])).toEqual({ added: ["b"], removed: [], moved: false });
});

describe("the changes of a post", () => {
  const oldPost = {
    text: "One",
    media: ["m1"],
    thread: null,
    poll: null,
    repeat: null,
    link_tags: null,
    channels: ["c1", "c2"],
    overrides: { c1: { text: "Own", silent: true, board: { b: 1, a: 2 } } },
    publish_at: "2027-01-01T09:00:00.000Z",
    post_type: null,
    alts: { m1: "A kite", m2: null, gone: "A boat" },
  };

  it("a post is unchanged if only the order of option names differs", () => {
    const reordered = { ...oldPost, overrides: { c1: { board: { a: 2, b: 1 }, silent: true, text: "Own" } } };
    expect(isUnchanged(findChanges(oldPost, reordered))).toBe(true);
  });

  it("a change of the text is listed once for all channels without an override", () => {
    const { post, channels } = findChanges(oldPost, { ...oldPost, text: "Two" });
    expect(toMarkup(post.text ?? [])).toBe("[-One-][+Two+]");
    expect(channels).toEqual([]);
  });

  it("changes list the text, options, files and thread parts of a channel's override", () => {
    const now = {
      ...oldPost,
      overrides: { c1: { text: "Owned", board: { a: 2, b: 1 } }, c2: { media: [], thread: [{ text: "P" }] } },
    };
    const { post, channels } = findChanges(oldPost, now);
    expect(post).toEqual({ text: null, files: null, parts: [], options: [] });
    expect(channels).toMatchObject([
      { id: "c1", change: { files: null, options: [{ name: "silent", before: "true", after: null }] } },
      { id: "c2", change: { text: null, files: { removed: ["m1"] }, parts: [{ position: 1, files: null }] } },
    ]);
    expect(toMarkup(channels[0]?.change.text ?? [])).toBe("[-Own-][+Owned+]");
  });

  it("changes list the alt texts of files that the post still has", () => {
    expect(isUnchanged(findChanges(oldPost, { ...oldPost, alts: { m1: "A kite", m2: "", other: "A tree" } }))).toBe(
      true,
    );
    expect(isUnchanged(findChanges({ ...oldPost, alts: null }, oldPost))).toBe(true);
    const changes = findChanges(oldPost, { ...oldPost, alts: { m1: "A red kite", m2: "A cloud" } });
    expect(changes.alts.map(({ id, text }) => [id, toMarkup(text)])).toEqual([
      ["m1", "A [+red +]kite"],
      ["m2", "[+A cloud+]"],
    ]);
    expect(isUnchanged(changes)).toBe(false);
  });

  it.each(["text", "link", "board"])("changes of an override's %s have the old and the new value", (name) => {
    const [before, after] = [{ [name]: "https://one.example" }, { [name]: "https://two.example" }];
    const { channels } = findChanges(
      { ...oldPost, overrides: { c2: before } },
      { ...oldPost, overrides: { c2: after } },
    );
    expect(JSON.stringify(channels)).toMatch(/one.*two/);
    expect(channels[0]?.id).toBe("c2");
  });

  it("changes list the channels, the time and the type of the post", () => {
    const now = { ...oldPost, channels: ["c2", "c3"], publish_at: null, post_type: "story" as const };
    const changes = findChanges(oldPost, now);
    expect(changes).toMatchObject({
      listed: { added: ["c3"], removed: ["c1"] },
      time: { before: oldPost.publish_at, after: null },
      type: { before: null, after: "story" },
    });
    expect(isUnchanged(changes)).toBe(false);
  });
});
