// A step of a follow-up that is given up ends alone: what comes after it stays due.
import { describe, expect, it } from "vitest";
import type { FollowUpStep } from "../../../src/domain/delivery/follow-up.ts";
import { MINUTE_MS } from "../../../src/domain/limits.ts";
import { giveUpFollowUp } from "../../../src/follow-up/give-up.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery } from "./followed-delivery.ts";

type Columns = NonNullable<Parameters<typeof followedDelivery>[0]>["columns"];
const RECHECK_AT = NOW + 9 * MINUTE_MS;
const WHY = "our own work on it failed again and again";

async function givenUp(step: FollowUpStep, columns: Columns = {}) {
  const followed = await followedDelivery({ columns });
  await giveUpFollowUp(followed.tools, await followed.found(), step);
  return { row: await followed.read(), logs: followed.logs };
}

describe("a step that is given up", () => {
  it("leaves a takedown unknown, and what is live is verified further on", async () => {
    const { row, logs } = await givenUp({ is: "takedown" }, { takedownState: "due" });
    expect(row).toMatchObject({
      takedownState: "unknown",
      detail: "it may not have been taken down; check the network",
      checkAt: RECHECK_AT,
    });
    const fields = { post: "post_1", channel: "ch_1", platform: "telegram", operation: "takedown" };
    expect(logs).toMatchObject([{ level: "error", event: "follow_up_given_up", ...fields }]);
  });

  it("is verified no further where a thread had stopped", async () => {
    const parts = JSON.stringify([{ id: "a", url: null, urlState: "none", at: 1, attempts: 1 }]);
    const { row } = await givenUp({ is: "takedown" }, { state: "failed", takedownState: "due", parts });
    expect(row).toMatchObject({ takedownState: "unknown", checkAt: null });
  });

  it.each([
    ["due", "failed"],
    ["sending", "unknown"],
  ] as const)("makes an addition that is %s %s, and its delivery is verified at its usual time", async (state, end) => {
    const additions = JSON.stringify({ playlist: { state, tries: 2 } });
    const { row, logs } = await givenUp({ is: "addition", name: "playlist" }, { additions });
    expect(JSON.parse(row.additions ?? "{}")).toEqual({
      playlist: { state: end, tries: 2, detail: `\`playlist\`: ${WHY}` },
    });
    expect(row.checkAt).toBe(RECHECK_AT);
    expect(logs).toMatchObject([{ operation: "addition:playlist" }]);
  });

  it("leaves the next addition and the first comment due at once", async () => {
    const due = { state: "due", tries: 0 };
    const both = await givenUp(
      { is: "addition", name: "playlist" },
      { additions: JSON.stringify({ playlist: due, other: due }) },
    );
    expect(both.row.checkAt).toBe(NOW);
    const columns = { additions: JSON.stringify({ playlist: due }), commentState: "due" } as const;
    const comment = await givenUp({ is: "addition", name: "playlist" }, columns);
    expect(comment.row).toMatchObject({ checkAt: NOW, commentState: "due" });
  });

  it.each([
    ["due", "failed"],
    ["sending", "unknown"],
  ] as const)("makes a first comment that is %s %s", async (commentState, end) => {
    const { row } = await givenUp({ is: "comment" }, { commentState, commentTries: 1 });
    expect(row).toMatchObject({ commentState: end, detail: `the first comment: ${WHY}`, checkAt: RECHECK_AT });
  });

  it.each(["search", "recheck"] as const)("ends a %s, and nothing of its delivery is due any more", async (is) => {
    const { row } = await givenUp({ is });
    expect(row).toMatchObject({ checkAt: null, state: "live" });
  });
});
