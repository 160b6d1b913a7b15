import type { removeWebhook as contract } from "../../contract/webhooks.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { removeWebhook as remove } from "../../store/webhooks/endpoints.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, type Run } from "../run.ts";

export const removeWebhook: Run<typeof contract> = async (ctx, caller, { params }) => {
  const workspaceCaller = inWorkspace(caller);
  const entry = makeEntry(ctx, workspaceCaller, "webhook.removed", { target: { id: params.id, name: null } });
  if (!(await remove(databaseToWrite(ctx, workspaceCaller), params.id, entry))) throw refuseNotFound("webhook");
  return noContent;
};
