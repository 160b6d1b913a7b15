// Decisions of a portal's visitors.
import type { Context } from "../../context.ts";
import { ask } from "../../store/db/batch.ts";
import { type PortalDecisionRow, type PortalRow, storeDecisions } from "../../store/posts/portals.ts";
import { type DecisionResult, decideAsStranger } from "../posts/decide-as-stranger.ts";
import { readToEdit } from "../posts/update.ts";
import { isInScope } from "./scope.ts";

/** A decision on the version of a post that the visitor saw. */
export interface PortalDecision {
  post: string;
  rev: number;
  contentTag: string;
  decision: "approve" | "decline";
  reason: string;
}
interface Visitor {
  name: string;
  /** The user who is signed in in this browser; null: none, or unknown. */
  userId: string | null;
}

/** Decides one post after another, each with its own result. */
export async function decidePosts(
  ctx: Context,
  portal: PortalRow,
  { name, userId }: Visitor,
  decisions: readonly PortalDecision[],
): Promise<DecisionResult[]> {
  const deciders = [portal.createdBy, userId].filter((decider) => decider !== null);
  const results: DecisionResult[] = [];
  const decided: PortalDecisionRow[] = [];
  for (const { post: postId, ...decision } of decisions) {
    const result = await decideOne(ctx, portal, postId, { ...decision, name, deciders });
    results.push(result);
    if (result.is !== "approved" && result.is !== "declined") continue;
    const { workspaceId, id: portalId } = portal;
    const reason = result.is === "declined" ? decision.reason : null;
    const { rev, contentTag } = decision;
    decided.push({
      ...{ workspaceId, portalId, postId, rev, contentTag, reason, by: name },
      decision: decision.decision,
      decidedAt: ctx.now(),
    });
  }
  // The decisions themselves stand with the posts. A failure here only hides them from the visitors.
  await storeDecisions(ctx.accounts, decided);
  return results;
}

async function decideOne(
  ctx: Context,
  portal: PortalRow,
  postId: string,
  decision: Omit<PortalDecision, "post"> & { name: string; deciders: string[] },
): Promise<DecisionResult> {
  const { workspaceId } = portal;
  const db = ctx.databaseOf(workspaceId);
  const found = await ask(db, readToEdit(ctx, db, workspaceId, postId, {}));
  const [storedPost] = found;
  if (storedPost === undefined || !isInScope(portal, storedPost)) return { is: "closed" };
  return decideAsStranger(ctx, { ...decision, workspaceId, postId }, found);
}
