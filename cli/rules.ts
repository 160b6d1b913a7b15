// The networks' rules from the service, and the options in their schemas.
import type { Answer } from "./api/client.ts";
import { nearest } from "./command.ts";
import { usage } from "./failure.ts";
import { oneLine } from "./output/terminal.ts";

export type Rules = Answer<"platforms.list">;
export type Rule = Rules["platforms"][number];

/** The rule of a platform. Throws if no platform has that name. */
export function getRule(name: string, { platforms }: Rules): Rule {
  const rule = platforms.find(({ platform }) => platform === name.toLowerCase());
  if (rule !== undefined) return rule;
  const names = platforms.map(({ platform }) => platform);
  const near = nearest(name.toLowerCase(), names);
  throw usage(
    `Unknown platform \`${oneLine(name)}\`.`,
    near === null ? `one of ${names.join(", ")}` : `did you mean ${near}?`,
  );
}

interface Option {
  name: string;
  required: boolean;
  takes: string;
  description: string;
}

const LISTED = "To list the values: crier channels options.";

/** The options of a network, from their JSON Schema. */
export function listOptions(schema: unknown): Option[] {
  const properties = member(schema, "properties");
  const required = member(schema, "required");
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: Array.isArray(required) && required.includes(name),
    takes: takes(property),
    description: [member(property, "description"), member(property, "x-lookup") === true ? LISTED : undefined]
      .filter((text) => text !== undefined)
      .join(" "),
  }));
}

function takes(schema: unknown): string {
  const values = member(schema, "enum");
  if (Array.isArray(values)) return values.join(" | ");
  const constant = member(schema, "const");
  if (constant !== undefined) return String(constant);
  const several = member(schema, "anyOf") ?? member(schema, "oneOf");
  if (Array.isArray(several)) return several.map(takes).join(" | ");
  const type = String(member(schema, "type") ?? "JSON");
  if (type === "array") return `${takes(member(schema, "items"))}, may be repeated`;
  const length = member(schema, "maxLength");
  return length === undefined ? type : `${type}, at most ${length}`;
}

/** A member of a JSON value; undefined if it is absent. */
export function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && key in value ? Reflect.get(value, key) : undefined;
}
