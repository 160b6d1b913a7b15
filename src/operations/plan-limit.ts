import { isoInstant } from "../domain/instant.ts";
import { getPlan, type PlanLimit } from "../domain/plan.ts";
import { type Refusal, refuse } from "../domain/refusal.ts";

/** The 402 that names the limit, the plan, the usage and the allowance. `resetsAt`: epoch milliseconds. */
export function planLimit(limit: PlanLimit, plan: string, used: number, resetsAt: number | null = null): Refusal {
  const allowed = getPlan(plan)[limit];
  return refuse("plan_limit", {
    message: `The plan ${plan} allows ${allowed} of ${limit}; ${used} are in use.`,
    extra: { limit, plan, used, allowed, resets_at: resetsAt === null ? null : isoInstant(resetsAt) },
  });
}
