import { describe, expect, it } from "vitest";
import { Refusal } from "../../../src/client/errors.ts";
import {
  buildPostBody,
  type Draft,
  EMPTY,
  hasContent,
  isWorthKeeping,
  moved,
  toDraft,
  withFile,
  withOverride,
} from "../../../src/dashboard/compose/draft.ts";
import {
  brokenChannels,
  exactlyAt,
  groupProblems,
  locateViolation,
  readViolations,
  within,
} from "../../../src/dashboard/compose/violations.ts";
import { findCard, splitStretches } from "../../../src/dashboard/ui/shown.ts";
import { describeViolation } from "../../../src/dashboard/words/violations.ts";

const draft: Draft = { ...EMPTY, text: "Hello", channels: ["ch_a", "ch_b"], labels: " winter, , launch " };
const storedPost: Parameters<typeof toDraft>[0] = {
  id: "post_1",
  status: "scheduled",
  text: "Hello",
  media: ["med_1"],
  channels: ["ch_a"],
  publish_at: "2026-12-01T08:30:15.250Z",
  publish_at_local: "2026-12-01T09:30:15.250+01:00",
  timezone: "Europe/Berlin",
  due_at: "2026-12-01T08:30:15.250Z",
  rev: 3,
  content_tag: "tag",
  overrides: { ch_a: { text: "Hello there" } },
  draft: false,
  post_type: null,
  media_fit: "exact",
  repeat: null,
  link_tags: null,
  repeat_of: null,
  repeat_status: null,
  deliveries: [],
  labels: ["winter"],
  thread: null,
  poll: null,
  approval: null,
  metadata: {},
  created_at: "2026-11-21T08:30:00.000Z",
  updated_at: "2026-11-21T08:30:00.000Z",
  published_at: null,
  warnings: [],
};

describe("the body of a post", () => {
  it("the body of a post has the time as it was typed, in the workspace's time zone", () => {
    const at = "2026-12-01T09:30";
    expect(buildPostBody({ ...draft, at }, "time")).toMatchObject({ publish_at: at, draft: false });
    expect(buildPostBody({ ...draft, at }, "draft")).toMatchObject({ publish_at: at, draft: true });
    expect(buildPostBody({ ...draft, at }, "slot")).toMatchObject({ publish_at: "next_slot", draft: false });
    expect(buildPostBody({ ...draft, at }, "now")).toMatchObject({ publish_at: null, draft: false });
  });

  it("the body of a post keeps an untouched time exactly", () => {
    const edited = toDraft(storedPost);
    expect(edited.at).toBe("2026-12-01T09:30");
    expect(buildPostBody(edited, "time", storedPost).publish_at).toBe(storedPost.publish_at);
    expect(buildPostBody({ ...edited, at: "2026-12-01T09:31" }, "time", storedPost).publish_at).toBe(
      "2026-12-01T09:31",
    );
  });

  it("the body of a post has only the overrides of chosen channels, and the draft keeps the others", () => {
    const twoOverrides = withOverride(withOverride(draft, "ch_a", "title", "A film"), "ch_c", "title", "Not chosen");
    expect(buildPostBody(twoOverrides, "now").overrides).toEqual({ ch_a: { title: "A film" } });
    const without = withOverride(twoOverrides, "ch_a", "title", undefined);
    expect(buildPostBody(without, "now").overrides).toEqual({});
    expect(without.overrides.ch_c).toEqual({ title: "Not chosen" });
  });

  it("the body of a post asks for adapted images if the box is ticked", () => {
    expect(buildPostBody(draft, "now").media_fit).toBe("exact");
    expect(buildPostBody({ ...draft, mediaFit: "adapt" }, "now").media_fit).toBe("adapt");
  });

  it("the body of a post has no empty labels", () => {
    expect(buildPostBody(draft, "now").labels).toEqual(["winter", "launch"]);
  });

  it("the body of a post has the thread parts in their order, without their keys", () => {
    const thread = [
      { key: "a", text: "two", media: ["med_1"] },
      { key: "b", text: "three", media: [] },
    ];
    const threadParts = [
      { text: "two", media: ["med_1"] },
      { text: "three", media: [] },
    ];
    expect(buildPostBody({ ...draft, thread }, "now").thread).toEqual(threadParts);
    expect(buildPostBody(toDraft({ ...storedPost, thread: threadParts }), "now").thread).toEqual(threadParts);
  });

  it("a file is added to the post, to a thread part or to the override of a channel", () => {
    const thread = [
      { key: "a", text: "two", media: [] },
      { key: "b", text: "three", media: ["med_1"] },
    ];
    const threaded = { ...draft, thread, media: ["med_1"] };
    expect(withFile(threaded, { of: "post" }, "med_2")).toMatchObject({ media: ["med_1", "med_2"], thread });
    expect(withFile(threaded, { of: "part", key: "b" }, "med_2").thread.map(({ media }) => media)).toEqual([
      [],
      ["med_1", "med_2"],
    ]);
    expect(withFile(threaded, { of: "channel", key: "ch_a" }, "med_2")).toMatchObject({
      media: ["med_1"],
      overrides: { ch_a: { media: ["med_2"] } },
    });
  });

  it("a draft has content if it has text other than spaces, or a file", () => {
    expect(hasContent(EMPTY)).toBe(false);
    expect(hasContent({ ...EMPTY, text: " \n" })).toBe(false);
    expect(hasContent({ ...EMPTY, media: ["med_1"] })).toBe(true);
  });
});

