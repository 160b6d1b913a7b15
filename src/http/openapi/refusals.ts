// The refusals of each call, by status, with an example of each code.
import {
  getAccountScopes,
  getMinimumRole,
  getScopes,
  has,
  isForSessions,
  isInWorkspace,
  type Operation,
} from "../../contract/operation.ts";
import { buildRefusalExample, getBodySchema } from "../../contract/refusals.ts";
import { REFUSALS, type RefusalCode } from "../../domain/refusal-codes.ts";
import type { Schemas } from "./schemas.ts";
import type { Example, Reference, ResponseObject } from "./types.ts";

const RATE_HEADERS = {
  "RateLimit-Limit": { $ref: "#/components/headers/RateLimit" },
  "RateLimit-Remaining": { $ref: "#/components/headers/RateRemaining" },
  "RateLimit-Reset": { $ref: "#/components/headers/RateReset" },
};

/** Refusals that every call can get. */
const ALWAYS: RefusalCode[] = [
  "rate_limited",
  "internal_error",
  "database_unavailable",
  "workspace_moving",
  "daily_limit_reached",
  "service_busy",
  "too_much_for_free_plan",
];
const WITH_BODY: RefusalCode[] = [
  "body_too_large",
  "malformed_json",
  "unknown_field",
  "invalid_field",
  "missing_field",
  "too_large_to_store",
];
const WITH_CREDENTIAL: RefusalCode[] = ["unauthorized", "key_revoked", "session_expired"];

/** All codes that an operation may return, its own first. */
function listCodes(operation: Operation): RefusalCode[] {
  const codes = new Set<RefusalCode>(operation.refusals);
  const add = (when: boolean, extraCodes: RefusalCode[]) => {
    if (when) for (const code of extraCodes) codes.add(code);
  };
  add(operation.auth !== "none", WITH_CREDENTIAL);
  add(operation.auth !== "none" && operation.method !== "GET", ["csrf_refused"]);
  const isForAccountKeys = getAccountScopes(operation).length > 0;
  const isForAllKeys = operation.auth === "none" || (!isForSessions(operation.auth) && isForAccountKeys);
  add(!isForAllKeys, ["key_not_allowed"]);
  add(operation.ability !== undefined, ["not_a_member", "factor_missing"]);
  add(operation.ability !== undefined && getMinimumRole(operation) !== "viewer", ["role_missing"]);
  add(getScopes(operation).length > 0 || isForAccountKeys, ["scope_missing"]);
  add(isInWorkspace(operation.auth), ["workspace_required", "invalid_field"]);
  add(has(operation, "query"), ["invalid_field"]);
  add(has(operation, "body"), WITH_BODY);
  add(true, ALWAYS);
  return [...codes];
}

/** The responses for an operation's refusals. Their examples are added to `examples`, once for all operations. */
export function buildRefusals(
  operation: Operation,
  schemas: Schemas,
  examples: Record<string, Example>,
): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = {};
  for (const [status, codes] of Map.groupBy(listCodes(operation), (code) => REFUSALS[code].status)) {
    const exampleReferences: Record<string, Reference> = {};
    for (const code of codes) {
      const ofPost = status === 422 && operation.violations?.includes(code) === true;
      const name = ofPost ? `${code}_in_post` : code;
      examples[name] = { summary: REFUSALS[code].message, value: buildRefusalExample(code, ofPost) };
      exampleReferences[code] = { $ref: `#/components/examples/${name}` };
    }
    const body = schemas.of(getBodySchema(status, operation.violations !== undefined), "output");
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].message}`).join(" "),
      headers: {
        "X-Request-Id": { $ref: "#/components/headers/RequestId" },
        ...(status === 401 ? { "WWW-Authenticate": { $ref: "#/components/headers/Authenticate" } } : {}),
        ...(status === 429 ? RATE_HEADERS : {}),
        ...(status === 429 || status === 503 ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : {}),
      },
      content: {
        "application/json": {
          schema: { allOf: [body, { type: "object", properties: { error: { enum: codes } } }] },
          examples: exampleReferences,
        },
      },
    };
  }
  return responses;
}
