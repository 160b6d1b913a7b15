// The JSON Schemas of the tools, generated from the contract's schemas.
import * as z from "zod";
import { type OperationName, operations } from "../contract/index.ts";
import { has, type Operation } from "../contract/operation.ts";

export type Schema = Record<string, unknown>;
export interface ObjectSchema extends Schema {
  type: "object";
  properties: Record<string, Schema>;
  required?: string[];
}

/** How a post repeats, in words: the whole schema would take room in each tool, and the service judges the value anyway. */
const REPEAT: Schema = {
  type: "object",
  description:
    "`every` (day, week, month), `interval`, `weekdays` (Monday is 1), `until` or `times`, `variations` (texts in turn).",
};

/** Fields with long schemas, which one tool describes for the others. */
const DESCRIBED_ONCE = ["thread", "poll", "repeat"];

/** A tool's input: everything that its operation takes, as one object, except the fields in `without`. `isBrief`: another tool describes the long ones. */
export function inputSchema(
  name: OperationName,
  without: readonly string[],
  { extraProperties = {}, isBrief = false }: { extraProperties?: Record<string, Schema>; isBrief?: boolean } = {},
): ObjectSchema {
  const operation: Operation = operations[name];
  const parts = (["params", "query", "body"] as const)
    .filter((section) => has(operation, section))
    .map((section) => ({ part: section, schema: toObjectSchema(operation[section]) }));
  const properties: Record<string, Schema> = Object.assign(
    {},
    ...parts.map(({ schema }) => schema.properties),
    extraProperties,
  );
  for (const field of without) delete properties[field];
  if (properties.overrides !== undefined) cutRepeated(properties.overrides);
  if (properties.repeat !== undefined) properties.repeat = REPEAT;
  // The workspace decides on them; their schema would take room in each tool.
  delete properties.link_tags;
  delete properties.keep;
  for (const field of isBrief ? DESCRIBED_ONCE : []) {
    if (properties[field] !== undefined) properties[field] = { description: "As in `queue_post`." };
  }
  // Query parameters are always optional.
  const required = parts
    .flatMap(({ part, schema }) => (part === "query" ? [] : (schema.required ?? [])))
    .filter((field) => Object.hasOwn(properties, field));
  return { type: "object", properties, required, additionalProperties: false };
}

/** Leaves only the description of a channel's own values, which names them: they have the same schemas next to the map. */
function cutRepeated(overrides: Schema): void {
  const { additionalProperties: value } = overrides;
  if (isSchema(value)) overrides.additionalProperties = { type: "object", description: value.description };
}

/** The names of an operation's path or query parameters. */
export function listFieldNames(operation: Operation, section: "params" | "query"): string[] {
  return has(operation, section) ? Object.keys(toObjectSchema(operation[section]).properties) : [];
}

/**
 * A tool's output: the success body of its operation, or `result` if the tool returns only part of it. Descriptions are left
 * out; the documents have them, and a model pays for every word of every tool.
 */
export function outputSchema(result: z.ZodType, extraProperties: Record<string, Schema>): ObjectSchema {
  const { required, properties } = toObjectSchema(result, "bare");
  const allProperties = Object.entries({ ...properties, ...extraProperties });
  return {
    type: "object",
    properties: Object.fromEntries(allProperties.map(([name, property]) => [name, shallow(property)])),
    required,
  };
}

/** The paths of texts by third parties in a body, in the form that `cleaned` takes. */
export function untrustedPaths(result: z.ZodType): string[] {
  const { $defs = {}, ...schema } = z.toJSONSchema(result, { io: "input", unrepresentable: "any" });
  return pathsIn(schema, $defs);
}

function pathsIn(schema: unknown, definitions: Record<string, unknown>): string[] {
  if (!isSchema(schema)) return [];
  const { $ref, properties, items, anyOf } = schema;
  const below = (value: unknown, step: string) => pathsIn(value, definitions).map((path) => joinPath(step, path));
  const referencedPaths =
    typeof $ref === "string" ? pathsIn(definitions[$ref.replace("#/$defs/", "")], definitions) : [];
  return [
    ...(schema["x-untrusted"] === true ? [""] : []),
    ...referencedPaths,
    ...(isSchema(properties) ? Object.entries(properties).flatMap(([name, value]) => below(value, name)) : []),
    ...below(items, "*"),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((value) => pathsIn(value, definitions)) : []),
  ];
}

const joinPath = (step: string, path: string) => (path === "" ? step : `${step}/${path}`);

/** A schema reduced to the kind of value, without its contents, which a client can see in the data itself. */
function shallow(schema: Schema): Schema {
  const {
    properties: _properties,
    required: _required,
    additionalProperties: _more,
    propertyNames: _names,
    ...otherKeywords
  } = schema;
  if (otherKeywords.type === "object" || otherKeywords.type === "array") return { type: otherKeywords.type };
  return Array.isArray(otherKeywords.anyOf) ? { anyOf: otherKeywords.anyOf.map(shallow) } : otherKeywords;
}

function toObjectSchema(schema: z.ZodType, describe: "described" | "bare" = "described"): ObjectSchema {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      // The range of safe integers and the pattern of RFC 3339 add nothing to `type` and `format`.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (describe === "bare") {
        delete jsonSchema.description;
        // The documents list the values that an answer may have.
        delete jsonSchema.enum;
        // The format of a text, such as a date, is evident from the data.
        delete jsonSchema.format;
      }
      // The service names the limit in its refusal of a text or a list that is too long, and an unknown field.
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
      delete jsonSchema.minItems;
      delete jsonSchema.maxItems;
      delete jsonSchema.propertyNames;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
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
 * A schema in the form that most clients understand: references are inlined (no tool's schema refers to itself), and each
 * schema has one type.
 */
function plain(schema: unknown, definitions: Record<string, unknown>): Schema {
  if (!isSchema(schema)) return {};
  const below = (value: unknown): unknown => (isSchema(value) ? plain(value, definitions) : value);
  const { $ref, type, ...otherKeywords } = schema;
  const referencedSchema =
    typeof $ref === "string" ? plain(definitions[$ref.replace("#/$defs/", "")], definitions) : {};
  const ownKeywords = Object.fromEntries(
    Object.entries(otherKeywords).map(([keyword, value]) => {
      if (keyword === "properties" && isSchema(value)) {
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, property]) => [name, below(property)]))];
      }
      // An empty schema accepts anything, and so does `true`, which more clients know.
      if (isSchema(value) && Object.keys(value).length === 0) return [keyword, true];
      return [keyword, Array.isArray(value) ? value.map(below) : below(value)];
    }),
  );
  if (!Array.isArray(type)) return { ...referencedSchema, ...(type === undefined ? {} : { type }), ...ownKeywords };
  const { description, ...limits } = ownKeywords;
  const anyOf = type.map((typeName) => (typeName === "null" ? { type: typeName } : { type: typeName, ...limits }));
  return { ...referencedSchema, ...(description === undefined ? {} : { description }), anyOf };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
