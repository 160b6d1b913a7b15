import { expect, it } from "vitest";
import { withSeen } from "../../../../src/domain/feeds/feed.ts";
import { fillTemplate, unknownNames } from "../../../../src/domain/feeds/template.ts";

const ITEM = { identity: "1", title: "One", link: "https://a.example/1", summary: "First.", author: "", date: "" };

it.each([
  ["{title}\n\n{link}", "One\n\nhttps://a.example/1"],
  ["By {author}: {title}", "By : One"],
  ["{title}\n{author}\n\n\n{summary}", "One\n\nFirst."],
  ["{title} {other}", "One {other}"],
])("fills %j", (template, text) => {
  expect(fillTemplate(template, ITEM)).toBe(text);
});

it("leaves names in an item's values and control characters alone or out", () => {
  expect(fillTemplate("{title}", { ...ITEM, title: "a {link}\u0000 b" })).toBe("a {link} b");
});

it("finds names that it does not know", () => {
  expect(unknownNames("{title} {date} {Link} {}")).toEqual(["date"]);
});

it("keeps the marks of items that are still in the document longest", () => {
  expect(withSeen(["a", "b", "c"], ["d"], ["c", "d"], 3)).toEqual(["d", "c", "a"]);
  expect(withSeen(["a"], ["a"], [], 3)).toEqual(["a"]);
});
