// Delivers, logs and retries the due messages of one endpoint, two calls at a time so as not to flood it.
import { errorText, log } from "../adapters/log.ts";
import { callWebhook } from "../adapters/webhook-call.ts";
import { openWebhookSecrets } from "../adapters/webhook-secrets.ts";
import type { Context } from "../context.ts";
import { buildDashboardLink } from "../domain/dashboard-link.ts";
import { makeId } from "../domain/ids.ts";
import { letter } from "../domain/letter.ts";
import { DAY_MS, MINUTE_MS } from "../domain/limits.ts";
import { disabledBy, nextAttemptAt } from "../domain/webhook.ts";
import { listOwnerEmails } from "../store/accounts/members.ts";
import { recordAttempt } from "../store/webhooks/attempts.ts";
import type { WebhookRow } from "../store/webhooks/endpoints.ts";
import { giveBack, nextMessageAt, type TakenMessage, takeMessage } from "../store/webhooks/messages.ts";

const CONCURRENT_CALLS = 2;
/** How long a message waits if the secret of its endpoint cannot be opened. */
const WITHOUT_KEY_MS = 10 * MINUTE_MS;
/** The next invocation continues a long backlog. */
const WORK_MAX_MS = 5 * MINUTE_MS;
/** The latest time until a dispatcher with pending messages runs again. */
const LOOK_AGAIN_MS = 3 * DAY_MS;

/**
 * Delivers the due messages of an endpoint. Returns when its next message is due (epoch milliseconds); null: none
 * waits.
 */
export async function dispatchWebhooks(ctx: Context, workspaceId: string, webhookId: string): Promise<number | null> {
  const db = ctx.databaseOf(workspaceId);
  const stopAt = ctx.now() + WORK_MAX_MS;
  /** No calls are made to the endpoint's host before this instant. */
  let restUntil = 0;
  const fields = { workspace: workspaceId, webhook: webhookId };
  const reportGone = () => log("error", "webhook_event_gone", fields);
  const worker = async () => {
    while (ctx.now() < stopAt && restUntil === 0) {
      const taken = await takeMessage(db, workspaceId, webhookId, reportGone);
      if (taken === null) return;
      const waitS = await ctx.takeHost(workspaceId, taken.webhook.url);
      if (waitS === 0) await attempt(ctx, taken);
      else {
        restUntil = taken.now + waitS * 1000;
        await giveBack(db, taken.webhook, taken.event.id, restUntil);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_CALLS }, worker));
  const nextAt = await nextMessageAt(db, workspaceId, webhookId);
  if (nextAt === null) return null;
  // A row may have a time for which no alarm can be set: too late, or not a number.
  const latest = ctx.now() + LOOK_AGAIN_MS;
  return Math.max(nextAt < latest ? nextAt : latest, restUntil);
}

async function attempt(ctx: Context, { webhook, event, attempt, now }: TakenMessage): Promise<void> {
  const secrets = await openWebhookSecrets(ctx.seal, webhook, ctx.now());
  // Without its secret the message cannot be signed, so it waits and uses up no attempt.
  if (secrets === null) {
    log("error", "cannot_be_opened", { workspace: webhook.workspaceId, operation: "webhook" });
    await giveBack(ctx.databaseOf(webhook.workspaceId), webhook, event.id, now + WITHOUT_KEY_MS);
    return;
  }
  const answer = await callWebhook(ctx.outbound, webhook.url, event, secrets);
  const [byte = 128] = ctx.entropy(1);
  const off = disabledBy(answer, webhook.failingSince, now);
  const nextAt = nextAttemptAt(attempt, answer, now + answer.durationMs, byte / 256);
  const id = makeId("att", ctx.now(), ctx.entropy);
  const logged = { id, eventId: event.id, event: event.event, attempt, answer, nextAt };
  const isOff = await recordAttempt(ctx.databaseOf(webhook.workspaceId), webhook, logged, off);
  const fields = { workspace: webhook.workspaceId, webhook: webhook.id };
  log(answer.outcome === "delivered" ? "info" : "warn", "webhook_attempt", { ...fields, outcome: answer.outcome });
  if (isOff && off === "failing") await tellOwners(ctx, webhook);
}

async function tellOwners(ctx: Context, { workspaceId, url }: WebhookRow): Promise<void> {
  const { mail } = ctx;
  if (mail === null) return;
  const explanation = `Crier has disabled the webhook ${url}, because it accepted no event for five days. The events of that time are in the event feed. When the endpoint works again, send a test in the settings to enable it:`;
  const link = buildDashboardLink(ctx.settings.dashboardUrl, "/settings/webhooks", workspaceId);
  for (const to of await listOwnerEmails(ctx.accounts, workspaceId)) {
    const news = letter(to, "A webhook was disabled", [explanation, { link }]);
    await mail.send(news).catch((error) => log("error", "mail_failed", { error: errorText(error) }));
  }
}
