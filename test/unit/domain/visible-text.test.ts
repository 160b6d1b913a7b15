import { expect, it } from "vitest";
import { toNetworkMessage } from "../../../src/domain/visible-text.ts";

it("toNetworkMessage turns a network's message into one visible line", () => {
  expect(toNetworkMessage("Bad\n\n  Request\u202e: \u200bno\u{e0041}")).toBe("Bad Request: no");
  expect(toNetworkMessage("é 日本 🙂")).toBe("é 日本 🙂");
});

it("toNetworkMessage keeps at most 500 whole characters", () => {
  expect(toNetworkMessage("🙂".repeat(600))).toBe("🙂".repeat(500));
});

it("toNetworkMessage returns undefined for a missing or invisible message", () => {
  expect(toNetworkMessage(undefined)).toBeUndefined();
  expect(toNetworkMessage(" \u200b\n")).toBeUndefined();
});
