// Decides the status of a queued post: scheduled, or waiting for approval.
import type { Context } from "../../context.ts";
import type { Actor } from "../../domain/actor.ts";
import type { ApprovalEvent } from "../../domain/event.ts";
import { postEvent } from "../../domain/event-body.ts";
import type { Json } from "../../domain/json.ts";
import { type Approval, type ApprovalSetting, queuedAs } from "../../domain/posts/approval.ts";
import type { PostNews } from "../../store/posts/approvals.ts";
import { mayDo, refuseAbility, type WorkspaceCaller } from "../caller.ts";

/** Throws `role_missing` or `scope_missing` for a caller who may not queue at all. */
export function queuedBy(
  caller: WorkspaceCaller,
  setting: ApprovalSetting | undefined,
): "scheduled" | "awaiting_approval" {
  const may = { publish: mayDo(caller, "publish"), draft: mayDo(caller, "draft") };
  const status = queuedAs(setting ?? "none", may);
  if (status !== null) return status;
  const isEnoughToDraft = queuedAs(setting ?? "none", { publish: false, draft: true }) !== null;
  throw refuseAbility(caller, isEnoughToDraft ? "draft" : "publish");
}

/** Throws unless a caller may write drafts or publish. Either ability is enough for a post that awaits approval. */
export function refuseUnlessWriter(caller: WorkspaceCaller): void {
  if (!mayDo(caller, "draft") && !mayDo(caller, "publish")) throw refuseAbility(caller, "draft");
}

/** Builds the event of an approval request or a decision. */
export function buildApprovalEvent(
  ctx: Context,
  post: { workspaceId: string; id: string; metadata: Json },
  event: ApprovalEvent,
  approval: Approval,
  actor: Actor,
): PostNews {
  const origin = { now: approval.at, entropy: ctx.entropy };
  return { event: postEvent(origin, post, event, approval, actor), rev: approval.rev };
}

/** Notifies endpoints and members of a written post right away. If a notification is lost, the sweeper sends it. */
export function announce(ctx: Context, workspaceId: string, notify: string[]): void {
  ctx.later(ctx.webhooks.wake(workspaceId, notify));
  ctx.later(ctx.queue.send([{ kind: "notify", workspace: workspaceId }]));
}
