// Money in calls: the cost of a delivery and the budget of a month.
import * as z from "zod";
import { isExactUsd } from "../domain/money.ts";
import { about } from "./shapes.ts";

/** The network's charge for a delivery: estimated for a dry run, and as accepted for a post. */
export const cost = {
  estimated_cost_usd: z
    .number()
    .nullable()
    .meta(about("The network's charge for all parts and for reading them for 30 days; null if there is none.")),
  cost: z
    .object({
      publish: z.number().meta(about("Cost of publishing.")),
      rechecks: z.number().meta(about("Cost of rechecking that the post is still there.")),
      metrics: z.number().meta(about("Cost of reading figures, if they are not read with the rechecks.")),
    })
    .nullable()
    .meta(about("The parts of the estimate, in US dollars.")),
};
export type CostShown = z.output<z.ZodObject<typeof cost>>;

const BUDGET_USD_MAX = 1_000_000;
/** Decimals of a dollar amount, as in `isExactUsd`. */
const DECIMALS_MAX = 6;

/** A monthly budget in US dollars; null: no limit. */
export const budgetUsd = z
  .number()
  .min(0)
  .max(BUDGET_USD_MAX)
  .refine(isExactUsd, { error: "At most six decimals" })
  // Not `multipleOf`: validators divide in floating point, where 0.07 is not a multiple of 0.000001.
  .meta({ "x-decimals": DECIMALS_MAX })
  .nullable();
