// Compares the cost of a month's posts, at networks that charge, with the budgets of the workspace and its keys. Every
// statement that schedules or changes a post includes this condition, so concurrent statements cannot spend the same money
// twice. Triggers keep the sums (0001_schema.sql).
import { type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../domain/money.ts";
import type { Database, In } from "../db/db.ts";
import { posts, spending, usageMonths } from "../db/schema.ts";

/** Used instead of a key id for the sum of all posts of a workspace. */
export const ALL_POSTS = "";

/** The cost of a post, and the budgets that it must fit. */
export interface Spend {
  cost: Micros;
  /** The key that schedules or changes it; null: no key does. */
  keyId: string | null;
  /** The budgets that are set. `keyId`: the key, or `ALL_POSTS` for the budget of the workspace. */
  budgets: { keyId: string; max: Micros }[];
}

/** The spending of a month, by key. */
export type Spent = Partial<Record<string, Micros>>;

const spentBy = (workspaceId: string, month: SQL | string | null, keyId: string) =>
  sql`COALESCE((SELECT ${spending.cost} FROM ${spending} WHERE ${spending.workspaceId} = ${workspaceId}
    AND ${spending.month} = ${month} AND ${spending.keyId} = ${keyId}), 0)`;

/** True if the budgets have room for a new post that is counted in `month`. A post without cost always fits. */
export function newPostFits(workspaceId: string, month: string | null, { cost, budgets }: Spend): SQL {
  return budgetsFit(cost, budgets, (keyId, max) => sql`${spentBy(workspaceId, month, keyId)} + ${cost} <= ${max}`);
}

/** True if the budgets have room for `cost`, the total cost of imported posts. */
export function importedPostFits(workspaceId: string, month: string | null, budgets: Spend["budgets"], cost: SQL): SQL {
  const fits = budgets.map(({ keyId, max }) => sql`${spentBy(workspaceId, month, keyId)} + ${cost} <= ${max}`);
  return fits.length === 0 ? sql`TRUE` : sql.join(fits, sql` AND `);
}

/**
 * A condition on a row of `posts`: true if the budgets have room for the post's new cost. `month` is the month in which the
 * post will be counted, unless it is already counted. A post that does not cost more than before always fits.
 */
export function editedPostFits(workspaceId: string, month: string | null, { cost, budgets }: Spend): SQL {
  if (month === null) return sql`TRUE`;
  const countedIn = sql`COALESCE(${posts.countedMonth}, ${month})`;
  return budgetsFit(cost, budgets, (keyId, max) => {
    const isHeld = keyId === ALL_POSTS ? sql`TRUE` : sql`${posts.countedKey} IS ${keyId}`;
    const reservedCost = sql`(${posts.countedCost} * (${posts.countedMonth} IS NOT NULL AND ${isHeld}))`;
    return sql`(${cost} <= ${reservedCost} OR ${spentBy(workspaceId, countedIn, keyId)} - ${reservedCost} + ${cost} <= ${max})`;
  });
}

function budgetsFit(cost: Micros, budgets: Spend["budgets"], fits: (keyId: string, max: Micros) => SQL): SQL {
  if (cost === 0 || budgets.length === 0) return sql`TRUE`;
  return sql.join(
    budgets.map(({ keyId, max }) => fits(keyId, max)),
    sql` AND `,
  );
}

/** The statement that reads how many posts are counted in `month`, and the spending of `month` or, if set, of `spentIn`. */
export function selectUse(db: Database, workspaceId: In<string>, month: string, spentIn: SQL | string = month) {
  const use = sql`(SELECT COALESCE((SELECT ${usageMonths.posts} FROM ${usageMonths} WHERE ${usageMonths.workspaceId} = ${workspaceId}
      AND ${usageMonths.month} = ${month}), 0) AS posts,
    (SELECT json_group_object(${spending.keyId}, ${spending.cost}) FROM ${spending}
      WHERE ${spending.workspaceId} = ${workspaceId} AND ${spending.month} = ${spentIn}) AS spent) AS month_use`;
  return db
    .select({
      posts: sql<number>`month_use.posts`.as("posts"),
      spent: sql`month_use.spent`.mapWith((text: string): Spent => JSON.parse(text)).as("spent"),
    })
    .from(use);
}
