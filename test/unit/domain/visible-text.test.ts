import { expect, it } from "vitest";
import { toNetworkMessage } from "../../../src/domain/visible-text.ts";

it("makes one visible line of what a network said", () => {
  expect(toNetworkMessage("Bad\n\n  Request\u202e: \u200bno\u{e0041}")).toBe("Bad Request: no");
  expect(toNetworkMessage("é 日本 🙂")).toBe("é 日本 🙂");
});

it("keeps at most 500 characters and never half of one", () => {
  expect(toNetworkMessage("🙂".repeat(600))).toBe("🙂".repeat(500));
});

it("says that a network said nothing when nothing of it can be seen", () => {
  expect(toNetworkMessage(undefined)).toBeUndefined();
  expect(toNetworkMessage(" \u200b\n")).toBeUndefined();
});