it("a file can be moved to any existing position, and to no other", () => {
  expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
  expect(moved(["a", "b", "c"], 2, 1)).toEqual(["a", "c", "b"]);
  expect(moved(["a", "b", "c"], 0, -1)).toEqual(["a", "b", "c"]);
  expect(moved(["a", "b", "c"], 2, 3)).toEqual(["a", "b", "c"]);
});

describe("a broken rule", () => {
  const locate = (field: string) => locateViolation({ code: "invalid_field", field, message: "" });

  it("a violation is shown at the field that its pointer names", () => {
    expect(locate("/text")).toEqual({ at: "text" });
    expect(locate("/media")).toEqual({ at: "media" });
    expect(locate("/media/2")).toEqual({ at: "file", index: 2 });
    expect(locate("/publish_at")).toEqual({ at: "when" });
    expect(locate("/channels/0")).toEqual({ at: "channels" });
    expect(locate("/overrides/ch_a/title")).toEqual({ at: "own", channel: "ch_a", option: "title" });
    expect(locate("/overrides/ch_a/a~1b")).toEqual({ at: "own", channel: "ch_a", option: "a/b" });
    expect(locate("/thread")).toEqual({ at: "thread" });
    expect(locate("/thread/2/text")).toEqual({ at: "part", index: 2, field: "text" });
    expect(locate("/metadata/a")).toEqual({ at: "elsewhere" });
    expect(locate("")).toEqual({ at: "elsewhere" });
  });

  it("violations of the second file exclude those of the twelfth file and of thread parts", () => {
    const violations = ["/media", "/media/1", "/media/1/alt", "/media/11", "/thread/1/media/1"].map((field) => ({
      ...{ code: "invalid_field" as const, message: "", field },
    }));
    expect(within(violations, "/media/1").map(({ field }) => field)).toEqual(["/media/1", "/media/1/alt"]);
    expect(exactlyAt(violations, "/media").map(({ field }) => field)).toEqual(["/media"]);
  });

  it("a refusal without violations counts as a violation itself", () => {
    const refusal = new Refusal(422, {
      error: "publish_at_in_past",
      message: "Too late.",
      field: "/publish_at",
      request_id: "r",
    });
    expect(readViolations(refusal).map(locateViolation)).toEqual([{ at: "when" }]);
    expect(readViolations(new Error("no answer"))).toEqual([]);
  });

  it("a violation of one channel breaks only that channel, and a violation of the whole post breaks all", () => {
    const channelViolation = { code: "text_too_long" as const, channel: "ch_a", message: "" };
    expect(brokenChannels([channelViolation])).toEqual(["ch_a"]);
    expect(brokenChannels([channelViolation, { code: "publish_at_in_past", message: "" }])).toBeNull();
  });
});

