// The Bot API, from grammY's types, which are generated for each of its releases.
import { globSync } from "node:fs";
import { ROOT } from "../../support/documents/markdown.ts";
import type { Description } from "./operation.ts";
import { NO_FIELDS } from "./operation.ts";
import type { Schema } from "./schema.ts";
import { readDeclarations } from "./typescript.ts";

export const TELEGRAM_PACKAGE = "@grammyjs/types";

export function telegramDescription(methods: readonly string[]): Description {
  const types = readDeclarations(globSync(`${ROOT}/node_modules/${TELEGRAM_PACKAGE}/*.d.ts`).sort());
  const described = types.methods("ApiMethods");
  const operations = methods.map((name) => {
    const method = described[name];
    if (method === undefined) throw new Error(`${TELEGRAM_PACKAGE} has no ${name}`);
    const answer: Schema = {
      type: "object",
      properties: { ok: { enum: [true] }, result: method.answer },
      required: ["ok", "result"],
      additionalProperties: false,
    };
    return {
      name,
      method: "POST",
      host: "api.telegram.org",
      path: `/{bot}/${name}`,
      query: NO_FIELDS,
      as: ["json" as const, "multipart" as const, "none" as const],
      body: withFiles(method.args),
      answers: { 200: answer },
      refusal: { $ref: "#/$defs/ApiError" },
      source: TELEGRAM_PACKAGE,
    };
  });
  return { platform: "telegram", operations, reads: [], defs: types.defs };
}

/** Files in a form have names that other fields refer to: `attach://name`. */
const withFiles = (args: Schema): Schema => ({ ...args, additionalProperties: { enum: [FILE] } });

/** The value that represents a file in a form. */
export const FILE = "(a file)";
