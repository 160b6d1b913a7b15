// What a post costs against the month's budgets, to the last millionth of a dollar, and what a change of one that is counted takes.
import { describe, expect, it } from "vitest";
import { budgetFull, type Counted } from "../../../../src/operations/posts/budget.ts";
import { ALL_POSTS } from "../../../../src/store/posts/spending.ts";
import { readWorkspaceRow, refusal, workspaceOfTwo } from "./workspace-of-two.ts";

const MONTH = "2027-01";
type Budgets = Parameters<typeof budgetFull>[1]["budgets"];
const OF_ALL: Budgets = [{ keyId: ALL_POSTS, max: 1_000 }];
const OF_KEY: Budgets = [{ keyId: "key_1", max: 1_000 }];

async function full(spent: Record<string, number>, cost: number, budgets: Budgets, counted: Counted | null = null) {
  const workspace = await readWorkspaceRow({ plan: "unlimited" });
  return budgetFull({ workspace, spent, month: MONTH }, { cost, budgets }, counted);
}
const counted = (countedCost: number, more: Partial<Counted> = {}): Counted => ({
  countedMonth: MONTH,
  countedKey: "key_1",
  countedCost,
  ...more,
});

describe("a budget", () => {
  it("accepts a post up to the last millionth, rejects one more, and names the budget", async () => {
    expect(await full({ [ALL_POSTS]: 900 }, 100, OF_ALL)).toBeNull();
    const over = await full({ [ALL_POSTS]: 901 }, 100, OF_ALL);
    expect(over?.message).toMatch(/^This costs \S+, and \S+ of the workspace's monthly budget of \S+ is used\.$/);
    expect(over?.detail.hint).toContain("An owner can raise the workspace's `budget_usd`.");
    expect(over?.detail.hint).toContain("the month begins again at 2027-02-01T00:00:00.000Z");
    expect(over?.detail.hint).toContain("Posts that cost nothing are still accepted.");
    expect(over?.detail.extra).toEqual({
      limit: "budget",
      plan: "unlimited",
      used: 0.000901,
      allowed: 0.001,
      resets_at: "2027-02-01T00:00:00.000Z",
      budget_of: "workspace",
    });
    const ofKey = await full({ key_1: 1_000 }, 1, OF_KEY);
    expect([ofKey?.message, ofKey?.detail.extra]).toMatchObject([/the key's monthly/, { budget_of: "key" }]);
  });

  it("does not apply to a free post, even if it is overdrawn", async () => {
    expect(await full({ [ALL_POSTS]: 2_000 }, 0, OF_ALL)).toBeNull();
    expect(await full({}, 1_000, OF_ALL)).toBeNull();
    expect(await full({ other: 1_000 }, 1_000, OF_KEY)).toBeNull();
  });

  it("is enforced by the second of two budgets", async () => {
    const both = [...OF_ALL, { keyId: "key_1", max: 10 }];
    expect((await full({}, 11, both))?.detail.extra).toMatchObject({ budget_of: "key" });
  });
});

describe("a change of a post that is counted", () => {
  it("counts the difference, and a change that is not more expensive is always accepted", async () => {
    const spent = { [ALL_POSTS]: 1_000 };
    expect(await full(spent, 300, OF_ALL, counted(300))).toBeNull();
    expect(await full({ [ALL_POSTS]: 2_000 }, 299, OF_ALL, counted(300))).toBeNull();
    expect(await full(spent, 301, OF_ALL, counted(300))).not.toBeNull();
    expect(await full({ [ALL_POSTS]: 999 }, 301, OF_ALL, counted(300))).toBeNull();
  });

  it("counts its previous cost for its own key and not for another one", async () => {
    const spent = { key_1: 900 };
    expect(await full(spent, 300, OF_KEY, counted(200))).toBeNull();
    expect(await full(spent, 300, OF_KEY, counted(200, { countedKey: "key_2" }))).not.toBeNull();
    expect(await full(spent, 300, OF_KEY, counted(200, { countedMonth: null }))).not.toBeNull();
  });

  it("is refused with the name of its month", async () => {
    const over = await full({ [ALL_POSTS]: 1_000 }, 301, OF_ALL, counted(300, { countedMonth: "2026-11" }));
    expect(over?.detail.extra).toMatchObject({ resets_at: "2026-12-01T00:00:00.000Z" });
  });
});

describe("a post", () => {
  it("counts against the budget of the key that creates it, and not for a person", async () => {
    const { create, keyCaller, join } = await workspaceOfTwo({ channel: { platform: "x" } });
    const key = keyCaller("key_1");
    const poor = key.kind === "key" ? { ...key, budget: 1 } : expect.fail("it is a key");
    const over = await refusal(create({}, { as: poor }));
    expect(over.detail.extra).toMatchObject({ limit: "budget", budget_of: "key" });
    expect((await create({}, { as: await join("owner") })).status).toBe(201);
    expect((await create({}, { as: key })).status).toBe(201);
  });
});
