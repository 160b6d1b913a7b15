import type * as z from "zod";
import type { listAttempts, Webhook } from "../../contract/webhooks.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { secretSince } from "../../domain/webhook.ts";
import type { AttemptRow } from "../../store/webhooks/attempts.ts";
import type { WebhookRow } from "../../store/webhooks/endpoints.ts";

export function webhookView(row: WebhookRow): z.input<typeof Webhook> {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    state: row.disabledAt === null ? "enabled" : "disabled",
    disabled_reason: row.disabledReason,
    failing_since: isoOrNull(row.failingSince),
    secret_since: isoInstant(secretSince(row)),
    created_at: isoInstant(row.createdAt),
  };
}

/** `body`: what was sent, where it can be shown. */
export function attemptView(
  row: AttemptRow,
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
