// Suggests a field for a misspelt name, or for another service's name of the field.
import { describe, expect, it } from "vitest";
import { hintOfUnknown, nearestName } from "../../../src/domain/nearest-name.ts";

const POST = ["text", "channels", "media", "publish_at", "draft", "overrides", "post_type", "dry_run", "metadata"];

describe("nearestName", () => {
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
  ])("the unknown name %s suggests %s", (name, intended) => {
    expect(nearestName(name, POST)).toBe(intended);
  });

  it.each(["colour", "x", "", "constructor", "__proto__", "z".repeat(100_000)])(
    "the unknown name %j suggests nothing",
    (name) => {
      expect(nearestName(name, POST)).toBeNull();
    },
  );

  it("a synonym suggests nothing if the call does not have the field", () => {
    expect(nearestName("scheduled_at", ["email", "password"])).toBeNull();
  });
});

it("the hint has the suggested name, or else all allowed names", () => {
  expect(hintOfUnknown("scheduled_at", POST)).toBe("Did you mean `publish_at`?");
  expect(hintOfUnknown("colour", ["text", "draft"])).toBe("Allowed names: `text`, `draft`.");
  expect(hintOfUnknown("colour", [])).toBe("Leave it out.");
});
