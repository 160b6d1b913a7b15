import type { listAttempts as attemptsContract, listWebhooks as contract } from "../../contract/webhooks.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { listLog } from "../../store/webhooks/attempt-log.ts";
import { getWebhook, listWebhooks as readWebhooks } from "../../store/webhooks/endpoints.ts";
import { inWorkspace, mayDo } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { eventView } from "../events/list.ts";
import { reachesChannel } from "../reach.ts";
import { ok, type Run } from "../run.ts";
import { attemptView, webhookView } from "./view.ts";

export const listWebhooks: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const before = readCursor(query.cursor, "wh");
  const webhookRows = await readWebhooks(ctx.databaseOf(workspaceId), workspaceId, query.limit + 1, before);
  const { rows, next } = buildPage(webhookRows, query.limit);
  const isWhole = mayDo(caller, "manage_webhooks");
  return ok({ webhooks: rows.map((row) => webhookView(row, isWhole)), next });
};

export const listAttempts: Run<typeof attemptsContract> = async (ctx, caller, { params, query }) => {
  const { workspaceId } = inWorkspace(caller);
  const db = ctx.databaseOf(workspaceId);
  const before = readCursor(query.cursor, "att");
  if ((await getWebhook(db, workspaceId, params.id)) === undefined) throw refuseNotFound("webhook");
  const attemptRows = await listLog(db, workspaceId, params.id, query.limit + 1, before);
  const { rows, next } = buildPage(
    attemptRows.map(({ attempt, body }) => ({ ...attempt, body })),
    query.limit,
  );
  // An event that the key may not see in the feed is hidden here too.
  const toVisibleBody = (body: string | null) =>
    body !== null && reachesChannel(caller, eventView(body).channel) ? body : null;
  return ok({ deliveries: rows.map(({ body, ...row }) => attemptView(row, toVisibleBody(body))), next });
};
