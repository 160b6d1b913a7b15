import * as z from "zod";
import { EVENT_NAMES, NAMED_EVENTS } from "../domain/event.ts";
import { LIST_LIMIT_DEFAULT, URL_LENGTH_MAX, WEBHOOKS_MAX } from "../domain/limits.ts";
import { DISABLED_REASONS, LOGGED_OUTCOMES, WEBHOOK_ATTEMPTS_MAX } from "../domain/webhook.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, addressWarnings, as, cursor, id, instant, limit, page, pathId, pathIdOf } from "./shapes.ts";

const SAMPLE_WEBHOOK = {
  id: SAMPLE.webhook,
  url: "https://hooks.example.com/crier",
  events: ["delivery.succeeded", "delivery.failed"],
  state: "enabled",
  disabled_reason: null,
  failing_since: null,
  secret_since: SAMPLE.created,
  created_at: SAMPLE.created,
} as const;
const SAMPLE_ATTEMPT = {
  id: SAMPLE.attempt,
  event_id: SAMPLE.event,
  event: "delivery.succeeded",
  attempt: 1,
  response_code: 204,
  outcome: "delivered",
  ms: 87,
  attempted_at: SAMPLE.created,
  next_attempt_at: null,
  body: `{"id":"${SAMPLE.event}","event":"delivery.succeeded"}`,
} as const;

const fields = z.object({
  id,
  url: z
    .string()
    .meta(
      about("Whole for those who may manage webhooks; others see scheme and host, as in `https://example.com/...`."),
    ),
  events: z.array(z.enum(EVENT_NAMES)),
  state: z.enum(["enabled", "disabled"]),
  disabled_reason: z
    .enum(DISABLED_REASONS)
    .nullable()
    .meta(
      about("`gone`: it answered 410. `failing`: it took nothing for five days. A test that it takes switches it on."),
    ),
  failing_since: instant.nullable().meta(about("The first of the failures since it last took an event; null: none.")),
  secret_since: instant.meta(about("When its secret was made.")),
  created_at: instant,
});
export const Webhook = fields.meta({ id: "Webhook", examples: [SAMPLE_WEBHOOK] });

const secret = z.string().meta(about("`whsec_` and the base64 of the key that signs. Shown in this answer only."));
const SECRET = `whsec_${"ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGUgZXhhbXBsZSE="}`;

const Attempt = z
  .object({
    id,
    event_id: id.meta(about("The `webhook-id` that was sent, the same on every attempt.")),
    event: z.string().meta(about("An event name, or `webhook.test`.")),
    attempt: z.int().meta(about("Counts from 1; of a skipped event, how many attempts there were before.")),
    response_code: z.int().nullable().meta(about("null: there was no answer.")),
    outcome: z
      .enum(LOGGED_OUTCOMES)
      .meta(about("`skipped`: the endpoint was switched off, so it missed the event. `redeliver` sends it.")),
    ms: z.int(),
    attempted_at: instant,
    next_attempt_at: instant.nullable().meta(about("null: there is no other.")),
    body: z
      .string()
      .nullable()
      .meta(
        about(
          "What was sent, byte for byte. null in the list: it was a test, its event is not kept any more, or it is of a channel " +
            "that the key does not know of.",
        ),
      ),
  })
  .meta({ id: "WebhookAttempt", examples: [SAMPLE_ATTEMPT] });

