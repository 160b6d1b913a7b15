// Zod schemas as the document's own: named ones are components, and each can be asked for an example.
import * as z from "zod";
import type { Schema } from "./types.ts";

const COMPONENT = "#/components/schemas/";

export interface Schemas {
  /** All named schemas so far. */
  named: Record<string, Schema>;
  /** The schema of what goes in or comes out, with references to the named ones. */
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
          // The range of safe integers and the grammar of RFC 3339 say nothing that `type` and `format` do not.
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

/** The only schema that zod names by itself is the recursive one of any JSON value. */
const nameOf = (name: string) => (name === "__schema0" ? "JsonValue" : name);

/** References of one schema point to its own `$defs`; in the document they are components. */
function hoist(schema: unknown): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(/"#\/\$defs\/(\w+)"/g, (_, name: string) => `"${COMPONENT}${nameOf(name)}"`),
  );
}

/** The schema that a reference names. */
function resolve(schema: Schema, named: Record<string, Schema>): Schema {
  return schema.$ref === undefined ? schema : (named[schema.$ref.slice(COMPONENT.length)] ?? schema);
}

/** Values of a schema worth showing: its own examples, or one put together from those of its parts. */
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
