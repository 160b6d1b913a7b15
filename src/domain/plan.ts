// The plans and what they include. null = unlimited.
const GIB = 1024 ** 3;

export interface Plan {
  posts_per_month: number | null;
  workspaces: number | null;
  media_bytes: number | null;
  channels: number | null;
}

export const PLANS = {
  free: { posts_per_month: 30, workspaces: 1, media_bytes: GIB, channels: 3 },
  pro: { posts_per_month: 1_000, workspaces: 5, media_bytes: 50 * GIB, channels: 50 },
  unlimited: { posts_per_month: null, workspaces: null, media_bytes: null, channels: null },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof PLANS;
export type PlanLimit = keyof Plan;

export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(PLANS, name);
}

/** The plan by its stored name; a name that no table knows any more is the smallest plan. */
export function planOf(name: string): Plan {
  return isPlanName(name) ? PLANS[name] : PLANS.free;
}