export const createWebhook = operation({
  ...plain,
  method: "POST",
  path: "/v1/webhooks",
  auth: "key_or_session",
  ability: "manage_webhooks",
  wholeWorkspace: true,
  tag: "Webhooks",
  summary: "Register an endpoint",
  description:
    "Calls are signed as Standard Webhooks 1.0.0 says (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Only 2xx " +
    `acknowledges it, within 15 seconds; everything else is tried again, ${WEBHOOK_ATTEMPTS_MAX} times in all over ` +
    "some 75 hours. The order is not promised: go by `created_at` and `attempt`, and by `id` to know what you have.",
  body: z.strictObject({
    url: z
      .string()
      .max(URL_LENGTH_MAX)
      .meta({
        description: "A public https address.",
        examples: ["https://hooks.example.com/crier"],
      }),
    events: z
      .array(z.enum(EVENT_NAMES, as("unknown_event")))
      .min(1)
      .max(20)
      .optional()
      .meta(
        about(
          `The events that it gets. Left out: all but ${NAMED_EVENTS.map((name) => `\`${name}\``).join(", ")}, which must be named.`,
        ),
      ),
  }),
  result: fields.extend({ secret, warnings: addressWarnings }).meta({
    id: "NewWebhook",
    examples: [{ ...SAMPLE_WEBHOOK, secret: SECRET, warnings: [] }],
  }),
  success: { 201: "Registered. Keep the secret: it is not shown again." },
  refusals: [
    "unknown_event",
    "url_not_https",
    "url_not_public",
    "url_unreachable",
    "too_many_webhooks",
    "key_not_configured",
  ],
  examples: {
    "What went out and what did not": {
      url: "https://hooks.example.com/crier",
      events: ["delivery.succeeded", "delivery.failed"],
    },
  },
});

export const listWebhooks = operation({
  ...plain,
  method: "GET",
  path: "/v1/webhooks",
  auth: "key_or_session",
  ability: "read",
  tag: "Webhooks",
  summary: "The workspace's endpoints",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("webhooks", Webhook),
  success: { 200: `Newest first; a workspace has at most ${WEBHOOKS_MAX}.` },
  refusals: ["unreadable_cursor"],
});

export const removeWebhook = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/webhooks/:id",
  auth: "key_or_session",
  ability: "manage_webhooks",
  wholeWorkspace: true,
  tag: "Webhooks",
  summary: "Remove an endpoint",
  params: z.object(pathIdOf(SAMPLE.webhook)),
  success: { 204: "It gets no more events." },
  refusals: ["not_found"],
});

export const listAttempts = operation({
  ...plain,
  method: "GET",
  path: "/v1/webhooks/:id/deliveries",
  auth: "key_or_session",
  ability: "read",
  tag: "Webhooks",
  summary: "Attempts to reach an endpoint",
  params: z.object(pathIdOf(SAMPLE.webhook)),
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("deliveries", Attempt),
  success: { 200: "Newest first, of the last 30 days." },
  refusals: ["not_found", "unreadable_cursor"],
});

export const testWebhook = operation({
  ...plain,
  method: "POST",
  path: "/v1/webhooks/:id/test",
  auth: "key_or_session",
  ability: "manage_webhooks",
  wholeWorkspace: true,
  tag: "Webhooks",
  summary: "Send an endpoint a test event now",
  description: "One call with the event `webhook.test`. An endpoint that was switched off is on again if it takes it.",
  params: z.object(pathIdOf(SAMPLE.webhook)),
  result: Attempt,
  success: { 200: "How it went." },
  refusals: ["not_found", "key_not_configured"],
});

export const rotateSecret = operation({
  ...plain,
  method: "POST",
  path: "/v1/webhooks/:id/rotate-secret",
  auth: "key_or_session",
  ability: "manage_webhooks",
  wholeWorkspace: true,
  tag: "Webhooks",
  summary: "Give an endpoint a new secret",
  description: "The last two secrets before it go on signing beside it for 24 hours.",
  params: z.object(pathIdOf(SAMPLE.webhook)),
  result: z.object({ secret }).meta({ id: "WebhookSecret", examples: [{ secret: SECRET }] }),
  success: { 200: "The new secret. Keep it: it is not shown again." },
  refusals: ["not_found", "key_not_configured"],
});

export const redeliver = operation({
  ...plain,
  method: "POST",
  path: "/v1/webhooks/:id/deliveries/:attempt/redeliver",
  auth: "key_or_session",
  ability: "manage_webhooks",
  wholeWorkspace: true,
  tag: "Webhooks",
  summary: "Send what an attempt sent once more, now",
  description: "The same `webhook-id` and the same bytes, with a fresh timestamp and signature.",
  params: z.object({ ...pathIdOf(SAMPLE.webhook), attempt: pathId.meta({ examples: [SAMPLE.attempt] }) }),
  result: Attempt,
  success: { 200: "How it went." },
  refusals: ["not_found", "event_not_kept", "key_not_configured"],
});
