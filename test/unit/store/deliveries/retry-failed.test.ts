import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { missedDeadline } from "../../../../src/domain/delivery/decide-outcome.ts";
import { DAY_MS } from "../../../../src/domain/limits.ts";
import { posts } from "../../../../src/store/db/schema.ts";
import { retryFailed } from "../../../../src/store/deliveries/stop-unsent.ts";
import { db, listForbiddenStates, makeThreadPart, NOW, storedDelivery } from "./stored-delivery.ts";

const failed = {
  state: "failed",
  nextAt: null,
  lastTry: { retries: 6, error: "content_refused", detail: "no", networkMessage: null },
  publishKey: "sealed",
  checkAt: NOW,
  isHeldBack: true,
} as const;

/** A thread that stopped after a published part. */
const stopped = { ...failed, publishedAt: NOW } as const;

describe("a retry", () => {
  it("a delivery that is retried days later is due from now on, and does not miss its deadline", async () => {
    const stored = await storedDelivery({ ...failed, scheduledFor: NOW - 3 * DAY_MS });
    expect(await retryFailed(db, stored.key, false)).toBe(true);
    const row = await stored.read();
    expect(row).toMatchObject({ scheduledFor: NOW, nextAt: NOW, state: "retry_wait" });
    expect(missedDeadline({ scheduledFor: row.scheduledFor ?? 0 }, NOW)).toBe(false);
  });

  it("a retried delivery has all its attempts again, and no publish key", async () => {
    const stored = await storedDelivery(failed);
    await retryFailed(db, stored.key, false);
    expect(await stored.read()).toMatchObject({
      lastTry: null,
      publishKey: null,
      checkAt: null,
      isHeldBack: false,
      hasOpenSend: false,
      session: null,
      version: 4,
    });
    expect(await stored.readPost()).toMatchObject({ status: "scheduled", finishedAt: null });
  });

  it("a retry of a thread clears a takedown that the network refused", async () => {
    const parts = [makeThreadPart(0)];
    const stored = await storedDelivery(stopped, [{ kind: "takedown", state: "failed", tries: 1 }], parts);
    expect(await retryFailed(db, stored.key, false)).toBe(true);
    expect(await stored.read()).toMatchObject({ state: "retry_wait", threadParts: parts });
    expect((await stored.read()).work).toEqual({});
  });

  it("a retry of a delivery with an unknown outcome needs the owner's confirmation", async () => {
    const stored = await storedDelivery({ ...failed, state: "outcome_unknown", hasOpenSend: true });
    const before = await stored.read();
    expect(await retryFailed(db, stored.key, false)).toBe(false);
    expect(await stored.read()).toEqual(before);
    expect(await retryFailed(db, stored.key, true)).toBe(true);
    expect(await stored.read()).toMatchObject({ state: "retry_wait", hasOpenSend: false });
  });

  it.each(listForbiddenStates("retried"))(
    "a retry does not change a delivery that is %s, even with the owner's confirmation",
    async (state) => {
      const stored = await storedDelivery({ ...failed, state });
      const before = await stored.read();
      expect(await retryFailed(db, stored.key, true)).toBe(false);
      expect(await stored.read()).toEqual(before);
    },
  );

  it("a retry does not change a delivery of a cancelled post", async () => {
    const stored = await storedDelivery(failed);
    await db.update(posts).set({ cancelledAt: NOW }).where(eq(posts.workspaceId, stored.key.workspaceId));
    expect(await retryFailed(db, stored.key, true)).toBe(false);
    expect(await stored.read()).toMatchObject({ state: "failed" });
  });

  it.each([
    ["is being taken down", [makeThreadPart(0)], "due"],
    ["may have been taken down", [makeThreadPart(0)], "unknown"],
    ["has a part that was taken down", [makeThreadPart(0, { isRemoved: true }), makeThreadPart(1)], "failed"],
  ] as const)("a retry does not change a thread that %s", async (_reason, parts, state) => {
    const stored = await storedDelivery(stopped, [{ kind: "takedown", state }], parts);
    expect(await retryFailed(db, stored.key, true)).toBe(false);
    expect(await stored.read()).toMatchObject({ state: "failed", work: { takedown: { state } } });
  });
});
