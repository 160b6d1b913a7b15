// The envelope of the open API: success is `error.code` "ok", whatever the status.
import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import type { SimulatorEnv } from "../simulator.ts";

export type Call = Context<SimulatorEnv>;
export type Fields = { [key: string]: unknown };

/** A refusal with the network's own message. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const invalid = (message: string) => new Refusal(400, "invalid_params", message);

const logId = () => randomBytes(16).toString("hex").toUpperCase();

/** Ids of posts are int64 numbers, which JavaScript cannot represent: strings in `data` become numbers under this name. */
const NUMBERS = /("publicaly_available_post_id":)\["(\d+)"\]/g;

export function answer(status: number, data: Fields, code = "ok", message = ""): Response {
  const body = JSON.stringify({ data, error: { code, message, log_id: logId() } }).replace(NUMBERS, "$1[$2]");
  return new Response(body, { status, headers: { "content-type": "application/json; charset=utf-8" } });
}

/** A refusal of the token endpoint: flat, and with status 200 for grants. */
export function oauthError(error: string, description: string, status = 200): Response {
  return Response.json({ error, error_description: description, log_id: logId() }, { status });
}

export function bearer(c: Call): string | undefined {
  return /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1];
}

export async function readBody(c: Call): Promise<Fields> {
  if (!(c.req.header("content-type") ?? "").startsWith("application/json"))
    throw invalid("The content type must be application/json; charset=UTF-8");
  const body: unknown = await c.req.json().catch(() => null);
  if (!isFields(body)) throw invalid("The request body is not a JSON object");
  return body;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
export const toFields = (value: unknown): Fields => (isFields(value) ? value : {});
export const toText = (value: unknown): string => (typeof value === "string" ? value : "");
