// How much room a plan has for drafts, to the last one and to the last byte.
import { describe, expect, it } from "vitest";
import { getPlan } from "../../../../src/domain/plan.ts";
import { draftLimit, draftRoom } from "../../../../src/operations/posts/draft-limit.ts";
import { readWorkspaceRow } from "./workspace-of-two.ts";

const { drafts: draftsMax, draft_bytes: bytesMax } = getPlan("free");
const limitOf = async (columns: object, growth: { drafts: number; bytes: number }) =>
  draftLimit(await readWorkspaceRow({ plan: "free", ...columns }), growth)?.detail.extra;

describe("a plan's room for drafts", () => {
  it("is defined by the plan", async () => {
    expect(draftRoom(await readWorkspaceRow({ plan: "free" }))).toEqual({ draftsMax, bytesMax });
    expect(draftRoom(await readWorkspaceRow({ plan: "unlimited" }))).toEqual({ draftsMax: null, bytesMax: null });
  });

  it("accepts the last draft and rejects one more", async () => {
    const drafts = (draftsMax ?? 0) - 1;
    expect(await limitOf({ drafts }, { drafts: 1, bytes: 5 })).toBeUndefined();
    expect(await limitOf({ drafts: drafts + 1 }, { drafts: 1, bytes: 5 })).toMatchObject({
      limit: "drafts",
      used: draftsMax,
      allowed: draftsMax,
    });
  });

  it("accepts the last byte and rejects one more", async () => {
    const draftBytes = (bytesMax ?? 0) - 5;
    expect(await limitOf({ draftBytes }, { drafts: 0, bytes: 5 })).toBeUndefined();
    expect(await limitOf({ draftBytes }, { drafts: 0, bytes: 6 })).toMatchObject({
      limit: "draft_bytes",
      used: draftBytes,
      allowed: bytesMax,
    });
  });

  it("that is overdrawn still lets a draft shrink or be deleted", async () => {
    const over = { drafts: 2 * (draftsMax ?? 0), draftBytes: 2 * (bytesMax ?? 0) };
    expect(await limitOf(over, { drafts: 0, bytes: 0 })).toBeUndefined();
    expect(await limitOf(over, { drafts: -1, bytes: -5 })).toBeUndefined();
  });

  it("is unlimited if the plan has no limit", async () => {
    expect(await limitOf({ plan: "unlimited", drafts: 1e6, draftBytes: 1e9 }, { drafts: 1, bytes: 5 })).toBeUndefined();
  });
});