describe("the problems of a post", () => {
  it("have one button for all networks that need a file", () => {
    const missing = (platform: string, field = "/media") =>
      ({ code: "media_required", message: "", channel: `ch_${platform}`, platform, post_type: "feed", field }) as const;
    const tooLong = {
      code: "text_too_long",
      message: "",
      channel: "ch_x",
      platform: "x",
      limit: 280,
      over_by: 4,
    } as const;
    const violations = [
      missing("instagram"),
      tooLong,
      missing("tiktok"),
      missing("pinterest", "/overrides/ch_pinterest/media"),
    ];
    const problems = groupProblems(violations, describeViolation);
    expect(problems.map(({ lines, fixes }) => [lines.map(({ violation }) => violation.channel), ...fixes])).toEqual([
      [["ch_instagram", "ch_tiktok"], { kind: "add_file", field: "/media", label: "Add files" }],
      [["ch_x"], { kind: "edit_for", channel: "ch_x", label: "Edit for X" }],
      [["ch_pinterest"], { kind: "add_file", field: "/overrides/ch_pinterest/media", label: "Add files" }],
    ]);
  });

  it("are listed one by one if no button solves them", () => {
    const empty = { code: "text_required", message: "", field: "/text" } as const;
    expect(groupProblems([{ ...empty }, { ...empty }], describeViolation)).toHaveLength(2);
  });
});

describe("a preview", () => {
  const listMarked = (text: string, platform: string) =>
    splitStretches(text, platform).flatMap(({ text, marked }) => (marked ? [text] : []));

  it("a preview marks links, mentions and tags without the punctuation around them, and keeps the text", () => {
    const text = "See https://example.com/a?b=1, (https://example.com/c). @ada.example and #news! mail@example.com #1";
    expect(listMarked(text, "bluesky")).toEqual([
      "https://example.com/a?b=1",
      "https://example.com/c",
      "@ada.example",
      "#news",
    ]);
    expect(listMarked(text, "tiktok")).toEqual(["@ada.example", "#news"]);
    expect(listMarked(text, "pinterest")).toEqual([]);
    for (const platform of ["bluesky", "tiktok", "pinterest"]) {
      const whole = splitStretches(text, platform).map(({ text }) => text);
      expect(whole.join("")).toBe(text);
    }
  });

  it("a preview has the link card that the network would show, and no card if the post has files", () => {
    const link = "https://example.com/";
    const overrides = { link };
    expect(findCard("facebook", "", 0, overrides)).toEqual({ url: link, title: null, description: null });
    expect(findCard("facebook", "", 1, overrides)).toBeNull();
    expect(findCard("bluesky", `See ${link} now`, 0, {})).toMatchObject({ url: link });
    expect(findCard("bluesky", `See ${link} now`, 0, { link_card: "off" })).toBeNull();
    expect(findCard("telegram", link, 0, overrides)).toBeNull();
  });
});

describe("a text that is saved at sign-out", () => {
  it.each<[string, Partial<Draft>]>([
    ["words", { text: "one" }],
    ["words of a further part", { thread: [{ key: "a", text: "two", media: [] }] }],
    ["a file", { media: ["med_1"] }],
    ["a file of one channel", { overrides: { ch_a: { media: ["med_1"] } } }],
    ["words of a part of one channel", { overrides: { ch_a: { thread: [{ text: "two" }] } } }],
  ])("a draft with %s is saved at sign-out", (_content, content) => {
    expect(isWorthKeeping({ ...EMPTY, ...content })).toBe(true);
  });

  it("a draft with only channels and labels is not saved at sign-out", () => {
    expect(isWorthKeeping({ ...EMPTY, channels: ["ch_a"], labels: "winter" })).toBe(false);
  });
});
