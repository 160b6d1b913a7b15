import * as z from "zod";
import { EVENT_NAMES, NAMED_EVENTS } from "../domain/event.ts";
import { LIST_LIMIT_DEFAULT, URL_LENGTH_MAX, WEBHOOKS_MAX } from "../domain/limits.ts";
import { DISABLED_REASONS, LOGGED_OUTCOMES, WEBHOOK_ATTEMPTS_MAX } from "../domain/webhook.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, addressWarnings, buildIdParams, cursor, id, instant, limit, page, pathId, refuseAs } from "./shapes.ts";

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
      about(
        "The full address for callers that may manage webhooks. Others see scheme and host: `https://example.com/...`.",
      ),
    ),
  events: z.array(z.enum(EVENT_NAMES)),
  state: z.enum(["enabled", "disabled"]),
  disabled_reason: z
    .enum(DISABLED_REASONS)
    .nullable()
    .meta(
      about(
        "`gone`: it responded with 410. `failing`: it accepted nothing for five days. A test that it accepts enables it again.",
      ),
    ),
  failing_since: instant
    .nullable()
    .meta(about("The first failure since the endpoint last accepted an event. Null if there is none.")),
  secret_since: instant.meta(about("When the secret was created.")),
  created_at: instant,
});
export const Webhook = fields.meta({ id: "Webhook", examples: [SAMPLE_WEBHOOK] });

const secret = z.string().meta(about("`whsec_` and the signing key in base64. Returned in this response only."));
const SECRET = `whsec_${"ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGUgZXhhbXBsZSE="}`;

const Attempt = z
  .object({
    id,
    event_id: id.meta(about("The `webhook-id` header, the same for every attempt.")),
    event: z.string().meta(about("An event name, or `webhook.test`.")),
    attempt: z.int().meta(about("Attempt number, starting at 1. For a skipped event, the number of earlier attempts.")),
    response_code: z.int().nullable().meta(about("Null if there was no response.")),
    outcome: z
      .enum(LOGGED_OUTCOMES)
      .meta(about("`skipped`: the endpoint was disabled and missed the event. `redeliver` sends it.")),
    ms: z.int(),
    attempted_at: instant,
    next_attempt_at: instant.nullable().meta(about("Null if there is no further attempt.")),
    body: z
      .string()
      .nullable()
      .meta(
        about(
          "The body, byte for byte. Null in the list for tests, for events that are no longer stored, and for events of channels " +
            "that the key cannot see.",
        ),
      ),
  })
  .meta({ id: "WebhookAttempt", examples: [SAMPLE_ATTEMPT] });

const url = z
  .string()
  .max(URL_LENGTH_MAX)
  .meta({ description: "A public https address.", examples: ["https://hooks.example.com/crier"] });
const events = z
  .array(z.enum(EVENT_NAMES, refuseAs("unknown_event")))
  .min(1)
  .max(20)
  .optional();

export const createWebhook = operation({
  ...plain,
  method: "POST",
  path: "/v1/webhooks",
  auth: "key_or_session",
  ability: "manage_webhooks",
  wholeWorkspace: true,
  tag: "Webhooks",
  summary: "Register a webhook endpoint",
  description:
    "Calls are signed according to Standard Webhooks 1.0.0 (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Only a 2xx response " +
    `within 15 seconds acknowledges a call. Any other outcome is retried, ${WEBHOOK_ATTEMPTS_MAX} attempts in all over ` +
    "about 75 hours. Order is not guaranteed: sort by `created_at` and `attempt`, and use `id` to detect duplicates.",
  body: z.strictObject({
    url,
    events: events.meta(
      about(
        `The events to send. Default: all but ${NAMED_EVENTS.map((name) => `\`${name}\``).join(", ")}, which must be listed.`,
      ),
    ),
  }),
  result: fields.extend({ secret, warnings: addressWarnings }).meta({
    id: "NewWebhook",
    examples: [{ ...SAMPLE_WEBHOOK, secret: SECRET, warnings: [] }],
  }),
  success: { 201: "The endpoint. Store the secret: it is not shown again." },
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
  summary: "List the workspace's webhook endpoints",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("webhooks", Webhook),
  success: { 200: `The endpoints, newest first. A workspace has at most ${WEBHOOKS_MAX}.` },
  refusals: ["unreadable_cursor"],
});

export const changeWebhook = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/webhooks/:id",
  auth: "key_or_session",
  ability: "manage_webhooks",
  wholeWorkspace: true,
  tag: "Webhooks",
  summary: "Change a webhook endpoint's address or events",
  description:
    "Fields that are left out stay, and so do the secret and the log. Events that wait for a retry go to the new address, which starts enabled.",
  params: z.object(buildIdParams(SAMPLE.webhook)),
  body: z.strictObject({ url: url.optional(), events }),
  result: fields.extend({ warnings: addressWarnings }).meta({ examples: [{ ...SAMPLE_WEBHOOK, warnings: [] }] }),
  success: { 200: "The updated endpoint." },
  refusals: ["not_found", "unknown_event", "url_not_https", "url_not_public", "url_unreachable"],
  examples: {
    "To another host": { url: "https://hooks.example.net/crier" },
    "Only failures": { events: ["delivery.failed"] },
  },
});

export const removeWebhook = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/webhooks/:id",
  auth: "key_or_session",
  ability: "manage_webhooks",
  wholeWorkspace: true,
  tag: "Webhooks",
  summary: "Delete a webhook endpoint",
  params: z.object(buildIdParams(SAMPLE.webhook)),
  success: { 204: "The endpoint receives no more events." },
  refusals: ["not_found"],
});

export const listAttempts = operation({
  ...plain,
  method: "GET",
  path: "/v1/webhooks/:id/deliveries",
  auth: "key_or_session",
  ability: "read",
  tag: "Webhooks",
  summary: "List the attempts to call an endpoint",
  params: z.object(buildIdParams(SAMPLE.webhook)),
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("deliveries", Attempt),
  success: { 200: "The attempts of the last 30 days, newest first." },
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
  description:
    "Makes one call with the event `webhook.test`. A disabled endpoint is enabled again if it accepts the event.",
  params: z.object(buildIdParams(SAMPLE.webhook)),
  result: Attempt,
  success: { 200: "The attempt and its outcome." },
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
  summary: "Rotate an endpoint's secret",
  description: "The two previous secrets also sign calls for another 24 hours.",
  params: z.object(buildIdParams(SAMPLE.webhook)),
  result: z.object({ secret }).meta({ id: "WebhookSecret", examples: [{ secret: SECRET }] }),
  success: { 200: "The new secret. Store it: it is not shown again." },
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
  summary: "Resend an attempt's event now",
  description: "Sends the same `webhook-id` and the same bytes, with a new timestamp and signature.",
  params: z.object({ ...buildIdParams(SAMPLE.webhook), attempt: pathId.meta({ examples: [SAMPLE.attempt] }) }),
  result: Attempt,
  success: { 200: "The attempt and its outcome." },
  refusals: ["not_found", "event_not_kept", "key_not_configured"],
});
