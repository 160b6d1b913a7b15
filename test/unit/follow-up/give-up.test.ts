// Giving up one step of a follow-up leaves the later steps due.
import { describe, expect, it } from "vitest";
import { nextFollowUpStep } from "../../../src/domain/delivery/follow-up.ts";
import { MINUTE_MS } from "../../../src/domain/limits.ts";
import { giveUpFollowUp } from "../../../src/follow-up/give-up.ts";
import { NOW, type Work } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery } from "./followed-delivery.ts";

type Columns = NonNullable<Parameters<typeof followedDelivery>[0]>["columns"];
const RECHECK_AT = NOW + 9 * MINUTE_MS;
const TAKEDOWN = { kind: "takedown", state: "due" } as const;
const WHY = "our own work on it failed again and again";

/** Gives up the next step of a delivery. */
async function giveUpStep(columns: Columns, work: readonly Work[] = [], meanwhile: Partial<Work> = {}) {
  const followed = await followedDelivery({ columns, work });
  const found = await followed.found();
  const step = nextFollowUpStep(found.delivery, found.followUps);
  for (const { kind } of work.slice(0, Object.keys(meanwhile).length)) await followed.changeWork(kind, meanwhile);
  await giveUpFollowUp(followed.tools, found, step);
  return { row: await followed.read(), logs: followed.logs };
}

describe("a step that is given up", () => {
  it("a takedown that is given up is unknown, and the live post is still rechecked", async () => {
    const { row, logs } = await giveUpStep({}, [TAKEDOWN]);
    const takedown = { state: "unknown", detail: "it may not have been taken down; check the network" };
    expect(row).toMatchObject({ work: { takedown }, checkAt: RECHECK_AT });
    const fields = { post: "post_1", channel: "ch_1", platform: "telegram", operation: "takedown" };
    expect(logs.at(-1)).toMatchObject({ level: "error", event: "follow_up_given_up", ...fields });
  });

  it("a stopped thread whose takedown is given up is not rechecked", async () => {
    const { row } = await giveUpStep({ state: "failed" }, [TAKEDOWN]);
    expect(row).toMatchObject({ work: { takedown: { state: "unknown" } }, checkAt: null });
  });

  it.each([
    ["due", "failed"],
    ["sending", "unknown"],
  ] as const)(
    "an addition in the state %s becomes %s when it is given up, and its delivery is rechecked at its usual time",
    async (state, end) => {
      const { row, logs } = await giveUpStep({}, [{ kind: "playlist", state, tries: 2 }]);
      expect(row.work).toMatchObject({ playlist: { state: end, tries: 2, detail: `\`playlist\`: ${WHY}` } });
      expect(row.checkAt).toBe(RECHECK_AT);
      expect(logs.at(-1)).toMatchObject({ operation: "playlist" });
    },
  );

  it("the next work is due at once after an addition is given up", async () => {
    const work = [
      { kind: "playlist", state: "due" },
      { kind: "first_comment", state: "due" },
    ] as const;
    const { row } = await giveUpStep({}, work);
    expect(row).toMatchObject({ checkAt: NOW, work: { first_comment: { state: "due" } } });
  });

  it("giving up work that another process has done in the meantime changes nothing", async () => {
    const { row } = await giveUpStep({}, [{ kind: "playlist", state: "due" }], { state: "done" });
    expect(row).toMatchObject({ checkAt: NOW, work: { playlist: { state: "done" } } });
  });

  it.each([
    ["due", "failed"],
    ["sending", "unknown"],
  ] as const)("a first comment in the state %s becomes %s when it is given up", async (state, end) => {
    const kind = "first_comment";
    const { row } = await giveUpStep({}, [{ kind, state, tries: 1 }]);
    const detail = `the first comment: ${WHY}`;
    expect(row).toMatchObject({ work: { first_comment: { state: end, detail } }, checkAt: RECHECK_AT });
  });

  it.each([
    ["search", "outcome_unknown"],
    ["recheck", "live"],
  ] as const)("nothing of a delivery is due after its %s is given up", async (_step, state) => {
    const { row } = await giveUpStep({ state });
    expect(row).toMatchObject({ checkAt: null, state });
  });
});
