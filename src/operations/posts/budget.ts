// Checks a post's cost against the monthly budgets of its workspace and of the key that schedules or changes it.
import type { Reviewer } from "../../context.ts";
import { isoInstant, monthEnd } from "../../domain/instant.ts";
import { formatMicros, type Micros, toUsd } from "../../domain/money.ts";
import { type Refusal, refuse } from "../../domain/refusal.ts";
import { ALL_POSTS, type Spend } from "../../store/posts/spending.ts";
import type { WorkspaceCaller } from "../caller.ts";
import type { CheckedPost } from "./check.ts";
import { costOfPost, publishingAt } from "./new-delivery.ts";

/** The cost of a post that is published at `publishAt` (epoch milliseconds), and the budgets that it counts against. */
export function computeSpend(
  checked: CheckedPost,
  caller: WorkspaceCaller | Reviewer,
  publishAt: number = publishingAt(checked, null),
): Spend {
  const cost = costOfPost(checked, publishAt);
  const { budget } = checked.workspace;
  const ofWorkspace = budget === null ? [] : [{ keyId: ALL_POSTS, max: budget }];
  if (caller.kind !== "key") return { cost, keyId: null, budgets: ofWorkspace };
  const ofKey = caller.budget === null ? [] : [{ keyId: caller.keyId, max: caller.budget }];
  return { cost, keyId: caller.keyId, budgets: [...ofWorkspace, ...ofKey] };
}

/** The cost that is counted for a post before it is changed. */
export interface Counted {
  countedMonth: string | null;
  countedCost: Micros;
  countedKey: string | null;
}

/** The 402 for a new post, or for a change of a counted post, that exceeds a budget. Returns null if it fits all budgets. */
export function budgetFull(
  { workspace: { plan }, spent, month }: Pick<CheckedPost, "workspace" | "spent" | "month">,
  { cost, budgets }: Pick<Spend, "cost" | "budgets">,
  counted: Counted | null = null,
): Refusal | null {
  const isCounted = counted !== null && counted.countedMonth !== null;
  for (const { keyId, max } of budgets) {
    const isHeld = isCounted && (keyId === ALL_POSTS || keyId === counted.countedKey);
    const reservedCost = isHeld ? counted.countedCost : 0;
    const used = (spent[keyId] ?? 0) - reservedCost;
    if (cost <= reservedCost || used + cost <= max) continue;
    const begins = isoInstant(monthEnd(isCounted ? (counted.countedMonth ?? month) : month));
    const whose = keyId === ALL_POSTS ? "workspace" : "key";
    return refuse("plan_limit", {
      message: `This costs ${formatMicros(cost)}, and ${formatMicros(used)} of the ${whose}'s monthly budget of ${formatMicros(max)} is used.`,
      hint:
        `${formatMicros(used)} of ${formatMicros(max)} is used; the month begins again at ${begins}. An owner can raise the ${whose}'s ` +
        "`budget_usd`. Posts that cost nothing are still accepted.",
      extra: { limit: "budget", plan, used: toUsd(used), allowed: toUsd(max), resets_at: begins, budget_of: whose },
    });
  }
  return null;
}
