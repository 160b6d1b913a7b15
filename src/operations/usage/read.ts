import type { readUsage as contract } from "../../contract/usage.ts";
import { isoInstant, monthEnd, monthOf } from "../../domain/instant.ts";
import { planOf } from "../../domain/plan.ts";
import { refuse } from "../../domain/refusal.ts";
import { readUsage as read } from "../../store/usage.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";

export const readUsage: Run<typeof contract> = async (ctx, caller) => {
  const { workspaceId } = inWorkspace(caller);
  const month = monthOf(ctx.now());
  const use = await read(ctx.databaseOf(workspaceId), workspaceId, month);
  if (use === undefined) throw refuse("unauthorized");
  const plan = planOf(use.plan);
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
    uploads: { available: ctx.bucket !== null },
  });
};
