import { describe, expect, it } from "vitest";
import { getPlan } from "../../../../src/domain/plan.ts";
import { draftLimit, draftRoom } from "../../../../src/operations/posts/draft-limit.ts";
import { readWorkspaceRow } from "./workspace-of-two.ts";

const { drafts: draftsMax, draft_bytes: bytesMax } = getPlan("free");
const checkLimit = async (columns: object, growth: { drafts: number; bytes: number }) =>
  draftLimit(await readWorkspaceRow({ plan: "free", ...columns }), growth)?.detail.extra;

describe("a plan's room for drafts", () => {
  it("the room for drafts is defined by the plan", async () => {
    expect(draftRoom(await readWorkspaceRow({ plan: "free" }))).toEqual({ draftsMax, bytesMax });
    expect(draftRoom(await readWorkspaceRow({ plan: "unlimited" }))).toEqual({ draftsMax: null, bytesMax: null });
  });

  it("a plan accepts its last draft and rejects one more", async () => {
    const drafts = (draftsMax ?? 0) - 1;
    expect(await checkLimit({ drafts }, { drafts: 1, bytes: 5 })).toBeUndefined();
    expect(await checkLimit({ drafts: drafts + 1 }, { drafts: 1, bytes: 5 })).toMatchObject({
      limit: "drafts",
      used: draftsMax,
      allowed: draftsMax,
    });
  });

  it("a plan accepts its last byte of drafts and rejects one more", async () => {
    const draftBytes = (bytesMax ?? 0) - 5;
    expect(await checkLimit({ draftBytes }, { drafts: 0, bytes: 5 })).toBeUndefined();
    expect(await checkLimit({ draftBytes }, { drafts: 0, bytes: 6 })).toMatchObject({
      limit: "draft_bytes",
      used: draftBytes,
      allowed: bytesMax,
    });
  });

  it("a draft may shrink or be deleted even if the plan's room is exceeded", async () => {
    const over = { drafts: 2 * (draftsMax ?? 0), draftBytes: 2 * (bytesMax ?? 0) };
    expect(await checkLimit(over, { drafts: 0, bytes: 0 })).toBeUndefined();
    expect(await checkLimit(over, { drafts: -1, bytes: -5 })).toBeUndefined();
  });

  it("the room for drafts is unlimited if the plan has no limit", async () => {
    expect(
      await checkLimit({ plan: "unlimited", drafts: 1e6, draftBytes: 1e9 }, { drafts: 1, bytes: 5 }),
    ).toBeUndefined();
  });
});
