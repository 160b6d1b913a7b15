// X, from its own SDK, which is generated from its OpenAPI document: paths from the code, schemas from the
// declarations.
import { readFileSync } from "node:fs";
import { ROOT } from "../../support/documents/markdown.ts";
import type { Description, Operation } from "./operation.ts";
import { NO_FIELDS } from "./operation.ts";
import { listForms, refTo, type Schema } from "./schema.ts";
import { readDeclarations } from "./typescript.ts";

export const X_PACKAGE = "@xdevplatform/xdk";

interface Used {
  /** `POST /2/tweets`, as in the SDK's code. */
  call: string;
  /** The names of its schemas in the declarations. */
  body?: string;
  answer: string;
  /** The type of the SDK's options. Their lists of fields are the values of the query. */
  options?: string;
  status?: number;
}

// The SDK writes names in camel case, and the names on the wire next to its options: `postFields` is `post.fields`.
const onTheWire = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const inQuery = (name: string): string => onTheWire(name).replace(/_fields$/, ".fields");

export function xDescription(used: readonly Used[], refusal: Schema): Description {
  const folder = `${ROOT}/node_modules/${X_PACKAGE}/dist`;
  const { defs } = readDeclarations([`${folder}/index.d.ts`], onTheWire);
  const code = readFileSync(`${folder}/index.js`, "utf8");
  const operations = used.map(({ call, body, answer, options, status = 200 }): Operation => {
    const [method = "", path = ""] = call.split(" ");
    for (const name of [body, answer, options])
      if (name !== undefined && !(name in defs)) throw new Error(`${X_PACKAGE} has no ${name}`);
    return {
      name: call,
      method,
      host: "api.x.com",
      path,
      query: readQuery(code, method, path, options === undefined ? {} : (defs[options] ?? {}), defs),
      as: [body === undefined ? "none" : "json"],
      body: body === undefined ? NO_FIELDS : refTo(body),
      answers: { [status]: refTo(answer) },
      refusal,
      source: X_PACKAGE,
    };
  });
  return { platform: "x", operations, reads: [], defs };
}

/** The names that the function of a call puts into its query, with the values of its options. */
function readQuery(code: string, method: string, path: string, options: Schema, defs: Record<string, Schema>): Schema {
  const functions = code
    .split(/\n {2}\/\/ Implementation\n/)
    .filter((source) => source.includes(`let path = "${path}";`));
  const functionSource = functions.find((source) => source.includes(`      "${method}",`));
  if (functionSource === undefined) throw new Error(`${X_PACKAGE} does not call ${method} ${path}`);
  const names = [...functionSource.matchAll(/params\.append\(\s*"([^"]+)"/g)].flatMap(([, name]) => name ?? []);
  const typed = listForms(options, defs).flatMap(({ properties = {} }) =>
    Object.entries(properties).map(([name, schema]) => [inQuery(name.replace(/_fields$/, "Fields")), schema] as const),
  );
  const types = Object.fromEntries(typed);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, types[name] ?? {}])),
    additionalProperties: false,
  };
}
