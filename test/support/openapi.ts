// Generates requests from our own OpenAPI document: values that a schema allows, values that it forbids, and a function that tells them
// apart.
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { anyCharacter } from "./any-character.ts";

/** The part of JSON Schema that our document uses. */
export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
  /** How many decimals a number may have. */
  "x-decimals"?: number;
}
export interface DocumentedOperation {
  operationId: string;
  security?: object[];
  parameters?: { name: string; in: "path" | "query" | "header"; required: boolean; schema: Schema }[];
  requestBody?: { content: { "application/json"?: { schema: Schema } } };
  responses: Record<string, { description: string; content?: { "application/json"?: { schema: Schema } } }>;
}
export interface OpenApi {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}

/** Makes a function that validates values against schemas of `document`. Each schema is prepared once. */
export function makeJudge(document: OpenApi) {
  const prepared = new Map<Schema, Validator>();
  /** Returns why `value` does not match, or null if it does. */
  return (schema: Schema, value: unknown): string | null => {
    let validator = prepared.get(schema);
    if (validator === undefined) {
      const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
      validator = new Validator(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")), "2020-12");
      prepared.set(schema, validator);
    }
    const { valid, errors } = validator.validate(value);
    return valid ? null : errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`).join(" ");
  };
}

/** The longest text, list and map that is generated where the schema allows more. */
const LENGTH_MAX = 400;
const ITEMS_MAX = 5;

export interface Taste {
  /** Whether to use only letters and known values, so that no rule outside the schema is broken by chance. */
  plain: boolean;
  /** Useful values for a property, by its name. They must match the schema. */
  known: Record<string, fc.Arbitrary<unknown>>;
}

/** Generates values that `schema` allows. */
export function allowedBy(document: OpenApi, schema: Schema, taste: Taste): fc.Arbitrary<unknown> {
  const generateMember = (inner: Schema, name?: string): fc.Arbitrary<unknown> => {
    const knownValues = name === undefined ? undefined : taste.known[name];
    const any = generate(inner);
    if (knownValues === undefined) return any;
    return taste.plain ? knownValues : fc.oneof({ weight: 9, arbitrary: knownValues }, { weight: 1, arbitrary: any });
  };
  const generate = (inner: Schema): fc.Arbitrary<unknown> => {
    const reference = inner.$ref?.split("/").at(-1);
    if (reference !== undefined) return referred(reference);
    if (inner.const !== undefined) return fc.constant(inner.const);
    if (inner.enum !== undefined) return fc.constantFrom(...inner.enum);
    const choices = inner.anyOf ?? inner.oneOf;
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => generate(choice)));
    switch (inner.type) {
      case "string":
        return texts(inner, taste.plain);
      case "integer":
        return fc.integer({ min: inner.minimum ?? -1_000, max: Math.min(inner.maximum ?? 2 ** 31, 2 ** 31) });
      case "number":
        return numbers(inner);
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return fc.array(generateMember(inner.items ?? {}), {
          minLength: inner.minItems ?? 0,
          maxLength: Math.min(inner.maxItems ?? ITEMS_MAX, ITEMS_MAX),
        });
      case "object":
        return objects(inner);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  };
  const open = new Set<string>();
  /** Follows a schema that refers to itself only once. The schema of arbitrary JSON values does so. */
  const referred = (reference: string): fc.Arbitrary<unknown> => {
    if (open.has(reference)) return fc.constantFrom(null, true, 1, "x");
    open.add(reference);
    const values = generate(document.components.schemas[reference] ?? {});
    open.delete(reference);
    return values;
  };
  const objects = (inner: Schema): fc.Arbitrary<unknown> => {
    const { properties = {}, required = [], additionalProperties: otherMembers } = inner;
    const members = Object.entries(properties).map(
      ([name, property]) => [name, generateMember(property, name)] as const,
    );
    const namedMembers = fc.record(Object.fromEntries(members), {
      requiredKeys: Object.keys(properties).filter((name) => required.includes(name)),
      noNullPrototype: true,
    });
    if (members.length > 0 || otherMembers === false) return namedMembers;
    const names = texts(inner.propertyNames ?? { type: "string", minLength: 1, maxLength: 20 }, taste.plain);
    return fc.dictionary(
      names.filter((name) => name !== "__proto__"),
      generateMember(typeof otherMembers === "object" ? otherMembers : {}),
      { maxKeys: ITEMS_MAX, noNullPrototype: true },
    );
  };
  return generateMember(schema);
}

function numbers({ minimum = -1_000, maximum = 1e6, "x-decimals": decimals }: Schema): fc.Arbitrary<number> {
  const any = fc.double({ min: minimum, max: maximum, noNaN: true });
  return decimals === undefined ? any : any.map((value) => Number(value.toFixed(decimals)));
}

function texts({ minLength = 0, maxLength = LENGTH_MAX, format, pattern }: Schema, plain: boolean) {
  if (format === "uri") return fc.webUrl({ validSchemes: ["https"] });
  if (format === "date-time") {
    return fc
      .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, LENGTH_MAX)) };
  const letters = fc.string({ ...bounds, unit: fc.constantFrom(..."abcxyz") });
  if (plain) return letters;
  return fc.oneof(letters, fc.string({ ...bounds, unit: anyCharacter }), fc.string({ ...bounds, unit: "grapheme" }));
}

/** Values that most schemas forbid. */
const ODD = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 53,
    "",
    "x",
    "x".repeat(3_000),
    [],
    [null],
    {},
    { x: 1 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Generates values that `schema` does not allow. */
export function forbiddenBy(judge: ReturnType<typeof makeJudge>, schema: Schema): fc.Arbitrary<unknown> {
  return ODD.filter((value) => judge(schema, value) !== null);
}
