import type * as z from "zod";
import type { listAttempts, Webhook } from "../../contract/webhooks.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { secretSince } from "../../domain/webhook.ts";
import type { LoggedRow } from "../../store/webhooks/attempt-log.ts";
import type { WebhookRow } from "../../store/webhooks/endpoints.ts";

/**
 * An endpoint as a caller sees it. Its address may contain a secret, so only callers who may manage webhooks
 * (`isWhole`) see all of it.
 */
export function webhookView(row: WebhookRow, isWhole: boolean): z.input<typeof Webhook> {
  return {
    id: row.id,
    url: isWhole ? row.url : `${new URL(row.url).origin}/...`,
    events: row.events,
    state: row.disabledAt === null ? "enabled" : "disabled",
    disabled_reason: row.disabledReason,
    failing_since: isoOrNull(row.failingSince),
    secret_since: isoInstant(secretSince(row)),
    created_at: isoInstant(row.createdAt),
  };
}

/** `body`: the sent body, if it can be shown. */
export function attemptView(
  row: LoggedRow,
  body: string | null,
): z.input<(typeof listAttempts)["result"]>["deliveries"][number] {
  return {
    id: row.id,
    event_id: row.eventId,
    event: row.event,
    attempt: row.attempt,
    response_code: row.responseCode,
    outcome: row.outcome,
    ms: row.durationMs,
    attempted_at: isoInstant(row.attemptedAt),
    next_attempt_at: isoOrNull(row.nextAttemptAt),
    body,
  };
}
