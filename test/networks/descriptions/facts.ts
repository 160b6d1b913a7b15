// Facts that only pages state: reads the JSON files of `facts`, in the short notation that is explained here, as
// operations. A value is `string`, `integer`, `number`, `boolean`, `object`, `null`, `any`, or several of them with
// `|`. Other words with `|` are the only allowed values, and `=word` is the only allowed value. `string<=500` is a
// length in characters, `integer 0..999` a range, `/…/` a pattern, `@Name` one of `types`, `list a|b` a list of words
// in one text. `node Page` is an object with the fields that Meta's SDK lists, `fields Page + a|b` a list of their
// names and two more. A list is `["string"]` or `["string", "2..20"]`. In an object, `name?` may be missing, `*` is any
// other name, and `...` stands for all fields of another object. `isAmong` lists several forms. `is` with `from` is a
// value with a source of its own.
import { readFileSync } from "node:fs";
import * as z from "zod";
import { nodeFields } from "./meta-sdk.ts";
import { type Form, NO_FIELDS, type Operation } from "./operation.ts";
import { refTo, type Schema } from "./schema.ts";

const Source = z.strictObject({
  /** The URL of the page. */
  page: z.string().regex(/^[a-z0-9.-]+\.[a-z]+\//),
  /** The date of the text, as far as the page states it. */
  of: z.iso.date().optional(),
  read: z.iso.date(),
  note: z.string().optional(),
});
const Value = z.json();
type Value = z.output<typeof Value>;
const Call = z.strictObject({
  /** `POST host/path`, with `*` for a host that the network names or that belongs to the account. */
  call: z.string().regex(/^(GET|POST|PUT|DELETE) \S+$/),
  from: z.string(),
  query: Value.optional(),
  as: z.union([z.string(), z.array(z.string())]).optional(),
  body: Value.optional(),
  answer: Value.optional(),
  status: z.union([z.int(), z.array(z.int())]).optional(),
  /** A function of Meta's SDK that makes this call: `Page.createFeed`. */
  sdk: z.string().optional(),
});
const UndescribedRead = z.strictObject({ calls: z.array(z.string()), fields: z.array(z.string()), why: z.string() });
const Facts = z.strictObject({
  sources: z.record(z.string(), Source),
  types: z.record(z.string(), Value).default({}),
  refusal: Value,
  calls: z.array(Call),
  /** Fields that a connector reads although no page describes them: see docs/networks.md. */
  reads: z.array(UndescribedRead).default([]),
});
export type Facts = z.output<typeof Facts>;

export const readFacts = (platform: string): Facts =>
  Facts.parse(JSON.parse(readFileSync(`${import.meta.dirname}/facts/${platform}.json`, "utf8")));

export const buildTypes = ({ types }: Facts): Record<string, Schema> =>
  Object.fromEntries(Object.entries(types).map(([name, value]) => [name, toSchema(value, types)]));

export const buildRefusal = ({ refusal, types }: Facts): Schema => toSchema(refusal, types);

export function buildOperations(facts: Facts): Operation[] {
  return facts.calls.map((call) => {
    const [method = "", address = ""] = call.call.split(" ");
    const slash = address.indexOf("/");
    const forms = call.as === undefined ? (call.body === undefined ? ["none"] : ["json"]) : [call.as].flat();
    const read = (value: Value) => toSchema(value, facts.types);
    const answer = call.answer === undefined ? null : read(call.answer);
    return {
      name: `${method} ${address.slice(slash)}`,
      method,
      host: address.startsWith("*") ? null : address.slice(0, slash),
      path: address.slice(slash),
      query: call.query === undefined ? NO_FIELDS : read(call.query),
      as: forms.map((form) => z.enum(["json", "form", "multipart", "bytes", "none"]).parse(form) satisfies Form),
      body: call.body === undefined ? NO_FIELDS : read(call.body),
      answers: Object.fromEntries([call.status ?? 200].flat().map((status) => [status, answer])),
      refusal: buildRefusal(facts),
      source: call.from,
    };
  });
}

/** All sources that the facts name. */
export function sourcesNamed(facts: Facts): string[] {
  const collectSources = (value: Value | undefined): string[] => {
    if (Array.isArray(value)) return value.flatMap(collectSources);
    if (typeof value !== "object" || value === null) return [];
    const ownSources = typeof value.from === "string" && "is" in value ? value.from.split(" ") : [];
    return [...ownSources, ...Object.values(value).flatMap(collectSources)];
  };
  return [
    ...facts.calls.flatMap((call) => call.from.split(" ")),
    ...collectSources(facts.types),
    ...facts.calls.flatMap(({ body, query, answer }) => [body, query, answer].flatMap(collectSources)),
  ];
}

const Type = z.enum(["string", "integer", "number", "boolean", "null", "object"]);

function toSchema(value: Value, types: Record<string, Value>): Schema {
  const read = (item: Value) => toSchema(item, types);
  if (typeof value === "string") return toSchemaOfWord(value);
  if (Array.isArray(value)) {
    const [items = "any", length] = value;
    const [, min = "", max = ""] = /^(\d*)\.\.(\d*)$/.exec(typeof length === "string" ? length : "") ?? [];
    return {
      type: "array",
      items: read(items),
      ...(min === "" ? {} : { minItems: Number(min) }),
      ...(max === "" ? {} : { maxItems: Number(max) }),
    };
  }
  if (typeof value !== "object" || value === null) throw new Error(`no type: ${JSON.stringify(value)}`);
  if ("is" in value) return read(value.is ?? "any");
  if (Array.isArray(value.oneOf)) return { anyOf: value.oneOf.map(read) };
  const { "...": whole, "*": otherNames, ...ownFields } = value;
  const base = whole === undefined ? {} : read(resolveName(whole, types));
  const fields = Object.entries(ownFields);
  return {
    type: "object",
    properties: {
      ...base.properties,
      ...Object.fromEntries(fields.map(([name, field]) => [name.replace(/\?$/, ""), read(field ?? "any")])),
    },
    required: fields.flatMap(([name]) => (name.endsWith("?") ? [] : [name])),
    additionalProperties: otherNames === undefined ? (base.additionalProperties ?? false) : read(otherNames ?? "any"),
  };
}

const resolveName = (value: Value, types: Record<string, Value>): Value =>
  typeof value === "string" && value.startsWith("@") ? (types[value.slice(1)] ?? value) : value;

function toSchemaOfWord(word: string): Schema {
  if (word === "any") return {};
  if (word.startsWith("=")) return { enum: [word.slice(1)] };
  if (word.startsWith("/")) return { type: "string", pattern: word.slice(1, -1) };
  if (word.startsWith("@")) return refTo(word.slice(1));
  if (word.startsWith("list ")) return { type: "array", items: { enum: word.slice("list ".length).split("|") } };
  const [, kind, node, extraFields] = /^(node|fields) (\w+)(?: \+ (\S+))?$/.exec(word) ?? [];
  if (node !== undefined) {
    const fields = [...nodeFields(node), ...(extraFields?.split("|") ?? [])];
    if (kind === "fields") return { type: "array", items: { enum: fields } };
    return {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [field, {}])),
      additionalProperties: false,
    };
  }
  const [, most] = /^string<=(\d+)$/.exec(word) ?? [];
  if (most !== undefined) return { type: "string", maxLength: Number(most) };
  const [, low, high] = /^integer (\d+)\.\.(\d*)$/.exec(word) ?? [];
  if (low !== undefined)
    return { type: "integer", minimum: Number(low), ...(high === "" ? {} : { maximum: Number(high) }) };
  const members = word.split("|");
  const types = z.array(Type).safeParse(members);
  return types.success ? { type: types.data } : { enum: members };
}
