import type { removeWebhook as contract } from "../../contract/webhooks.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { removeWebhook as remove } from "../../store/webhooks/endpoints.ts";
import { inWorkspace } from "../caller.ts";
import { noContent, type Run } from "../run.ts";

export const removeWebhook: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  if (!(await remove(ctx.databaseOf(workspaceId), workspaceId, params.id))) throw refuseNotFound("webhook");
  return noContent;
};
