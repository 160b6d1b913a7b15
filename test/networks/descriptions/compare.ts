// Compares a connector's call and the simulator's answer with the description of the network's owner.
import { type Description, type Form, matches, type Operation } from "./operation.ts";
import { describes, listDeviations, listForms, type Schema } from "./schema.ts";

/** One call and its answer. */
export interface Exchange {
  platform: string;
  method: string;
  /** Null if the address was named by an answer. */
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
  /** The value of JSON or the fields of a form; undefined for bytes. */
  value?: unknown;
}

/**
 * Lists the deviations of an exchange from the description. With `open`, an answer may have undescribed fields, as a
 * real network's answers will sooner or later.
 */
export function compare(exchange: Exchange, description: Description, { open = false } = {}): string[] {
  const { operations } = description;
  const { method, host, pathname } = exchange;
  const samePath = operations.filter((operation) => matches(operation, exchange));
  const candidates = samePath.filter((operation) => operation.method === method);
  if (candidates.length === 0) {
    const methods =
      samePath.length > 0 ? `only ${samePath.map((operation) => operation.method).join(", ")}` : "nothing";
    return [`${exchange.platform} ${method} ${host ?? ""}${pathname}: described is ${methods}`];
  }
  // Two calls may share a path, for example those of a container and of a post. The exchange must match one of them.
  const deviationsByOperation = candidates.map((operation) => findDeviations(exchange, operation, description, open));
  return deviationsByOperation.reduce((best, deviationList) =>
    deviationList.length < best.length ? deviationList : best,
  );
}

function findDeviations(
  exchange: Exchange,
  operation: Operation,
  { defs, reads }: Description,
  open: boolean,
): string[] {
  const { query, sent, status, answer } = exchange;
  const report = (where: string, deviation: string) =>
    `${exchange.platform} ${operation.name} (${operation.source}): ${where}: ${deviation}`;
  const lines: string[] = [];
  // A rejected call may deviate: that may be why it was rejected.
  if (status < 400) {
    const typedQuery = toTypes(query, operation.query, defs);
    lines.push(...listDeviations(typedQuery, operation.query, defs).map((deviation) => report("query", deviation)));
    lines.push(...checkBody(sent, operation, defs).map((deviation) => report("body", deviation)));
  }
  const described = operation.answers[status];
  if (described === undefined && status < 400) {
    lines.push(report("answer", `status ${status}, described are ${Object.keys(operation.answers).join(", ")}`));
    return lines;
  }
  const schema = described === undefined ? operation.refusal : described;
  lines.push(
    ...checkAnswer(answer, status, schema, defs, open).map((deviation) => report(`answer ${status}`, deviation)),
  );
  // An answer that may also be a refusal is compared with both.
  const schemas = [operation.refusal, ...Object.values(operation.answers)].filter(
    (schemaOrNull) => schemaOrNull !== null,
  );
  const tolerated = reads.filter(({ calls }) => calls.includes(operation.name)).flatMap(({ fields }) => fields);
  for (const field of new Set(exchange.reads.map((path) => path.join(".")))) {
    if (tolerated.includes(field) || schemas.some((schema) => describes(schema, field.split("."), defs))) continue;
    lines.push(report(`answer ${status}`, `reads ${field}`));
  }
  return lines;
}

function checkBody({ as: form, value }: Sent, operation: Operation, defs: Record<string, Schema>): string[] {
  if (!operation.as.includes(form)) return [`sent as ${form}, described as ${operation.as.join(" or ")}`];
  if (form === "bytes" || form === "none") return [];
  const fields = Array.isArray(value) && form !== "json" ? toTypes(value, operation.body, defs) : value;
  return listDeviations(fields, operation.body, defs);
}

function checkAnswer(
  answer: string,
  status: number,
  schema: Schema | null,
  defs: Record<string, Schema>,
  open: boolean,
): string[] {
  if (schema === null) return answer === "" ? [] : [`not empty: ${answer.slice(0, 100)}`];
  const value = parseJson(answer);
  if (value !== undefined) return listDeviations(value, schema, defs, open);
  // A refusal may be empty or an HTML page, because every network has servers in front of it that do not answer in
  // JSON.
  return status >= 400 ? [] : [`no JSON: ${answer.slice(0, 100)}`];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Converts the text fields of a query or a form to the described types. */
function toTypes(
  fields: readonly [string, string][],
  schema: Schema,
  defs: Record<string, Schema>,
): Record<string, unknown> {
  const described = listForms(schema, defs);
  const value: Record<string, unknown> = {};
  for (const name of new Set(fields.map(([name]) => name))) {
    const texts = fields.flatMap(([key, text]) => (key === name ? [text] : []));
    const field =
      described
        .map(({ properties }) => properties?.[name])
        .find((schemaOrUndefined) => schemaOrUndefined !== undefined) ?? {};
    const forms = listForms(field, defs);
    const list = forms.find(({ type }) => type === "array");
    const [first = ""] = texts;
    if (list !== undefined && !first.startsWith("[")) {
      const items = (texts.length > 1 ? texts : splitList(first)).map((item) =>
        toScalar(item, listForms(list.items ?? {}, defs)),
      );
      value[name] = items;
    } else value[name] = texts.length > 1 ? texts : toScalar(first, forms);
  }
  return value;
}

function toScalar(text: string, forms: readonly Schema[]): unknown {
  const types = forms.flatMap(({ type, enum: values }) => type ?? values?.map((enumValue) => typeof enumValue) ?? []);
  if (types.includes("string")) return text;
  const value = parseJson(text);
  return value !== undefined && types.length > 0 ? value : text;
}

/** Splits `a,b.limit(0),c{d,e}` into a, b, c. */
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
