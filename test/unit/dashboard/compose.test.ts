// The composer's logic: what is sent, what is kept, and where a broken rule is shown.
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
import { findCard, splitStretches } from "../../../src/dashboard/compose/shown.ts";
import {
  brokenChannels,
  exactlyAt,
  locateViolation,
  readViolations,
  within,
} from "../../../src/dashboard/compose/violations.ts";

const draft: Draft = { ...EMPTY, text: "Hello", channels: ["ch_a", "ch_b"], labels: " winter, , launch " };
const kept: Parameters<typeof toDraft>[0] = {
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
  deliveries: [],
  labels: ["winter"],
  thread: null,
  approval: null,
  metadata: {},
  created_at: "2026-11-21T08:30:00.000Z",
  updated_at: "2026-11-21T08:30:00.000Z",
  published_at: null,
  warnings: [],
};

describe("the body of a post", () => {
  it("names an instant only as it was typed, on the workspace's clock", () => {
    const at = "2026-12-01T09:30";
    expect(buildPostBody({ ...draft, at }, "time")).toMatchObject({ publish_at: at, draft: false });
    expect(buildPostBody({ ...draft, at }, "draft")).toMatchObject({ publish_at: at, draft: true });
    expect(buildPostBody({ ...draft, at }, "slot")).toMatchObject({ publish_at: "next_slot", draft: false });
    expect(buildPostBody({ ...draft, at }, "now")).toMatchObject({ publish_at: null, draft: false });
  });

  it("leaves a time that nobody touched exactly as it was", () => {
    const edited = toDraft(kept);
    expect(edited.at).toBe("2026-12-01T09:30");
    expect(buildPostBody(edited, "time", kept).publish_at).toBe(kept.publish_at);
    expect(buildPostBody({ ...edited, at: "2026-12-01T09:31" }, "time", kept).publish_at).toBe("2026-12-01T09:31");
  });

  it("has what differs on chosen channels alone, and keeps the rest for when they are chosen again", () => {
    const one = withOverride(withOverride(draft, "ch_a", "title", "A film"), "ch_c", "title", "Not chosen");
    expect(buildPostBody(one, "now").overrides).toEqual({ ch_a: { title: "A film" } });
    const without = withOverride(one, "ch_a", "title", undefined);
    expect(buildPostBody(without, "now").overrides).toEqual({});
    expect(without.overrides.ch_c).toEqual({ title: "Not chosen" });
  });

  it("adapts images where the box is ticked", () => {
    expect(buildPostBody(draft, "now").media_fit).toBe("exact");
    expect(buildPostBody({ ...draft, mediaFit: "adapt" }, "now").media_fit).toBe("adapt");
  });

  it("has labels without what commas leave over", () => {
    expect(buildPostBody(draft, "now").labels).toEqual(["winter", "launch"]);
  });

  it("has the parts of a thread in their order, without what only tells them apart", () => {
    const thread = [
      { key: "a", text: "two", media: ["med_1"] },
      { key: "b", text: "three", media: [] },
    ];
    const sent = [
      { text: "two", media: ["med_1"] },
      { text: "three", media: [] },
    ];
    expect(buildPostBody({ ...draft, thread }, "now").thread).toEqual(sent);
    expect(buildPostBody(toDraft({ ...kept, thread: sent }), "now").thread).toEqual(sent);
  });

  it("has a file where it was added: the post, a part of its thread, or one channel", () => {
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

  it("is nothing to judge while it is empty", () => {
    expect(hasContent(EMPTY)).toBe(false);
    expect(hasContent({ ...EMPTY, text: " \n" })).toBe(false);
    expect(hasContent({ ...EMPTY, media: ["med_1"] })).toBe(true);
  });
});

it("a file moves to any place that there is, and no other", () => {
  expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
  expect(moved(["a", "b", "c"], 2, 1)).toEqual(["a", "c", "b"]);
  expect(moved(["a", "b", "c"], 0, -1)).toEqual(["a", "b", "c"]);
  expect(moved(["a", "b", "c"], 2, 3)).toEqual(["a", "b", "c"]);
});

describe("a broken rule", () => {
  const at = (field: string) => locateViolation({ code: "invalid_field", field, message: "" });

  it("is shown at the field that its pointer names", () => {
    expect(at("/text")).toEqual({ at: "text" });
    expect(at("/media")).toEqual({ at: "media" });
    expect(at("/media/2")).toEqual({ at: "file", index: 2 });
    expect(at("/publish_at")).toEqual({ at: "when" });
    expect(at("/channels/0")).toEqual({ at: "channels" });
    expect(at("/overrides/ch_a/title")).toEqual({ at: "own", channel: "ch_a", option: "title" });
    expect(at("/overrides/ch_a/a~1b")).toEqual({ at: "own", channel: "ch_a", option: "a/b" });
    expect(at("/thread")).toEqual({ at: "thread" });
    expect(at("/thread/2/text")).toEqual({ at: "part", index: 2, field: "text" });
    expect(at("/metadata/a")).toEqual({ at: "elsewhere" });
    expect(at("")).toEqual({ at: "elsewhere" });
  });

  it("of the second file is not one of the twelfth, nor of a part of the thread", () => {
    const all = ["/media", "/media/1", "/media/1/alt", "/media/11", "/thread/1/media/1"].map((field) => ({
      ...{ code: "invalid_field" as const, message: "", field },
    }));
    expect(within(all, "/media/1").map(({ field }) => field)).toEqual(["/media/1", "/media/1/alt"]);
    expect(exactlyAt(all, "/media").map(({ field }) => field)).toEqual(["/media"]);
  });

  it("is never lost: a refusal that lists none is one itself", () => {
    const refusal = new Refusal(422, {
      error: "publish_at_in_past",
      message: "Too late.",
      field: "/publish_at",
      request_id: "r",
    });
    expect(readViolations(refusal).map(locateViolation)).toEqual([{ at: "when" }]);
    expect(readViolations(new Error("no answer"))).toEqual([]);
  });

  it("of one channel leaves the others to be shown; one of the whole post does not", () => {
    const ofOne = { code: "text_too_long" as const, channel: "ch_a", message: "" };
    expect(brokenChannels([ofOne])).toEqual(["ch_a"]);
    expect(brokenChannels([ofOne, { code: "publish_at_in_past", message: "" }])).toBeNull();
  });
});

describe("a preview", () => {
  const marked = (text: string, platform: string) =>
    splitStretches(text, platform).flatMap(({ text, marked }) => (marked ? [text] : []));

  it("marks links, names and tags without the sentence around them, and loses no letter", () => {
    const text = "See https://example.com/a?b=1, (https://example.com/c). @ada.example and #news! mail@example.com #1";
    expect(marked(text, "bluesky")).toEqual([
      "https://example.com/a?b=1",
      "https://example.com/c",
      "@ada.example",
      "#news",
    ]);
    expect(marked(text, "tiktok")).toEqual(["@ada.example", "#news"]);
    expect(marked(text, "pinterest")).toEqual([]);
    for (const platform of ["bluesky", "tiktok", "pinterest"]) {
      const whole = splitStretches(text, platform).map(({ text }) => text);
      expect(whole.join("")).toBe(text);
    }
  });

  it("has the card that the network would make, and none beside files", () => {
    const link = "https://example.com/";
    const own = { link };
    expect(findCard("facebook", "", 0, own)).toEqual({ url: link, title: null, description: null });
    expect(findCard("facebook", "", 1, own)).toBeNull();
    expect(findCard("bluesky", `See ${link} now`, 0, {})).toMatchObject({ url: link });
    expect(findCard("bluesky", `See ${link} now`, 0, { link_card: "off" })).toBeNull();
    expect(findCard("telegram", link, 0, own)).toBeNull();
  });
});

describe("a text that is saved at sign-out", () => {
  it.each<[string, Partial<Draft>]>([
    ["words", { text: "one" }],
    ["words of a further part", { thread: [{ key: "a", text: "two", media: [] }] }],
    ["a file", { media: ["med_1"] }],
    ["a file of one channel", { overrides: { ch_a: { media: ["med_1"] } } }],
    ["words of a part of one channel", { overrides: { ch_a: { thread: [{ text: "two" }] } } }],
  ])("is any with %s", (_what, more) => {
    expect(isWorthKeeping({ ...EMPTY, ...more })).toBe(true);
  });

  it("is none of which only the channels were chosen", () => {
    expect(isWorthKeeping({ ...EMPTY, channels: ["ch_a"], labels: "winter" })).toBe(false);
  });
});
