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
  const named: Record<string, Schema> = {};
  return {
    named,
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
      for (const [name, { id: _id, ...definition }] of Object.entries($defs)) named[nameOf(name)] = hoist(definition);
      return hoist(json);
    },
  };
}

/** The only schema that zod names itself is the recursive one for any JSON value. */
const nameOf = (name: string) => (name === "__schema0" ? "JsonValue" : name);

/** References in a schema point to its own `$defs`; in the document these are components. */
function hoist(schema: unknown): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(/"#\/\$defs\/(\w+)"/g, (_, name: string) => `"${COMPONENT}${nameOf(name)}"`),
  );
}

/** The schema that a reference names. */
function resolve(schema: Schema, named: Record<string, Schema>): Schema {
  return schema.$ref === undefined ? schema : (named[schema.$ref.slice(COMPONENT.length)] ?? schema);
}

/** Example values of a schema: its own examples, or one composed of those of its parts. */
export function examplesOf(schema: Schema, named: Record<string, Schema>): unknown[] {
  const own = resolve(schema, named);
  if (own.examples !== undefined) return own.examples;
  if (own.anyOf !== undefined) return own.anyOf.flatMap((option) => examplesOf(option, named));
  if (own.const !== undefined) return [own.const];
  const first = (part: Schema) => examplesOf(part, named)[0];
  if (own.items !== undefined) return [[first(own.items)]];
  if (own.properties === undefined) return [];
  return [Object.fromEntries(Object.entries(own.properties).map(([name, part]) => [name, first(part)]))];
}
