// A call of the Bot API: fields of a query, a JSON body or a form, and the files of a form.
import type { Context } from "hono";
import type { SimulatorEnv } from "../simulator.ts";
import { BotError } from "./errors.ts";

export type Fields = Record<string, unknown>;
export interface Upload {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
}
export interface Input {
  fields: Fields;
  files: Map<string, Upload>;
}

/** Fields that contain JSON when they are sent in a form or a query. */
const JSON_FIELDS = new Set(["media", "reply_markup", "link_preview_options", "entities", "caption_entities"]);

export async function readCall(c: Context<SimulatorEnv>): Promise<Input> {
  const fields: Fields = {};
  const files = new Map<string, Upload>();
  for (const [name, value] of Object.entries(c.req.query())) fields[name] = parseField(name, value);
  const type = c.req.header("content-type") ?? "";
  if (type.startsWith("application/json")) {
    const body: unknown = await c.req.json().catch(() => undefined);
    if (!isFields(body)) throw new BotError(400, "can't parse JSON object");
    Object.assign(fields, body);
  } else if (type.startsWith("multipart/") || type.startsWith("application/x-www-form-urlencoded")) {
    const form = await c.req.formData().catch(() => {
      throw new BotError(400, "can't parse the form");
    });
    for (const [name, value] of form) {
      if (typeof value === "string") fields[name] = parseField(name, value);
      else files.set(name, { bytes: new Uint8Array(await value.arrayBuffer()), type: value.type });
    }
  }
  return { fields, files };
}

function parseField(name: string, value: string): unknown {
  if (!JSON_FIELDS.has(name)) return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new BotError(400, `can't parse ${name} JSON object`);
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
