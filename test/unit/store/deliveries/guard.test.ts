import { describe, expect, it } from "vitest";
import { type DeliveryGuard, isLeftBy, type LeftRow } from "../../../../src/store/deliveries/guard.ts";

const key = { workspaceId: "ws", postId: "post", channelId: "ch" };
const guard: DeliveryGuard = { key, session: "mine", fencingToken: 5, version: 3, since: 0 };
const row: LeftRow = { ...key, session: "mine", state: "sending", version: 4, sentAt: 0, now: 0 };

describe("a row that a session left", () => {
  it("a row that a session left is recognized by its delivery and its session", () => {
    expect(isLeftBy(guard)(row)).toBe(true);
  });

  it.each<Partial<LeftRow>>([
    { session: "another" },
    { workspaceId: "another" },
    { postId: "another" },
    { channelId: "another" },
  ])("a row of another delivery or session is not recognized: %o", (changes) => {
    expect(isLeftBy(guard)({ ...row, ...changes })).toBe(false);
  });
});
