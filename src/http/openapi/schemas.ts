// Zod schemas in the form of the document: named ones become components, and each can produce an example.
import * as z from "zod";
import type { Schema } from "./types.ts";

const COMPONENT = "#/components/schemas/";

export interface Schemas {
  /** All named schemas so far. */
  named: Record<string, Schema>;
  /** The schema of an input or output, with references to the named ones. */
  of(schema: z.ZodType, io: "input" | "output"): Schema;
}

export function createSchemas(): Schemas {
  const namedSchemas: Record<string, Schema> = {};
  return {
    named: namedSchemas,
    of(schema, io) {
      const {
        $schema: _,
        $defs = {},
        ...json
      } = z.toJSONSchema(schema, {
        io,
        unrepresentable: "any",
        override: ({ jsonSchema }) => {
          // The range of safe integers and the pattern of RFC 3339 add nothing to `type` and `format`.
          if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
          if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
          if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
        },
      });
      for (const [name, { id: _id, ...definition }] of Object.entries($defs))
        namedSchemas[toSchemaName(name)] = hoist(definition);
      return hoist(json);
    },
  };
}

/** The only schema that zod names itself is the recursive one for any JSON value. */
const toSchemaName = (name: string) => (name === "__schema0" ? "JsonValue" : name);

/** References in a schema point to its own `$defs`; in the document these are components. */
function hoist(schema: unknown): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(
      /"#\/\$defs\/(\w+)"/g,
      (_, name: string) => `"${COMPONENT}${toSchemaName(name)}"`,
    ),
  );
}

/** The schema that a reference names. */
function resolve(schema: Schema, namedSchemas: Record<string, Schema>): Schema {
  return schema.$ref === undefined ? schema : (namedSchemas[schema.$ref.slice(COMPONENT.length)] ?? schema);
}

/** Example values of a schema: its own examples, or one composed of those of its parts. */
export function listExamples(schema: Schema, namedSchemas: Record<string, Schema>): unknown[] {
  const resolvedSchema = resolve(schema, namedSchemas);
  if (resolvedSchema.examples !== undefined) return resolvedSchema.examples;
  if (resolvedSchema.anyOf !== undefined)
    return resolvedSchema.anyOf.flatMap((option) => listExamples(option, namedSchemas));
  if (resolvedSchema.const !== undefined) return [resolvedSchema.const];
  const first = (subschema: Schema) => listExamples(subschema, namedSchemas)[0];
  if (resolvedSchema.items !== undefined) return [[first(resolvedSchema.items)]];
  if (resolvedSchema.properties === undefined) return [];
  return [
    Object.fromEntries(Object.entries(resolvedSchema.properties).map(([name, property]) => [name, first(property)])),
  ];
}
