// The names of deliveries and of their stages, which a publisher counts starts and failures at.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { getDeliveryName, getStage, listStages } from "../../../src/publisher/stages.ts";
import { posts } from "../../../src/store/db/schema.ts";
import { readDue } from "../../../src/store/deliveries/due.ts";
import { db, storedDelivery } from "../store/deliveries/stored-delivery.ts";

/** A due delivery with these columns. */
async function due(columns: Parameters<typeof storedDelivery>[0] = {}) {
  const { key } = await storedDelivery(columns);
  const thread = ["second", "third"].map((text) => ({ text, media: [] }));
  await db.update(posts).set({ thread }).where(eq(posts.workspaceId, key.workspaceId));
  const work = await readDue(db, { workspaceId: key.workspaceId, lane: 0 }, { busy: [], sendTimeoutsMs: {} });
  return (
    work.deliveries.find(({ delivery }) => delivery.postId === "post_1" && delivery.channelId === "ch_1") ??
    expect.fail("nothing is due")
  );
}

describe("the stage of a delivery", () => {
  it("is sending before it may be out, and asking since", async () => {
    expect(getStage(await due())).toBe("post_1:ch_1:0:send");
    expect(getStage(await due({ state: "reconciling", sentAt: 1, hasOpenSend: true }))).toBe("post_1:ch_1:0:ask");
  });

  it("is counted apart at each part of a thread", async () => {
    const part = { id: "1", url: null, urlState: "none", at: 1, attempts: 1 };
    const delivery = await due({ parts: JSON.stringify([part, { ...part, id: "2" }]) });
    expect(listStages(delivery)).toEqual(["post_1:ch_1:2:send", "post_1:ch_1:2:ask"]);
    expect(getDeliveryName(delivery)).toBe("post_1:ch_1");
  });
});
