// The part of JSON Schema that descriptions are made of, whatever form their owner publishes them in.
import { type InstanceType, Validator } from "@cfworker/json-schema";

export interface Schema {
  type?: InstanceType | InstanceType[];
  const?: string | number | boolean | null;
  enum?: (string | number | boolean | null)[];
  properties?: Record<string, Schema>;
  required?: string[];
  /** False: a field that is not described is a deviation. */
  additionalProperties?: Schema | false;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
}

/** A schema under its name. */
export const refTo = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
const nameOf = (ref: string): string => ref.replace("#/$defs/", "");

/** What a schema stands for, in `defs`. */
function resolve(schema: Schema, defs: Record<string, Schema>): Schema {
  const named = schema.$ref === undefined ? undefined : defs[nameOf(schema.$ref)];
  if (schema.$ref !== undefined && named === undefined) throw new Error(`nothing is named ${schema.$ref}`);
  return named === undefined ? schema : resolve(named, defs);
}

/** The forms that a value may have: the members of a union, or the schema itself. */
export function formsOf(schema: Schema, defs: Record<string, Schema>): Schema[] {
  const resolved = resolve(schema, defs);
  return resolved.anyOf === undefined ? [resolved] : resolved.anyOf.flatMap((one) => formsOf(one, defs));
}

/** All that `root` needs of `defs`. */
function reachable(root: Schema, defs: Record<string, Schema>): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const visit = (schema: Schema): void => {
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref);
      if (name in found) return;
      const named = resolve(schema, { ...defs });
      found[name] = named;
      visit(named);
    }
    for (const one of Object.values(schema.properties ?? {})) visit(one);
    for (const one of schema.anyOf ?? []) visit(one);
    if (schema.items !== undefined) visit(schema.items);
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties);
  };
  visit(root);
  return found;
}

const validators = { closed: new WeakMap<Schema, Validator>(), open: new WeakMap<Schema, Validator>() };

/** What of `value` is not as described, in words. `open`: fields that are not described are none of it. */
export function deviationsOf(value: unknown, schema: Schema, defs: Record<string, Schema>, open = false): string[] {
  const known = validators[open ? "open" : "closed"];
  let validator = known.get(schema);
  if (validator === undefined) {
    const whole = { ...schema, $defs: reachable(schema, defs) };
    validator = new Validator(inPointers(open ? opened(whole) : whole), "2020-12", false);
    known.set(schema, validator);
  }
  // The innermost errors say it; those of the objects around them only that something is wrong inside.
  const { errors } = validator.validate(value);
  const inner = errors.filter(
    ({ keyword }) => !["properties", "items", "$ref", "additionalProperties"].includes(keyword),
  );
  const shown = inner.length > 0 ? inner : errors;
  return [...new Set(shown.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`))];
}

/** The same, but for what forbids other fields. */
const opened = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "additionalProperties" && value === false ? undefined : value,
  );

/** Names of TypeScript and of lexicons have signs that mean something in a pointer. */
const inPointers = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === "$ref") return `#/$defs/${plain(nameOf(value))}`;
    if (key !== "$defs") return value;
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [plain(name), of]));
  });
const plain = (name: string): string => name.replace(/[^A-Za-z0-9._]/g, "-");

/** Whether the description has the field at `path`; an item of a list is `[]`. */
export function describes(schema: Schema, path: readonly string[], defs: Record<string, Schema>): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  return formsOf(schema, defs).some((form) => {
    if (form.enum !== undefined || form.const !== undefined) return false;
    const next = key === "[]" ? form.items : (form.properties?.[key] ?? form.additionalProperties);
    if (next === undefined || next === false) {
      // `{}` is anything; an object of which nothing is said, too.
      const open = form.properties === undefined && form.items === undefined && next !== false;
      return open && (form.type === undefined || form.type === (key === "[]" ? "array" : "object"));
    }
    return describes(next, rest, defs);
  });
}

/** How many things a schema says: types, fields, obligations, values, lengths. */
export function countChecks(root: Schema, defs: Record<string, Schema>): number {
  const count = (schema: Schema): number => {
    const {
      type,
      properties = {},
      required = [],
      items,
      anyOf = [],
      additionalProperties,
      $ref: _ref,
      ...rest
    } = schema;
    const fields = Object.values(properties);
    const closed = additionalProperties === false ? 1 : 0;
    const inner = [...fields, ...anyOf, ...(items === undefined ? [] : [items])];
    if (typeof additionalProperties === "object") inner.push(additionalProperties);
    const own = (type === undefined ? 0 : 1) + fields.length + required.length + closed + Object.keys(rest).length;
    return inner.reduce((sum, one) => sum + count(one), own);
  };
  return [root, ...Object.values(reachable(root, defs))].reduce((sum, one) => sum + count(one), 0);
}
