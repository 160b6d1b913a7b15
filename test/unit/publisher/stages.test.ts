// A publisher counts starts and failures for each stage of a delivery, by its name.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { getDeliveryName, getStage, listStages } from "../../../src/publisher/stages.ts";
import { posts } from "../../../src/store/db/schema.ts";
import { readDue } from "../../../src/store/deliveries/due.ts";
import { db, makeThreadPart, NOW, storedDelivery } from "../store/deliveries/stored-delivery.ts";

/** Makes a due delivery with these columns. */
async function makeDue(...[columns = {}, ...rest]: Parameters<typeof storedDelivery>) {
  const { key } = await storedDelivery(columns, ...rest);
  const thread = ["second", "third"].map((text) => ({ text, media: [] }));
  await db.update(posts).set({ thread }).where(eq(posts.workspaceId, key.workspaceId));
  const work = await readDue(db, { workspaceId: key.workspaceId, lane: 0 }, { busy: [], sendTimeoutsMs: {} });
  return (
    work.deliveries.find(({ delivery }) => delivery.postId === "post_1" && delivery.channelId === "ch_1") ??
    expect.fail("nothing is due")
  );
}

describe("the stage of a delivery", () => {
  it("the stage of a delivery is `send` before it may be published, and then `ask`", async () => {
    expect(getStage(await makeDue())).toBe("post_1:ch_1:0:send");
    expect(getStage(await makeDue({ state: "reconciling", hasOpenSend: true }))).toBe("post_1:ch_1:0:ask");
  });

  it("each part of a thread has its own stages", async () => {
    const delivery = await makeDue({ publishedAt: NOW }, [], [makeThreadPart(0), makeThreadPart(1)]);
    expect(listStages(delivery)).toEqual(["post_1:ch_1:2:send", "post_1:ch_1:2:ask"]);
    expect(getDeliveryName(delivery)).toBe("post_1:ch_1");
  });
});
