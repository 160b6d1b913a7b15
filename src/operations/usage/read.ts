import type { readUsage as contract } from "../../contract/usage.ts";
import { formatMonth, isoInstant, monthEnd } from "../../domain/instant.ts";
import { toUsd, toUsdOrNull } from "../../domain/money.ts";
import { getPlan } from "../../domain/plan.ts";
import { refuse } from "../../domain/refusal.ts";
import { mapStatements } from "../../store/db/batch.ts";
import { readUsage as read, type Usage } from "../../store/usage.ts";
import { ok, type ReadThenRun } from "../run.ts";

export const readUsage: ReadThenRun<typeof contract, { month: string; use: Usage | undefined }> = {
  read(ctx, db, workspaceId) {
    const month = formatMonth(ctx.now());
    return mapStatements(read(db, workspaceId, month), (use) => ({ month, use }));
  },
  async run(ctx, _caller, _input, { month, use }) {
    if (use === undefined) throw refuse("unauthorized");
    const plan = getPlan(use.plan);
    const against = (used: number, allowed: number | null) => ({
      used,
      allowed,
      remaining: allowed === null ? null : Math.max(0, allowed - used),
    });
    return ok({
      period: { from: `${month}-01T00:00:00.000Z`, to: isoInstant(monthEnd(month)) },
      plan: use.plan,
      posts: against(use.posts, plan.posts_per_month),
      media_bytes: against(use.stagedBytes, plan.media_bytes),
      drafts: against(use.drafts, plan.drafts),
      draft_bytes: against(use.draftBytes, plan.draft_bytes),
      spending: {
        used_usd: toUsd(use.spent),
        allowed_usd: toUsdOrNull(use.budget),
        remaining_usd: use.budget === null ? null : toUsd(Math.max(0, use.budget - use.spent)),
      },
      uploads: { available: ctx.bucket !== null },
    });
  },
};
