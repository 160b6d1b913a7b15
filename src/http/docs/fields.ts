// A schema as a table for people: names, types, limits, meaning.
import { html } from "hono/html";
import type { Schema } from "../openapi/types.ts";
import { type Html, inline } from "./markdown.ts";
import { table } from "./table.ts";

/** Longer lists of values appear in the description, or in a separate table. */
const VALUES_SHOWN_MAX = 20;

interface Field {
  name: string;
  schema: Schema;
  required: boolean;
}

/** The fields of an object, followed by those of the unnamed objects inside it. */
function listFields(schema: Schema, prefix = ""): Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, propertySchema]) => {
    const field = { name: `${prefix}${name}`, schema: propertySchema, required: required.includes(name) };
    const object = propertySchema.anyOf?.find((option) => option.properties !== undefined) ?? propertySchema;
    if (object.properties !== undefined) return [field, ...listFields(object, `${field.name}.`)];
    if (object.items?.properties !== undefined) return [field, ...listFields(object.items, `${field.name}[].`)];
    return [field];
  });
}

/** `io`: for a request, the table marks the required fields; for an answer, the fields that may be absent. */
export function fieldTable(schema: Schema, io: "input" | "output"): Html {
  const fields = listFields(schema);
  if (fields.length === 0) return html`<p>${renderType(schema)}</p>`;
  const rows = fields.map(
    ({ name, schema, required }) => html`<tr><td><code>${renderName(name)}</code>${mark(required, io)}</td>
      <td>${renderType(schema)}</td><td>${renderMeaning(schema, io)}</td></tr>`,
  );
  return table("fields", "Fields", ["Field", "Type", "Meaning"], rows);
}

/** A name that may wrap only after each segment. The segments before the last are lighter. */
function renderName(name: string): Html {
  const [last, ...before] = name.split(".").reverse();
  return html`${before.reverse().map((step) => html`<small>${step}.</small><wbr>`)}${last}`;
}

function mark(required: boolean, io: "input" | "output"): Html | "" {
  if (io === "input") return required ? html` <span class="required">required</span>` : "";
  return required ? "" : html` <span class="optional">may be absent</span>`;
}

/** The type in words, with links to named types. */
export function renderType(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return html`<a href="#object-${name}">${name}</a>`;
  }
  const options = schema.anyOf ?? schema.allOf;
  if (options !== undefined)
    return html`${options.map((option, i) => html`${i === 0 ? "" : " or "}${renderType(option)}`)}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.items !== undefined) return html`list of ${renderType(schema.items)}`;
  if (typeof schema.additionalProperties === "object" && schema.properties === undefined)
    return html`map of ${renderType(schema.additionalProperties)}`;
  if (schema.format === "date-time") return html`instant`;
  return html`${[schema.type ?? "any"].flat().join(" or ")}`;
}

/** The description, the allowed values, and the limits of an input. */
export function renderMeaning(schema: Schema, io: "input" | "output"): Html {
  const options = [schema, ...(schema.anyOf ?? [])];
  const description = options.map((option) => option.description).find((text) => text !== undefined);
  const limits = io === "output" ? "" : (options.map(describeLimits).find((text) => text !== "") ?? "");
  const values = options.map((option) => (option.items ?? option).enum).find((list) => list !== undefined) ?? [];
  return html`${description === undefined ? "" : inline(description)}${
    values.length === 0 || values.length > VALUES_SHOWN_MAX
      ? ""
      : html` <span class="values">${values.map((value) => html`<code>${String(value)}</code> `)}</span>`
  }${limits === "" ? "" : html` <span class="limit">${limits}</span>`}`;
}

function describeLimits(schema: Schema): string {
  const inner = schema.items === undefined ? "" : describeLimits(schema.items);
  return [
    range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "items"),
    range(schema.minimum, schema.maximum, ""),
    inner === "" ? "" : `each ${inner}`,
  ]
    .filter((text) => text !== "")
    .join("; ");
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const number = (value: number) => value.toLocaleString("en");
  if (from === undefined && to === undefined) return "";
  const typeText =
    from === undefined || from === 0
      ? to === undefined
        ? "at least 0"
        : `at most ${number(to)}`
      : to === undefined
        ? `at least ${number(from)}`
        : `${number(from)} to ${number(to)}`;
  return `${typeText} ${unit}`.trim();
}
