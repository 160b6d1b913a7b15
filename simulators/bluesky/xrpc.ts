// XRPC in the simulator: JSON in, JSON out, refusals with a name.
import type { Context } from "hono";
import type { SimulatorEnv } from "../simulator.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Call = Context<SimulatorEnv>;

/** A refusal with the network's own message. */
export class XrpcError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const invalid = (message: string) => new XrpcError(400, "InvalidRequest", message);

/** Registers one method under its name, so that the server and the rules for faults see each call of it. */
export type Method = (kind: "get" | "post", nsid: string, act: (c: Call) => Promise<Response> | Response) => void;

export function bearer(c: Call): string | undefined {
  return /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
}

export async function readBody(c: Call): Promise<JsonObject> {
  const type = c.req.header("content-type") ?? "";
  if (!type.startsWith("application/json")) throw invalid(`Wrong request encoding (Content-Type): ${type}`);
  const body: Json = await c.req.json().catch(() => null);
  if (!isObject(body)) throw invalid("Request body must be an object");
  return body;
}

/** Methods without input refuse a body. */
export async function expectNoBody(c: Call): Promise<void> {
  if ((await c.req.text()) !== "") throw invalid("A request body was provided when none was expected");
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function toObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The object in a JSON text. Throws if the text is not JSON. */
export function parseObject(text: string): JsonObject {
  const value: Json = JSON.parse(text);
  return toObject(value);
}

export function toText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
