// Whether a call of a connector and the answer of a simulator are as the network's owner describes them.
import { type Description, type Form, matches, type Operation } from "./operation.ts";
import { describes, deviationsOf, formsOf, type Schema } from "./schema.ts";

/** One call and its answer. */
export interface Exchange {
  platform: string;
  method: string;
  /** Null: the address was named by an answer. */
  host: string | null;
  pathname: string;
  query: [string, string][];
  sent: Sent;
  status: number;
  /** The text of the answer. */
  answer: string;
  /** Fields of the answer that the connector read, as paths. */
  reads: readonly (readonly string[])[];
}

export interface Sent {
  as: Form;
  /** The value of JSON, the fields of a form; undefined for bytes. */
  value?: unknown;
}

/**
 * What of an exchange is not as described, or nothing. `open`: an answer may have fields that are not described, as those of a
 * real network do sooner or later.
 */
export function compare(exchange: Exchange, description: Description, { open = false } = {}): string[] {
  const { operations } = description;
  const { method, host, pathname } = exchange;
  const there = operations.filter((one) => matches(one, exchange));
  const candidates = there.filter((one) => one.method === method);
  if (candidates.length === 0) {
    const what = there.length > 0 ? `only ${there.map((one) => one.method).join(", ")}` : "nothing";
    return [`${exchange.platform} ${method} ${host ?? ""}${pathname}: described is ${what}`];
  }
  // Two calls may have one path: of a container and of a post, say. One of them it must be.
  const found = candidates.map((operation) => deviations(exchange, operation, description, open));
  return found.reduce((best, one) => (one.length < best.length ? one : best));
}

function deviations(exchange: Exchange, operation: Operation, { defs, reads }: Description, open: boolean): string[] {
  const { query, sent, status, answer } = exchange;
  const said = (where: string, what: string) =>
    `${exchange.platform} ${operation.name} (${operation.source}): ${where}: ${what}`;
  const all: string[] = [];
  // What the network refused need not be as it wants it: that is why it was refused.
  if (status < 400) {
    const asked = coerced(query, operation.query, defs);
    all.push(...deviationsOf(asked, operation.query, defs).map((what) => said("query", what)));
    all.push(...ofBody(sent, operation, defs).map((what) => said("body", what)));
  }
  const described = operation.answers[status];
  if (described === undefined && status < 400) {
    all.push(said("answer", `status ${status}, described are ${Object.keys(operation.answers).join(", ")}`));
    return all;
  }
  const schema = described === undefined ? operation.refusal : described;
  all.push(...ofAnswer(answer, status, schema, defs, open).map((what) => said(`answer ${status}`, what)));
  // What may be a refusal as well is looked at as both.
  const known = [operation.refusal, ...Object.values(operation.answers)].filter((one) => one !== null);
  const tolerated = reads.filter(({ calls }) => calls.includes(operation.name)).flatMap(({ fields }) => fields);
  for (const field of new Set(exchange.reads.map((path) => path.join(".")))) {
    if (tolerated.includes(field) || known.some((one) => describes(one, field.split("."), defs))) continue;
    all.push(said(`answer ${status}`, `reads ${field}`));
  }
  return all;
}

function ofBody({ as, value }: Sent, operation: Operation, defs: Record<string, Schema>): string[] {
  if (!operation.as.includes(as)) return [`sent as ${as}, described as ${operation.as.join(" or ")}`];
  if (as === "bytes" || as === "none") return [];
  const fields = Array.isArray(value) && as !== "json" ? coerced(value, operation.body, defs) : value;
  return deviationsOf(fields, operation.body, defs);
}

function ofAnswer(
  answer: string,
  status: number,
  schema: Schema | null,
  defs: Record<string, Schema>,
  open: boolean,
): string[] {
  if (schema === null) return answer === "" ? [] : [`not empty: ${answer.slice(0, 100)}`];
  const value = parsed(answer);
  if (value !== undefined) return deviationsOf(value, schema, defs, open);
  // A refusal may be empty or a page of HTML: every network has servers in front of it that speak no JSON.
  return status >= 400 ? [] : [`no JSON: ${answer.slice(0, 100)}`];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of a query or a form, which are text, as the types that are described. */
function coerced(
  fields: readonly [string, string][],
  schema: Schema,
  defs: Record<string, Schema>,
): Record<string, unknown> {
  const described = formsOf(schema, defs);
  const value: Record<string, unknown> = {};
  for (const name of new Set(fields.map(([name]) => name))) {
    const texts = fields.flatMap(([key, text]) => (key === name ? [text] : []));
    const field = described.map(({ properties }) => properties?.[name]).find((one) => one !== undefined) ?? {};
    const forms = formsOf(field, defs);
    const list = forms.find(({ type }) => type === "array");
    const [first = ""] = texts;
    if (list !== undefined && !first.startsWith("[")) {
      const items = (texts.length > 1 ? texts : splitList(first)).map((item) =>
        scalar(item, formsOf(list.items ?? {}, defs)),
      );
      value[name] = items;
    } else value[name] = texts.length > 1 ? texts : scalar(first, forms);
  }
  return value;
}

function scalar(text: string, forms: readonly Schema[]): unknown {
  const types = forms.flatMap(({ type, enum: values }) => type ?? values?.map((one) => typeof one) ?? []);
  if (types.includes("string")) return text;
  const value = parsed(text);
  return value !== undefined && types.length > 0 ? value : text;
}

/** `a,b.limit(0),c{d,e}`: a, b, c. */
function splitList(text: string): string[] {
  const items = [""];
  let depth = 0;
  for (const sign of text) {
    if ("({".includes(sign)) depth++;
    else if (")}".includes(sign)) depth--;
    else if (depth === 0 && sign === ",") items.push("");
    else if (depth === 0) items.push(`${items.pop()}${sign}`);
  }
  return items.map((item) => item.replace(/\.(limit|summary|type)\b.*$/, ""));
}
