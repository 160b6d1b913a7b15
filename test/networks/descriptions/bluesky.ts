// Bluesky's calls and records, from the lexicons of its own client: `com.atproto.repo.putRecord` is a call,
// `app.bsky.feed.post` a record.
import { schemas } from "@atproto/api";
import { type Description, NO_FIELDS, type Operation } from "./operation.ts";
import { refTo, type Schema } from "./schema.ts";

export const BLUESKY_PACKAGE = "@atproto/api";

interface Definition {
  type: string;
  properties?: Record<string, Definition>;
  required?: string[];
  nullable?: string[];
  items?: Definition;
  ref?: string;
  refs?: string[];
  enum?: string[];
  const?: string | number | boolean;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  record?: Definition;
  parameters?: Definition;
  input?: { encoding: string; schema?: Definition };
  output?: { encoding: string; schema?: Definition };
  errors?: { name: string }[];
}
interface Lexicon {
  id: string;
  defs: Record<string, Definition>;
}

/** A post is the only record that the connector writes. */
const RECORD = "app.bsky.feed.post";

const FORMATS: Record<string, string> = {
  did: "^did:[a-z]+:[a-zA-Z0-9._:%-]+$",
  handle: "^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$",
  "at-uri": "^at://[^\\s]+$",
  cid: "^[a-zA-Z0-9]{8,256}$",
  datetime: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$",
  uri: "^[a-z][a-z0-9+.-]*:[^\\s]+$",
  nsid: "^[a-zA-Z][a-zA-Z0-9.-]+\\.[a-zA-Z][a-zA-Z0-9]*$",
  "record-key": "^[a-zA-Z0-9_~.:-]{1,512}$",
  tid: "^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$",
};

/** `refusals` lists the errors that any call may answer with, in addition to its own errors. */
export function blueskyDescription(calls: readonly string[], refusals: readonly string[]): Description {
  const lexicons: Lexicon[] = JSON.parse(JSON.stringify(schemas));
  const defs: Record<string, Schema> = {};
  for (const { id, defs: definitions } of lexicons) {
    for (const [name, definition] of Object.entries(definitions)) {
      const full = name === "main" ? id : `${id}#${name}`;
      const recordDefinition = definition.type === "record" ? definition.record : definition;
      if (recordDefinition !== undefined && !["query", "procedure", "subscription"].includes(recordDefinition.type))
        defs[full] = toSchema(recordDefinition, id, full);
    }
  }
  const operations = calls.map((name): Operation => {
    const call = lexicons.find(({ id }) => id === name)?.defs.main;
    if (call === undefined) throw new Error(`${BLUESKY_PACKAGE} has no ${name}`);
    const { input, output, parameters, errors = [] } = call;
    const json = input?.encoding === "application/json" && input.schema !== undefined;
    return {
      name,
      method: call.type === "procedure" ? "POST" : "GET",
      host: null,
      path: `/xrpc/${name}`,
      query: parameters === undefined ? NO_FIELDS : toSchema({ ...parameters, type: "object" }, name, null),
      as: [input === undefined ? "none" : json ? "json" : "bytes"],
      body: json ? withRecord(toSchema(input.schema, name, null)) : NO_FIELDS,
      answers: { 200: output?.schema === undefined ? null : withRecord(toSchema(output.schema, name, null)) },
      refusal: {
        type: "object",
        properties: {
          error: { enum: [...refusals, ...errors.map((error) => error.name)] },
          message: { type: "string" },
        },
        required: ["error"],
        additionalProperties: false,
      },
      source: BLUESKY_PACKAGE,
    };
  });
  return { platform: "bluesky", operations, reads: [], defs };
}

/** Where a lexicon allows any record, only a post is expected. */
function withRecord(schema: Schema): Schema {
  const properties = { ...schema.properties };
  for (const name of ["record", "value"]) if (properties[name] !== undefined) properties[name] = refTo(RECORD);
  return { ...schema, properties };
}

function toSchema(definition: Definition | undefined, id: string, name: string | null): Schema {
  const full = (ref: string) =>
    refTo((ref.startsWith("#") ? id + ref : ref).replace(/^lex:/, "").replace(/#main$/, ""));
  switch (definition?.type) {
    case "object": {
      const fields = Object.entries(definition.properties ?? {}).map(([key, value]) => {
        const schema = toSchema(value, id, null);
        return [
          key,
          definition.nullable?.includes(key) === true ? { anyOf: [schema, { type: "null" }] } : schema,
        ] as const;
      });
      const type: Schema = name === null ? { type: "string" } : { enum: [name] };
      return {
        type: "object",
        properties: { $type: type, ...Object.fromEntries(fields) },
        required: definition.required ?? [],
        additionalProperties: false,
      };
    }
    case "array":
      return { type: "array", items: toSchema(definition.items, id, null), ...lengths(definition, "Items") };
    case "string": {
      const pattern = FORMATS[definition.format ?? ""];
      return {
        type: "string",
        ...(pattern === undefined ? {} : { pattern }),
        ...(definition.enum === undefined ? {} : { enum: definition.enum }),
        ...(definition.const === undefined ? {} : { const: definition.const }),
        ...lengths(definition, "Length"),
      };
    }
    case "integer":
      return {
        type: "integer",
        ...(definition.minimum === undefined ? {} : { minimum: definition.minimum }),
        ...(definition.maximum === undefined ? {} : { maximum: definition.maximum }),
      };
    case "boolean":
      return { type: "boolean" };
    case "ref":
      return full(definition.ref ?? "");
    case "union":
      return { anyOf: (definition.refs ?? []).map(full) };
    case "blob":
      return {
        type: "object",
        properties: {
          $type: { enum: ["blob"] },
          ref: {
            type: "object",
            properties: { $link: { type: "string" } },
            required: ["$link"],
            additionalProperties: false,
          },
          mimeType: { type: "string" },
          size: { type: "integer", minimum: 1 },
        },
        required: ["$type", "ref", "mimeType", "size"],
        additionalProperties: false,
      };
    default:
      return {};
  }
}

const lengths = ({ minLength, maxLength }: Definition, unit: "Items" | "Length"): Schema => ({
  ...(minLength === undefined ? {} : { [`min${unit}`]: minLength }),
  ...(maxLength === undefined ? {} : { [`max${unit}`]: maxLength }),
});
