// Bugs in the counts and limits of a month, which show when it turns.
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const instants = into<typeof import("../../../src/domain/instant.ts")>("src/domain/instant.ts");
const newPosts = into<typeof import("../../../src/store/posts/new-post.ts")>("src/store/posts/new-post.ts");
const budgets = into<typeof import("../../../src/operations/posts/budget.ts")>("src/operations/posts/budget.ts");

/** The offset of California's winter time from UTC. */
const BEHIND_MS = 8 * 3_600_000;

export const OF_MONTHS: Mutants = {
  "a post counts in the month in which it is due": {
    isTurning: true,
    injections: [
      newPosts("insertPost", (insert) => (db, made) => {
        const { countedMonth, dueAt } = made.post;
        if (countedMonth == null || dueAt == null) return insert(db, made);
        return insert(db, { ...made, post: { ...made.post, countedMonth: new Date(dueAt).toISOString().slice(0, 7) } });
      }),
    ],
  },
  "a month begins at midnight in California": {
    isTurning: true,
    injections: [instants("formatMonth", (monthOf) => (at) => monthOf(at - BEHIND_MS))],
  },
  "all posts that race for the last place of a month take it": {
    isTurning: true,
    injections: [
      newPosts(
        "insertPost",
        (insert) => (db, made) => insert(db, { ...made, postsMax: null, spend: { ...made.spend, budgets: [] } }),
      ),
    ],
  },
  "the last cent of a budget is never used": {
    isTurning: true,
    only: ["x", "bluesky"],
    injections: [
      budgets("budgetFull", (budgetFull) => (checked, spend, counted) => {
        const less = spend.budgets.map((budget) => ({ ...budget, max: budget.max - 1 }));
        return budgetFull(checked, { ...spend, budgets: less }, counted);
      }),
    ],
  },
};
