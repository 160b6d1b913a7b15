// The field that somebody meant who wrote another service's name for it, or a slip.
import { describe, expect, it } from "vitest";
import { hintOfUnknown, nearestName } from "../../../src/domain/nearest-name.ts";

const POST = ["text", "channels", "media", "publish_at", "draft", "overrides", "post_type", "dry_run", "metadata"];

describe("the name that is meant by", () => {
  it.each([
    ["scheduled_at", "publish_at"],
    ["scheduledAt", "publish_at"],
    ["publishAt", "publish_at"],
    ["publish-at", "publish_at"],
    ["pubilsh_at", "publish_at"],
    ["content", "text"],
    ["txet", "text"],
    ["accounts", "channels"],
    ["chanels", "channels"],
    ["images", "media"],
    ["dryRun", "dry_run"],
    ["type", "post_type"],
  ])("%s is %s", (name, meant) => {
    expect(nearestName(name, POST)).toBe(meant);
  });

  it.each(["colour", "x", "", "constructor", "__proto__", "z".repeat(100_000)])("%j is none", (name) => {
    expect(nearestName(name, POST)).toBeNull();
  });

  it("a synonym is none where the call has no such field", () => {
    expect(nearestName("scheduled_at", ["email", "password"])).toBeNull();
  });
});

it("says the near name, or else all there are", () => {
  expect(hintOfUnknown("scheduled_at", POST)).toBe("Did you mean `publish_at`?");
  expect(hintOfUnknown("colour", ["text", "draft"])).toBe("Allowed names: `text`, `draft`.");
  expect(hintOfUnknown("colour", [])).toBe("Leave it out.");
});
