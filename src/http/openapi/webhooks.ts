// The calls that Crier makes to webhook endpoints, one for each event.
import { Event } from "../../contract/events.ts";
import { EVENT_NAMES, WEBHOOK_TEST } from "../../domain/event.ts";
import type { Schemas } from "./schemas.ts";
import type { Document, Parameter } from "./types.ts";

/** The headers of Standard Webhooks 1.0.0. */
const HEADERS: Parameter[] = [
  ["webhook-id", "The event's id, the same for every attempt.", "string"],
  ["webhook-timestamp", "When the call was made, in Unix seconds.", "integer"],
  [
    "webhook-signature",
    "`v1,` and the HMAC-SHA256 of id, timestamp and body in base64; several are separated by spaces.",
    "string",
  ],
].map(([name = "", description = "", type = ""]) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type },
}));

export function describeWebhooks(schemas: Schemas): Document["webhooks"] {
  const schema = schemas.of(Event, "output");
  const names = [...EVENT_NAMES, WEBHOOK_TEST];
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        post: {
          operationId: `webhook.${name}`,
          tags: ["Webhooks"],
          summary: `\`${name}\` happened`,
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: { allOf: [schema, { type: "object", properties: { event: { const: name } } }] },
                examples: {},
              },
            },
          },
          responses: {
            "200": { description: "The event is accepted, as by any 2xx. Any other answer is retried.", headers: {} },
            "410": { description: "The endpoint is gone, and is disabled at once.", headers: {} },
          },
        },
      },
    ]),
  );
}
