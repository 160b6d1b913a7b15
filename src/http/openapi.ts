// The OpenAPI 3.1 document, made from the schemas that validate the calls and from the table of errors.
import * as z from "zod";
import { operations } from "../contract/index.ts";
import { has, type Operation } from "../contract/operation.ts";
import { REFUSALS, type RefusalCode } from "../domain/refusal.ts";

type Schema = Record<string, unknown>;

/** Refusals that a call can get whatever it does. */
const ALWAYS: RefusalCode[] = ["rate_limited", "internal_error"];
const WITH_BODY: RefusalCode[] = [
  "body_too_large",
  "malformed_json",
  "unknown_field",
  "invalid_field",
  "missing_field",
];
const WITH_CREDENTIAL: RefusalCode[] = ["unauthorized", "key_revoked", "session_expired", "csrf_refused"];

/** The document of the deployment at `baseUrl`. */
export function openApi(baseUrl: string, version: string): Schema {
  const schemas: Record<string, unknown> = { Error: ERROR };
  const toSchema = (schema: z.ZodType, io: "input" | "output"): Schema => {
    const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
    for (const [id, definition] of Object.entries($defs)) schemas[id] = hoist(definition);
    return hoist(json);
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(id, operation, toSchema) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Crier",
      version,
      description: "One post to many networks: on time, exactly as written, never twice.",
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A workspace key, or a session token with `X-Workspace`.",
        },
      },
    },
  };
}

const ERROR: Schema = {
  type: "object",
  required: ["error", "message", "request_id"],
  properties: {
    error: { type: "string", enum: Object.keys(REFUSALS) },
    message: { type: "string" },
    hint: { type: "string" },
    field: { type: "string", description: "JSON pointer into the request." },
    violations: { type: "array", items: { type: "object" }, description: "All broken rules of a post." },
    request_id: { type: "string" },
  },
};

/** References of one schema point to its own `$defs`; in the document they are components. */
function hoist(schema: unknown): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function describe(
  id: string,
  operation: Operation,
  toSchema: (schema: z.ZodType, io: "input" | "output") => Schema,
): Schema {
  const parameters = [
    ...parametersOf(operation, "params", "path", toSchema),
    ...parametersOf(operation, "query", "query", toSchema),
    ...(operation.auth === "key_or_session"
      ? [
          {
            name: "X-Workspace",
            in: "header",
            required: false,
            schema: { type: "string" },
            description: "Required with a session.",
          },
        ]
      : []),
    ...(operation.idempotent === true
      ? [
          {
            name: "Idempotency-Key",
            in: "header",
            required: false,
            schema: { type: "string", minLength: 1, maxLength: 255 },
          },
        ]
      : []),
  ];
  const successes = Object.entries(operation.success).map(([status, description]) => [
    status,
    has(operation, "result") && status !== "204"
      ? { description, content: { "application/json": { schema: toSchema(operation.result, "output") } } }
      : { description },
  ]);
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(operation.auth === "none" ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(has(operation, "body")
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: toSchema(operation.body, "input") } },
          },
        }
      : {}),
    responses: { ...Object.fromEntries(successes), ...refusalsOf(operation) },
  };
}

function parametersOf(
  operation: Operation,
  part: "params" | "query",
  where: "path" | "query",
  toSchema: (schema: z.ZodType, io: "input" | "output") => Schema,
): Schema[] {
  if (!has(operation, part)) return [];
  const { properties = {} } = toSchema(operation[part], "output");
  return Object.entries(properties as Record<string, Schema>).map(([name, schema]) => ({
    name,
    in: where,
    required: where === "path",
    schema,
  }));
}

function refusalsOf(operation: Operation): Record<string, Schema> {
  const codes = new Set<RefusalCode>([
    ...operation.refusals,
    ...(operation.auth === "none" ? [] : WITH_CREDENTIAL),
    ...(operation.auth === "session" ? (["key_not_allowed"] as const) : []),
    ...(operation.auth === "key_or_session" ? (["workspace_required", "invalid_field", "not_a_member"] as const) : []),
    ...(has(operation, "body") ? WITH_BODY : []),
    ...ALWAYS,
  ]);
  const byStatus = Map.groupBy(codes, (code) => String(REFUSALS[code].status));
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].message}`).join(" "),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    ]),
  );
}
