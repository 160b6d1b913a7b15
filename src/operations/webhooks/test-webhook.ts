// Calls an endpoint on request: with a test event, or with an earlier message.
import { callWebhook, type WebhookMessage } from "../../adapters/webhook-call.ts";
import { openWebhookSecrets } from "../../adapters/webhook-secrets.ts";
import type { Context } from "../../context.ts";
import type { testWebhook as contract, redeliver as redeliverContract } from "../../contract/webhooks.ts";
import { testEvent } from "../../domain/event-body.ts";
import { makeId } from "../../domain/ids.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { findLogEntry } from "../../store/webhooks/attempt-log.ts";
import { recordRequestedAttempt } from "../../store/webhooks/attempts.ts";
import { getWebhook, type WebhookRow } from "../../store/webhooks/endpoints.ts";
import { inWorkspace } from "../caller.ts";
import { limitTries, refuseWait } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";
import { attemptView } from "./view.ts";

export const testWebhook: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  const webhook = await getWebhook(ctx.databaseOf(workspaceId), workspaceId, params.id);
  if (webhook === undefined) throw refuseNotFound("webhook");
  const { id, event, body } = testEvent({ now: ctx.now(), entropy: ctx.entropy }, workspaceId);
  return ok(await callOnce(ctx, webhook, { id, body }, { event, attempt: 1 }));
};

export const redeliver: Run<typeof redeliverContract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  const db = ctx.databaseOf(workspaceId);
  const webhook = await getWebhook(db, workspaceId, params.id);
  const logEntry = webhook && (await findLogEntry(db, workspaceId, webhook.id, params.attempt));
  if (webhook === undefined || logEntry === undefined) throw refuseNotFound("webhook");
  const { attempt, body } = logEntry;
  if (body === null) throw refuse("event_not_kept");
  const again = { event: attempt.event, attempt: attempt.attempt + 1 };
  return ok(await callOnce(ctx, webhook, { id: attempt.eventId, body }, again));
};

async function callOnce(
  ctx: Context,
  webhook: WebhookRow,
  message: WebhookMessage,
  { event, attempt }: { event: string; attempt: number },
) {
  await limitTries(ctx, { account: ["webhook_workspace", webhook.workspaceId] });
  const secrets = await openWebhookSecrets(ctx.seal, webhook, ctx.now());
  if (secrets === null) throw refuse("key_not_configured");
  refuseWait(await ctx.takeHost(webhook.workspaceId, webhook.url));
  const answer = await callWebhook(ctx.outbound, webhook.url, message, secrets);
  const id = makeId("att", ctx.now(), ctx.entropy);
  const logged = { id, eventId: message.id, event, attempt, answer, nextAt: null };
  return attemptView(await recordRequestedAttempt(ctx.databaseOf(webhook.workspaceId), webhook, logged), message.body);
}
