import { getPlan } from "../../domain/plan.ts";
import type { Refusal } from "../../domain/refusal.ts";
import type { WorkspaceRow } from "../../store/accounts/accounts.ts";
import type { DraftGrowth, DraftRoom } from "../../store/posts/drafts.ts";
import { planLimit } from "../plan-limit.ts";

/** The room that a plan gives drafts. */
export function draftRoom({ plan }: WorkspaceRow): DraftRoom {
  const { drafts: draftsMax, draft_bytes: bytesMax } = getPlan(plan);
  return { draftsMax, bytesMax };
}

/**
 * The 402 for a change of drafts that exceeds the plan, according to the workspace as it was read; null: the plan has
 * room.
 */
export function draftLimit(workspace: WorkspaceRow, growth: DraftGrowth): Refusal | null {
  const { plan, drafts, draftBytes } = workspace;
  const { draftsMax, bytesMax } = draftRoom(workspace);
  const isOver = (used: number, increase: number, max: number | null) =>
    max !== null && increase > 0 && used + increase > max;
  if (isOver(drafts, growth.drafts, draftsMax)) return planLimit("drafts", plan, drafts);
  if (isOver(draftBytes, growth.bytes, bytesMax)) return planLimit("draft_bytes", plan, draftBytes);
  return null;
}
