// Money in calls: what a delivery costs.
import * as z from "zod";
import { about } from "./shapes.ts";

/** What the network charges for a delivery: of a dry run as it would be, of a post as it was accepted. */
export const cost = {
  estimated_cost_usd: z
    .number()
    .nullable()
    .meta(about("What the network charges for all parts and for all that is read of them in 30 days; null: nothing.")),
  cost: z
    .object({
      publish: z.number().meta(about("For publishing.")),
      rechecks: z.number().meta(about("For looking whether it is still there.")),
      metrics: z.number().meta(about("For its figures, where these are not read with the rechecks.")),
    })
    .nullable()
    .meta(about("The parts of the estimate, in US dollars.")),
};
export type CostShown = z.output<z.ZodObject<typeof cost>>;
