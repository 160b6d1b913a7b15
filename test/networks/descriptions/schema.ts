// The part of JSON Schema that descriptions use, regardless of the form in which their owner publishes them.
import { type InstanceType, Validator } from "@cfworker/json-schema";

export interface Schema {
  type?: InstanceType | InstanceType[];
  const?: string | number | boolean | null;
  enum?: (string | number | boolean | null)[];
  properties?: Record<string, Schema>;
  required?: string[];
  /** If false, an undescribed field is a deviation. */
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

/** A reference to a named schema. */
export const refTo = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
const getName = (ref: string): string => ref.replace("#/$defs/", "");

/** Follows a reference to the schema in `defs`. */
function resolve(schema: Schema, defs: Record<string, Schema>): Schema {
  const target = schema.$ref === undefined ? undefined : defs[getName(schema.$ref)];
  if (schema.$ref !== undefined && target === undefined) throw new Error(`nothing is named ${schema.$ref}`);
  return target === undefined ? schema : resolve(target, defs);
}

/** The forms that a value may have: the members of a union, or the schema itself. */
export function listForms(schema: Schema, defs: Record<string, Schema>): Schema[] {
  const resolved = resolve(schema, defs);
  return resolved.anyOf === undefined ? [resolved] : resolved.anyOf.flatMap((member) => listForms(member, defs));
}

/** All schemas of `defs` that `root` refers to, directly or indirectly. */
function findReachable(root: Schema, defs: Record<string, Schema>): Record<string, Schema> {
  const reached: Record<string, Schema> = {};
  const visit = (schema: Schema): void => {
    if (schema.$ref !== undefined) {
      const name = getName(schema.$ref);
      if (name in reached) return;
      const target = resolve(schema, { ...defs });
      reached[name] = target;
      visit(target);
    }
    for (const property of Object.values(schema.properties ?? {})) visit(property);
    for (const member of schema.anyOf ?? []) visit(member);
    if (schema.items !== undefined) visit(schema.items);
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties);
  };
  visit(root);
  return reached;
}

const validators = { closed: new WeakMap<Schema, Validator>(), open: new WeakMap<Schema, Validator>() };

/** The deviations of `value` from the description, in words. With `open`, undescribed fields are allowed. */
export function listDeviations(value: unknown, schema: Schema, defs: Record<string, Schema>, open = false): string[] {
  const cache = validators[open ? "open" : "closed"];
  let validator = cache.get(schema);
  if (validator === undefined) {
    const whole = { ...schema, $defs: findReachable(schema, defs) };
    validator = new Validator(escapeNames(open ? allowOtherFields(whole) : whole), "2020-12", false);
    cache.set(schema, validator);
  }
  // The innermost errors explain the deviation. The errors of the surrounding objects only repeat that something is
  // wrong inside.
  const { errors } = validator.validate(value);
  const inner = errors.filter(
    ({ keyword }) => !["properties", "items", "$ref", "additionalProperties"].includes(keyword),
  );
  const relevant = inner.length > 0 ? inner : errors;
  return [...new Set(relevant.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`))];
}

/** The same schema, with undescribed fields allowed. */
const allowOtherFields = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "additionalProperties" && value === false ? undefined : value,
  );

/**
 * Names in TypeScript and in lexicons contain characters with a special meaning in JSON pointers, so they are replaced.
 */
const escapeNames = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === "$ref") return `#/$defs/${escapeName(getName(value))}`;
    if (key !== "$defs") return value;
    return Object.fromEntries(Object.entries(value).map(([name, definition]) => [escapeName(name), definition]));
  });
const escapeName = (name: string): string => name.replace(/[^A-Za-z0-9._]/g, "-");

/** Whether the description has the field at `path`. An item of a list is `[]`. */
export function describes(schema: Schema, path: readonly string[], defs: Record<string, Schema>): boolean {
  const [key, ...restOfPath] = path;
  if (key === undefined) return true;
  return listForms(schema, defs).some((form) => {
    if (form.enum !== undefined || form.const !== undefined) return false;
    const next = key === "[]" ? form.items : (form.properties?.[key] ?? form.additionalProperties);
    if (next === undefined || next === false) {
      // `{}` allows anything, and so does an object without described fields.
      const open = form.properties === undefined && form.items === undefined && next !== false;
      return open && (form.type === undefined || form.type === (key === "[]" ? "array" : "object"));
    }
    return describes(next, restOfPath, defs);
  });
}

/** How many checks a schema makes: types, fields, required fields, values, lengths. */
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
      ...otherKeywords
    } = schema;
    const fields = Object.values(properties);
    const closed = additionalProperties === false ? 1 : 0;
    const inner = [...fields, ...anyOf, ...(items === undefined ? [] : [items])];
    if (typeof additionalProperties === "object") inner.push(additionalProperties);
    const ownChecks =
      (type === undefined ? 0 : 1) + fields.length + required.length + closed + Object.keys(otherKeywords).length;
    return inner.reduce((sum, nested) => sum + count(nested), ownChecks);
  };
  return [root, ...Object.values(findReachable(root, defs))].reduce((sum, schema) => sum + count(schema), 0);
}
