// The values of a node's fields. An expression can result in any value, and n8n passes it on whatever the type of the field
// is. A value of another type is an error of its item: `String` would publish "null" or "[object Object]", and use the same
// idempotency key for all items.
import { type IExecuteFunctions, NodeOperationError } from "n8n-workflow";

/** The item whose fields are read, for errors. */
export interface ItemContext {
  context: IExecuteFunctions;
  item: number;
}

export function refuseInput({ context, item }: ItemContext, message: string, description?: string): NodeOperationError {
  return new NodeOperationError(context.getNode(), message, { description, itemIndex: item });
}

/** A text. A field that is empty, or whose expression has no result, is undefined. */
export function readText(itemContext: ItemContext, field: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  throw refuseInput(itemContext, `${field} must be a text`, `The expression results in ${describe(value)}.`);
}

/** A list of texts, or a text with commas. */
export function readTexts(itemContext: ItemContext, field: string, value: unknown): string[] {
  const entries: unknown[] = Array.isArray(value) ? value : (readText(itemContext, field, value) ?? "").split(",");
  return entries
    .map((entry) => {
      // A result that is missing must not make the list shorter.
      if (entry === null || entry === undefined)
        throw refuseInput(itemContext, `${field} has an entry without a value`);
      return (readText(itemContext, field, entry) ?? "").trim();
    })
    .filter((entry) => entry !== "");
}

/** A time as text. Expressions have JavaScript's dates and Luxon's. */
export function readInstant(itemContext: ItemContext, field: string, value: unknown): string {
  const text = value instanceof Date ? toIso(value) : isLuxonTime(value) ? value.toISO() : value;
  const time = readText(itemContext, field, text);
  if (time === undefined) throw refuseInput(itemContext, `${field} must be a time`);
  return time;
}

const toIso = (date: Date) => (Number.isNaN(date.getTime()) ? null : date.toISOString());

const isLuxonTime = (value: unknown): value is { toISO(): string | null } =>
  typeof value === "object" && value !== null && "toISO" in value && typeof value.toISO === "function";

/** A switch. Expressions often result in the words instead of the values. */
export function readSwitch(itemContext: ItemContext, field: string, value: unknown): boolean {
  if (value === true || value === "true") return true;
  if (value === false || value === "false" || value === undefined) return false;
  throw refuseInput(itemContext, `${field} must be true or false`, `The expression results in ${describe(value)}.`);
}

/** One of the values that a field offers. */
export function readChoice<Choice extends string>(
  itemContext: ItemContext,
  field: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((offered) => offered === value);
  if (choice === undefined) throw refuseInput(itemContext, `${field} must be one of: ${choices.join(", ")}`);
  return choice;
}

/** The members of a field that is a collection; none for a field that is empty. */
export function readCollection(itemContext: ItemContext, field: string, value: unknown): Map<string, unknown> {
  if (value === undefined || value === null || value === "") return new Map();
  if (typeof value !== "object" || Array.isArray(value)) throw refuseInput(itemContext, `${field} must be an object`);
  return new Map(Object.entries(value));
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `the value ${String(value)}`;
}
