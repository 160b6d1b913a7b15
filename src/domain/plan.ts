// The plans and their limits. null = unlimited.
const MIB = 1024 ** 2;
const GIB = 1024 * MIB;

export interface Plan {
  posts_per_month: number | null;
  workspaces: number | null;
  media_bytes: number | null;
  channels: number | null;
  drafts: number | null;
  draft_bytes: number | null;
}

export const PLANS = {
  free: { posts_per_month: 30, workspaces: 1, media_bytes: GIB, channels: 3, drafts: 100, draft_bytes: 5 * MIB },
  pro: {
    posts_per_month: 1_000,
    workspaces: 5,
    media_bytes: 50 * GIB,
    channels: 50,
    drafts: 2_000,
    draft_bytes: 50 * MIB,
  },
  unlimited: {
    posts_per_month: null,
    workspaces: null,
    media_bytes: null,
    channels: null,
    drafts: null,
    draft_bytes: null,
  },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof PLANS;
export type PlanLimit = keyof Plan;

export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(PLANS, name);
}

/** The plan by its stored name; an unknown name is the smallest plan. */
export function getPlan(name: string): Plan {
  return isPlanName(name) ? PLANS[name] : PLANS.free;
}

/** Limits refunds, as a multiple of the month's posts, because posts that are created and cancelled take up space too. */
const GIVEN_BACK_FACTOR = 3;

/** How many cancelled posts are subtracted from a month's count again; null = all. */
export function givenBackMax({ posts_per_month }: Plan): number | null {
  return posts_per_month === null ? null : GIVEN_BACK_FACTOR * posts_per_month;
}
