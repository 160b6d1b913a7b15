// One operation of the contract in OpenAPI.
import {
  type Auth,
  getAccountScopes,
  getMinimumRole,
  getScopes,
  has,
  isInWorkspace,
  type Operation,
} from "../../contract/operation.ts";
import { buildRefusals } from "./refusals.ts";
import { listExamples, type Schemas } from "./schemas.ts";
import type {
  Content,
  ContentByType,
  Example,
  OperationObject,
  Parameter,
  Reference,
  ResponseObject,
  Schema,
} from "./types.ts";

const SECURITY: Record<Auth, Record<string, string[]>[]> = {
  none: [],
  session: [{ session: [] }, { sessionCookie: [] }],
  session_in_workspace: [{ session: [] }, { sessionCookie: [] }],
  key_or_session: [{ workspaceKey: [] }, { session: [] }, { sessionCookie: [] }],
};

/** The credentials that admit a call. */
function listSecurity(operation: Operation): Record<string, string[]>[] {
  const isForAccountKeys = getAccountScopes(operation).length > 0;
  return [...SECURITY[operation.auth], ...(isForAccountKeys ? [{ accountKey: [] }] : [])];
}

export function describeOperation(
  id: string,
  operation: Operation,
  schemas: Schemas,
  examples: Record<string, Example>,
): OperationObject {
  const parameters: (Parameter | Reference)[] = [
    ...buildParameters(operation, "params", "path", schemas),
    ...buildParameters(operation, "query", "query", schemas),
    ...(isInWorkspace(operation.auth) ? [component("Workspace"), component("WorkspaceQuery")] : []),
    ...(operation.idempotent === true ? [component("IdempotencyKey")] : []),
    ...(operation.revised === "conditional" ? [component("IfMatch")] : []),
  ];
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    ...buildDescription(operation),
    security: listSecurity(operation),
    ...buildAccess(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(has(operation, "body")
      ? { requestBody: { required: operation.bodyOptional !== true, content: buildRequestContent(operation, schemas) } }
      : {}),
    responses: { ...buildSuccesses(operation, schemas), ...buildRefusals(operation, schemas, examples) },
  };
}

/** For programs: the minimum role for a person, and the scopes of which a key, or an account key, needs at least one. */
function buildAccess(operation: Operation): Pick<OperationObject, "x-role" | "x-scopes" | "x-account-scopes"> {
  const role = getMinimumRole(operation);
  const accountScopes = getAccountScopes(operation);
  return {
    ...(role === undefined ? {} : { "x-role": role, "x-scopes": [...getScopes(operation)] }),
    ...(accountScopes.length === 0 ? {} : { "x-account-scopes": [...accountScopes] }),
  };
}

/** Describes the operation, the role that a person needs, and the scope that a key needs. */
function buildDescription(operation: Operation): { description?: string } {
  const role = getMinimumRole(operation);
  const writeScopes = (scopes: readonly string[]) => scopes.map((scope) => `\`${scope}\``).join(" or ");
  const [scopes, accountScopes] = [getScopes(operation), getAccountScopes(operation)].map(writeScopes);
  const sentences = [
    operation.description,
    role === undefined || role === "viewer" ? undefined : `A person needs the role \`${role}\` or above.`,
    scopes === "" ? undefined : `A key needs the scope ${scopes}.`,
    accountScopes === "" ? undefined : `An account key needs the scope ${accountScopes}.`,
    operation.wholeWorkspace === true ? "A key that is limited to some channels cannot call it." : undefined,
  ].filter((sentence) => sentence !== undefined);
  return sentences.length === 0 ? {} : { description: sentences.join(" ") };
}

const component = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });

function buildParameters(
  operation: Operation,
  section: "params" | "query",
  where: "path" | "query",
  schemas: Schemas,
): Parameter[] {
  if (!has(operation, section)) return [];
  const { properties = {} } = schemas.of(operation[section], "output");
  return Object.entries(properties).map(([name, { description, examples = [], ...schema }]) => ({
    name,
    in: where,
    required: where === "path",
    ...(description === undefined ? {} : { description }),
    schema,
    ...(examples.length === 0 ? {} : { example: examples[0] }),
  }));
}

function buildRequestContent(operation: Operation, schemas: Schemas): ContentByType {
  if (operation.fileTypes === undefined) {
    return { ...json(schemas.of(operation.body, "input"), Object.entries(operation.examples ?? {})) };
  }
  const exampleEntries = Object.entries(operation.examples ?? {});
  return Object.fromEntries(
    operation.fileTypes.map((type) => {
      const texts = exampleEntries.filter(([, value]) => Object(value).type === type);
      const examples = texts.map(([summary, value], i) => [`example_${i + 1}`, { summary, value: Object(value).text }]);
      return [type, { schema: { type: "string" }, examples: Object.fromEntries(examples) }];
    }),
  );
}

function buildSuccesses(operation: Operation, schemas: Schemas): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = {};
  for (const [status, description] of Object.entries(operation.success)) {
    responses[status] = {
      description,
      headers: {
        "X-Request-Id": { $ref: "#/components/headers/RequestId" },
        ...(operation.session === undefined ? {} : { "Set-Cookie": { $ref: "#/components/headers/SessionCookie" } }),
        ...(operation.idempotent === true && status === "200"
          ? { "Idempotent-Replayed": { $ref: "#/components/headers/Replayed" } }
          : {}),
        ...(operation.revised === undefined || status === "204"
          ? {}
          : { ETag: { $ref: "#/components/headers/EntityTag" } }),
      },
    };
    if (!has(operation, "result") || status === "204") continue;
    const narrower = Object.entries(operation.narrower ?? {}).find(
      ([narrowedStatus]) => narrowedStatus === status,
    )?.[1];
    const schema = schemas.of(narrower ?? operation.result, "output");
    const values = listExamples(schema, schemas.named);
    const content = json(
      schema,
      values.map((value) => [description, value]),
    );
    responses[status].content =
      operation.stream === undefined ? { ...content } : { [operation.stream.type]: content["application/json"] };
  }
  return responses;
}

function json(schema: Schema, examples: [summary: string, value: unknown][]): Content {
  const namedExamples = examples.map(([summary, value], i) => [`example_${i + 1}`, { summary, value }]);
  return { "application/json": { schema, examples: Object.fromEntries(namedExamples) } };
}
