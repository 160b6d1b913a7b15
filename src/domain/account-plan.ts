// The limits of the Cloudflare account's plan.
import type { WorkLimits } from "./work-allowance.ts";

export type AccountPlan = "free" | "paid";

export const isAccountPlan = (name: string): name is AccountPlan => name === "free" || name === "paid";

/**
 * Whether MCP offers `subscriptions/listen`. A stream keeps its object in memory, and four streams open all day exceed a free
 * account's allowance.
 */
export const offersListening = (plan: AccountPlan): boolean => plan === "paid";

/**
 * How many requests an object makes in one invocation before it continues its work in the next invocation. Null if one
 * invocation stays far below the plan's limits.
 *
 * Workers Free allows 50 subrequests (developers.cloudflare.com/workers/platform/limits) and 50 queries to D1
 * (developers.cloudflare.com/d1/platform/limits) for each invocation; both read 2026-11-24. The difference is room for calls
 * that are not counted here, such as a redirect that the platform follows.
 */
export const WORK_LIMITS: Record<AccountPlan, WorkLimits | null> = {
  free: { fetches: 40, statements: 40 },
  paid: null,
};
