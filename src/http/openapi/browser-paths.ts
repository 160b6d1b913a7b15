// The addresses that a browser visits to sign in through the provider. They redirect, so they are not operations of the
// contract.
import { buildRefusalExample, getBodySchema } from "../../contract/refusals.ts";
import { REFUSALS, type RefusalCode } from "../../domain/refusal-codes.ts";
import type { Schemas } from "./schemas.ts";
import type { Document, Example, OperationObject, Parameter, ResponseObject } from "./types.ts";

const IDP: Parameter = {
  name: "idp",
  in: "path",
  required: true,
  description: "`id` of a provider in `GET /v1/auth/methods`.",
  schema: { type: "string" },
  example: "google",
};
const query = (name: string, description: string): Parameter => ({
  name,
  in: "query",
  required: false,
  description,
  schema: { type: "string" },
});

export function browserPaths(schemas: Schemas, examples: Record<string, Example>): Document["paths"] {
  const refusal = (code: RefusalCode): ResponseObject => {
    const { status, message } = REFUSALS[code];
    examples[code] = { summary: message, value: buildRefusalExample(code, false) };
    return {
      description: `\`${code}\`: ${message}`,
      headers: {
        "X-Request-Id": { $ref: "#/components/headers/RequestId" },
        ...(status === 429 ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : {}),
      },
      content: {
        "application/json": {
          schema: schemas.of(getBodySchema(status, false), "output"),
          examples: { [code]: { $ref: `#/components/examples/${code}` } },
        },
      },
    };
  };
  const redirect = (operationId: string, summary: string, description: string, to: string): OperationObject => ({
    operationId,
    tags: ["Accounts"],
    summary,
    description,
    security: [],
    parameters: [IDP],
    responses: {
      302: {
        description: to,
        headers: {
          "X-Request-Id": { $ref: "#/components/headers/RequestId" },
          Location: { description: "Where to go on.", schema: { type: "string" } },
          "Set-Cookie": {
            description: "What ties the two steps together, or the session.",
            schema: { type: "string" },
          },
        },
      },
      404: refusal("not_found"),
      500: refusal("internal_error"),
      503: refusal("sign_in_not_configured"),
    },
  });
  const start = redirect(
    "accounts.provider-start",
    "Begin to sign in through a provider",
    "Open it in a browser. The state of the sign-in is signed and lasts ten minutes.",
    "To the provider's consent screen, or to `/auth?error=provider_unavailable`.",
  );
  start.responses[429] = refusal("rate_limited");
  start.parameters = [
    IDP,
    query(
      "continue",
      "Where to go on afterwards: a request to `/oauth/authorize`, or an invitation's link, with its query. Anything else is " +
        "not gone on to.",
    ),
  ];
  const callback = redirect(
    "accounts.provider-callback",
    "Come back from the provider",
    "The provider sends the browser here. An account is matched only by an address that the provider verified.",
    "To the dashboard, or on to what `continue` named, with a session cookie, or to `/auth?error=...` with none.",
  );
  callback.parameters = [
    IDP,
    query("code", "From the provider."),
    query("state", "As it was given to the provider."),
    query("error", "From the provider, when it refused."),
  ];
  return {
    "/v1/oauth/{idp}/start": { get: start },
    "/v1/oauth/{idp}/callback": { get: callback },
  };
}
