// Budgets limit the cost of posts in a month, exact to a millionth of a dollar. A changed post counts with the difference of its costs.
import { describe, expect, it } from "vitest";
import { budgetFull, type Counted } from "../../../../src/operations/posts/budget.ts";
import { ALL_POSTS } from "../../../../src/store/posts/spending.ts";
import { catchRefusal, readWorkspaceRow, setUpWorkspace } from "./workspace-of-two.ts";

const MONTH = "2027-01";
type Budgets = Parameters<typeof budgetFull>[1]["budgets"];
const OF_ALL: Budgets = [{ keyId: ALL_POSTS, max: 1_000 }];
const OF_KEY: Budgets = [{ keyId: "key_1", max: 1_000 }];

async function checkBudgets(
  spent: Record<string, number>,
  cost: number,
  budgets: Budgets,
  makeCounted: Counted | null = null,
) {
  const workspace = await readWorkspaceRow({ plan: "unlimited" });
  return budgetFull({ workspace, spent, month: MONTH }, { cost, budgets }, makeCounted);
}
const makeCounted = (countedCost: number, fields: Partial<Counted> = {}): Counted => ({
  countedMonth: MONTH,
  countedKey: "key_1",
  countedCost,
  ...fields,
});

describe("a budget", () => {
  it("a budget accepts a post up to the last millionth of a dollar, and the refusal of a more expensive post names the budget", async () => {
    expect(await checkBudgets({ [ALL_POSTS]: 900 }, 100, OF_ALL)).toBeNull();
    const refused = await checkBudgets({ [ALL_POSTS]: 901 }, 100, OF_ALL);
    expect(refused?.message).toMatch(/^This costs \S+, and \S+ of the workspace's monthly budget of \S+ is used\.$/);
    expect(refused?.detail.hint).toContain("An owner can raise the workspace's `budget_usd`.");
    expect(refused?.detail.hint).toContain("the month begins again at 2027-02-01T00:00:00.000Z");
    expect(refused?.detail.hint).toContain("Posts that cost nothing are still accepted.");
    expect(refused?.detail.extra).toEqual({
      limit: "budget",
      plan: "unlimited",
      used: 0.000901,
      allowed: 0.001,
      resets_at: "2027-02-01T00:00:00.000Z",
      budget_of: "workspace",
    });
    const refusedByKey = await checkBudgets({ key_1: 1_000 }, 1, OF_KEY);
    expect([refusedByKey?.message, refusedByKey?.detail.extra]).toMatchObject([
      /the key's monthly/,
      { budget_of: "key" },
    ]);
  });

  it("a budget does not apply to a free post, even if it is exceeded", async () => {
    expect(await checkBudgets({ [ALL_POSTS]: 2_000 }, 0, OF_ALL)).toBeNull();
    expect(await checkBudgets({}, 1_000, OF_ALL)).toBeNull();
    expect(await checkBudgets({ other: 1_000 }, 1_000, OF_KEY)).toBeNull();
  });

  it("the second of two budgets is enforced, too", async () => {
    const twoBudgets = [...OF_ALL, { keyId: "key_1", max: 10 }];
    expect((await checkBudgets({}, 11, twoBudgets))?.detail.extra).toMatchObject({ budget_of: "key" });
  });
});

describe("a change of a post that is counted", () => {
  it("a changed post counts with the difference, and a change without further costs is always accepted", async () => {
    const spent = { [ALL_POSTS]: 1_000 };
    expect(await checkBudgets(spent, 300, OF_ALL, makeCounted(300))).toBeNull();
    expect(await checkBudgets({ [ALL_POSTS]: 2_000 }, 299, OF_ALL, makeCounted(300))).toBeNull();
    expect(await checkBudgets(spent, 301, OF_ALL, makeCounted(300))).not.toBeNull();
    expect(await checkBudgets({ [ALL_POSTS]: 999 }, 301, OF_ALL, makeCounted(300))).toBeNull();
  });

  it("the previous cost of a changed post counts only for its own key", async () => {
    const spent = { key_1: 900 };
    expect(await checkBudgets(spent, 300, OF_KEY, makeCounted(200))).toBeNull();
    expect(await checkBudgets(spent, 300, OF_KEY, makeCounted(200, { countedKey: "key_2" }))).not.toBeNull();
    expect(await checkBudgets(spent, 300, OF_KEY, makeCounted(200, { countedMonth: null }))).not.toBeNull();
  });

  it("the refusal of a change names the end of the post's month", async () => {
    const refused = await checkBudgets(
      { [ALL_POSTS]: 1_000 },
      301,
      OF_ALL,
      makeCounted(300, { countedMonth: "2026-11" }),
    );
    expect(refused?.detail.extra).toMatchObject({ resets_at: "2026-12-01T00:00:00.000Z" });
  });
});

describe("a post", () => {
  it("a post counts towards the budget of the key that creates it, and towards no key's budget if a person creates it", async () => {
    const { create, keyCaller, join } = await setUpWorkspace({ channel: { platform: "x" } });
    const key = keyCaller("key_1");
    const poor = key.kind === "key" ? { ...key, budget: 1 } : expect.fail("it is a key");
    const refused = await catchRefusal(create({}, { as: poor }));
    expect(refused.detail.extra).toMatchObject({ limit: "budget", budget_of: "key" });
    expect((await create({}, { as: await join("owner") })).status).toBe(201);
    expect((await create({}, { as: key })).status).toBe(201);
  });
});
