// What the plan of the Cloudflare account allows.
import type { WorkLimits } from "./work-allowance.ts";

export type AccountPlan = "free" | "paid";

export const isAccountPlan = (name: string): name is AccountPlan => name === "free" || name === "paid";

/** Whether MCP offers `subscriptions/listen`: a stream keeps its object in memory, and four all day use more than a free account has. */
export const offersListening = (plan: AccountPlan): boolean => plan === "paid";

/**
 * What one invocation of an object asks for at most before the next one goes on; null: what one does stays far below the
 * limits of the plan.
 *
 * Workers Free allows 50 subrequests (developers.cloudflare.com/workers/platform/limits) and 50 queries to D1
 * (developers.cloudflare.com/d1/platform/limits) for each invocation; both read 2026-11-24. The rest is room for calls that
 * nobody counts, such as a redirect that the platform follows.
 */
export const WORK_LIMITS: Record<AccountPlan, WorkLimits | null> = {
  free: { fetches: 40, statements: 40 },
  paid: null,
};
