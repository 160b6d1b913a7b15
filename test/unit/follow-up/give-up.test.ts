// A step of a follow-up that is given up ends alone: what comes after it stays due.
import { describe, expect, it } from "vitest";
import type { FollowUpStep } from "../../../src/domain/delivery/follow-up.ts";
import { MINUTE_MS } from "../../../src/domain/limits.ts";
import { giveUpFollowUp } from "../../../src/follow-up/give-up.ts";
import { NOW, type Work } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery } from "./followed-delivery.ts";

type Columns = NonNullable<Parameters<typeof followedDelivery>[0]>["columns"];
const RECHECK_AT = NOW + 9 * MINUTE_MS;
const PLAYLIST = { is: "work", kind: "playlist" } as const;
const WHY = "our own work on it failed again and again";

async function givenUp(step: FollowUpStep, columns: Columns = {}, work: readonly Work[] = []) {
  const followed = await followedDelivery({ columns, work });
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
    const { row, logs } = await givenUp(PLAYLIST, {}, [{ kind: "playlist", state, tries: 2 }]);
    expect(row.work).toMatchObject({ playlist: { state: end, tries: 2, detail: `\`playlist\`: ${WHY}` } });
    expect(row.checkAt).toBe(RECHECK_AT);
    expect(logs).toMatchObject([{ operation: "playlist" }]);
  });

  it("leaves the next piece of work due at once", async () => {
    const work = [
      { kind: "playlist", state: "due" },
      { kind: "first_comment", state: "due" },
    ] as const;
    const { row } = await givenUp(PLAYLIST, {}, work);
    expect(row).toMatchObject({ checkAt: NOW, work: { first_comment: { state: "due" } } });
  });

  it("that is not there any more changes nothing", async () => {
    const { row } = await givenUp(PLAYLIST);
    expect(row).toMatchObject({ checkAt: NOW, work: {} });
  });

  it.each([
    ["due", "failed"],
    ["sending", "unknown"],
  ] as const)("makes a first comment that is %s %s", async (state, end) => {
    const kind = "first_comment";
    const { row } = await givenUp({ is: "work", kind }, {}, [{ kind, state, tries: 1 }]);
    const detail = `the first comment: ${WHY}`;
    expect(row).toMatchObject({ work: { first_comment: { state: end, detail } }, checkAt: RECHECK_AT });
  });

  it.each(["search", "recheck"] as const)("ends a %s, and nothing of its delivery is due any more", async (is) => {
    const { row } = await givenUp({ is });
    expect(row).toMatchObject({ checkAt: null, state: "live" });
  });
});
