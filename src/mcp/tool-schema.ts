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
  const properties: Record<string, Schema> = Object.assign({}, ...parts.map(({ schema }) => schema.properties), more);
  for (const field of without) delete properties[field];
  if (properties.thread !== undefined && properties.overrides !== undefined)
    cutRepeated(properties.overrides, "thread");
  // What is asked for in an address may always be left out.
  const required = parts
    .flatMap(({ part, schema }) => (part === "query" ? [] : (schema.required ?? [])))
    .filter((field) => Object.hasOwn(properties, field));
  return { type: "object", properties, required, additionalProperties: false };
}

/** A list that stands in a map's values as it does beside the map is not written out a second time. */
function cutRepeated({ additionalProperties: value }: Schema, field: string): void {
  const list = isSchema(value) && isSchema(value.properties) ? value.properties[field] : undefined;
  if (isSchema(list)) delete list.items;
}

/** The names of what an operation takes in a part of its address. */
export function fieldsOf(operation: Operation, part: "params" | "query"): string[] {
  return has(operation, part) ? Object.keys(objectOf(operation[part]).properties) : [];
}

/**
 * What a tool gives back: the body of its operation's success, or of `result` where the tool has only a part of it.
 * Without the explanations, which the documents have: a model that reads the tools pays for every word of each.
 */
export function outputSchema(result: z.ZodType, more: Record<string, Schema>): ObjectSchema {
  const { required, properties } = objectOf(result, "bare");
  const all = Object.entries({ ...properties, ...more });
  return { type: "object", properties: Object.fromEntries(all.map(([name, one]) => [name, shallow(one)])), required };
}

/** Where in a body texts of strangers stand, as paths of `cleaned`. */
export function untrustedPaths(result: z.ZodType): string[] {
  const { $defs = {}, ...schema } = z.toJSONSchema(result, { io: "input", unrepresentable: "any" });
  return pathsIn(schema, $defs);
}

function pathsIn(schema: unknown, definitions: Record<string, unknown>): string[] {
  if (!isSchema(schema)) return [];
  const { $ref, properties, items, anyOf } = schema;
  const below = (value: unknown, step: string) => pathsIn(value, definitions).map((path) => joinPath(step, path));
  const named = typeof $ref === "string" ? pathsIn(definitions[$ref.replace("#/$defs/", "")], definitions) : [];
  return [
    ...(schema["x-untrusted"] === true ? [""] : []),
    ...named,
    ...(isSchema(properties) ? Object.entries(properties).flatMap(([name, value]) => below(value, name)) : []),
    ...below(items, "*"),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((value) => pathsIn(value, definitions)) : []),
  ];
}

const joinPath = (step: string, path: string) => (path === "" ? step : `${step}/${path}`);

/** What kind of value it is, without what is in it: that the data itself shows. */
function shallow(schema: Schema): Schema {
  const {
    properties: _properties,
    required: _required,
    additionalProperties: _more,
    propertyNames: _names,
    ...rest
  } = schema;
  if (rest.type === "object" || rest.type === "array") return { type: rest.type };
  return Array.isArray(rest.anyOf) ? { anyOf: rest.anyOf.map(shallow) } : rest;
}

function objectOf(schema: z.ZodType, describe: "described" | "bare" = "described"): ObjectSchema {
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
      if (describe === "bare") {
        delete jsonSchema.description;
        delete jsonSchema.maxLength;
        // A text with a date says itself how it is written.
        delete jsonSchema.format;
      }
      delete jsonSchema.examples;
      delete jsonSchema["x-untrusted"];
      delete jsonSchema.id;
    },
  });
  const whole = plain(json, $defs ?? {});
  return { ...whole, type: "object", properties: isProperties(whole.properties) ? whole.properties : {} };
}

const isProperties = (value: unknown): value is Record<string, Schema> => isSchema(value);

/**
 * A schema in the spelling that most clients understand: references replaced by what they name (no schema of a tool
 * refers to itself), one type at a time.
 */
function plain(schema: unknown, definitions: Record<string, unknown>): Schema {
  if (!isSchema(schema)) return {};
  const below = (value: unknown): unknown => (isSchema(value) ? plain(value, definitions) : value);
  const { $ref, type, ...rest } = schema;
  const named = typeof $ref === "string" ? plain(definitions[$ref.replace("#/$defs/", "")], definitions) : {};
  const here = Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => {
      if (keyword === "properties" && isSchema(value)) {
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)]))];
      }
      // An empty schema takes anything, and so does `true`, which more clients know.
      if (isSchema(value) && Object.keys(value).length === 0) return [keyword, true];
      return [keyword, Array.isArray(value) ? value.map(below) : below(value)];
    }),
  );
  if (!Array.isArray(type)) return { ...named, ...(type === undefined ? {} : { type }), ...here };
  const { description, ...limits } = here;
  const anyOf = type.map((one) => (one === "null" ? { type: one } : { type: one, ...limits }));
  return { ...named, ...(description === undefined ? {} : { description }), anyOf };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
