import { describe, expect, it } from "vitest";
import { parseTags } from "../../../src/dashboard/media/tags.ts";
import { toCsv } from "../../../src/dashboard/posts/csv.ts";
import { findFirstFile, getPostTitle } from "../../../src/dashboard/ui/post-title.ts";

const POST = { text: "", media: [], thread: null, overrides: {} };

describe("the title of a post", () => {
  it("is the first line, cut after a whole word", () => {
    expect(getPostTitle({ ...POST, text: "Short\nand more" })).toBe("Short");
    const title = getPostTitle({ ...POST, text: "word ".repeat(40) });
    expect(title).toMatch(/^(word ){11}word…$/);
  });

  it("counts letters and not code units, so that an emoji is not cut in half", () => {
    expect(getPostTitle({ ...POST, text: "🔔".repeat(80) })).toBe(`${"🔔".repeat(60)}…`);
  });

  it("is a channel's own text or the number of files if the post has no text", () => {
    expect(getPostTitle({ ...POST, overrides: { ch_1: { text: "Only here" } } })).toBe("Only here");
    expect(getPostTitle({ ...POST, media: ["med_1"] })).toBe("One file, no text");
    expect(getPostTitle(POST)).toBe("Untitled post");
  });
});

it("shows a file of the thread or of a channel if the post itself has none", () => {
  expect(findFirstFile({ ...POST, thread: [{ text: "", media: ["med_2"] }] })).toBe("med_2");
  expect(findFirstFile({ ...POST, overrides: { ch_1: { media: ["med_3"] } } })).toBe("med_3");
  expect(findFirstFile(POST)).toBeNull();
});

it("writes no cell that a spreadsheet would run as a formula", () => {
  const post = {
    publish_at_local: "2026-12-01T09:30",
    due_at: null,
    status: "scheduled",
    text: '=HYPERLINK("x")',
    channels: ["ch_1"],
    labels: ["a", "b"],
    deliveries: [],
  };
  expect(toCsv([post], () => "X @crier").split("\r\n")[1]).toBe(
    '"2026-12-01T09:30","scheduled","\'=HYPERLINK(""x"")","X @crier","a, b",""',
  );
});

it("reads tags that are separated by commas, each once", () => {
  expect(parseTags("product, summer , product,,")).toEqual(["product", "summer"]);
});
