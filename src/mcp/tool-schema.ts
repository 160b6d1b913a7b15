// The JSON Schemas of the tools, written by the contract's own schemas.
import * as z from "zod";
import { type OperationName, operations } from "../contract/index.ts";
import { has, type Operation } from "../contract/operation.ts";

export type Schema = Record<string, unknown>;
export interface ObjectSchema extends Schema {
  type: "object";
  properties: Record<string, Schema>;
  required?: string[];
}

/** What a tool takes: everything that its operation takes, as one object, without the fields `without`. */
export function inputSchema(
  name: OperationName,
  without: readonly string[],
  more: Record<string, Schema>,
): ObjectSchema {
  const operation: Operation = operations[name];
  const parts = (["params", "query", "body"] as const)
    .filter((part) => has(operation, part))
    .map((part) => ({ part, schema: objectOf(operation[part]) }));
  const properties = Object.assign({}, ...parts.map(({ schema }) => schema.properties), more);
  for (const field of without) delete properties[field];
  // What is asked for in an address may always be left out.
  const required = parts
    .flatMap(({ part, schema }) => (part === "query" ? [] : (schema.required ?? [])))
    .filter((field) => Object.hasOwn(properties, field));
  return { type: "object", properties, required, additionalProperties: false };
}

/** The names of what an operation takes in a part of its address. */
export function fieldsOf(operation: Operation, part: "params" | "query"): string[] {
  return has(operation, part) ? Object.keys(objectOf(operation[part]).properties) : [];
}

/** What a tool gives back: the body of its operation's success, or of `result` where the tool has only a part of it. */
export function outputSchema(result: z.ZodType, more: Record<string, Schema>): ObjectSchema {
  const schema = objectOf(result);
  return { ...schema, properties: { ...schema.properties, ...more } };
}

function objectOf(schema: z.ZodType): ObjectSchema {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      // The range of safe integers and the grammar of RFC 3339 say nothing that `type` and `format` do not.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      delete jsonSchema.examples;
      delete jsonSchema.id;
    },
  });
  const whole = inlined(json, $defs ?? {});
  return { ...whole, type: "object", properties: isProperties(whole.properties) ? whole.properties : {} };
}

const isProperties = (value: unknown): value is Record<string, Schema> => typeof value === "object" && value !== null;

/** References replaced by what they name: not every client follows them. No schema of a tool refers to itself. */
function inlined(schema: Schema, definitions: Record<string, unknown>): Schema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = schemaOf(value);
    const named = typeof $ref === "string" ? definitions[$ref.replace("#/$defs/", "")] : undefined;
    const here = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, walk(member)]));
    return named === undefined ? here : { ...schemaOf(walk(named)), ...here };
  };
  return schemaOf(walk(schema));
}

const schemaOf = (value: unknown): Schema => (typeof value === "object" && value !== null ? { ...value } : {});
