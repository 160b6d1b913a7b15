// The Graph API of the simulator: fields in the query, a form or JSON; refusals with a number.
import type { Context } from "hono";
import type { SimulatorEnv } from "../simulator.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Fields = { [name: string]: Json };
export type HttpCall = Context<SimulatorEnv>;

/** One call, read completely. */
export interface Call {
  method: string;
  node: string;
  /** Empty for a call on the node itself. */
  edge: string;
  fields: Fields;
  /** A chunk of a video, or its thumbnail. */
  chunk: Uint8Array<ArrayBuffer> | null;
  token: string;
}

/** A refusal with the network's own message. */
export class GraphError extends Error {
  readonly code: number;
  readonly subcode: number | undefined;
  readonly status: number;
  readonly data: Fields | undefined;
  constructor(code: number, message: string, details: { subcode?: number; status?: number; data?: Fields } = {}) {
    super(message);
    this.code = code;
    this.subcode = details.subcode;
    this.status = details.status ?? (code === 10 || (code >= 200 && code < 300) || code === 4 ? 403 : 400);
    this.data = details.data;
  }
}

export const invalidParameter = (message: string, subcode?: number) =>
  new GraphError(100, `(#100) ${message}`, subcode === undefined ? {} : { subcode });
/** The refusal for missing objects, and for objects that the caller may not see. */
export const noObject = (method: string, id: string) =>
  new GraphError(
    100,
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
    { subcode: 33 },
  );

export function render({ code, subcode, status, message, data }: GraphError): Response {
  const type = code === 100 && subcode === 33 ? "GraphMethodException" : "OAuthException";
  const error = { message, type, code, error_subcode: subcode, error_data: data, fbtrace_id: "ASimulatedTrace000000" };
  const headers: Record<string, string> =
    code === 190 ? { "www-authenticate": `OAuth "Facebook Platform" "invalid_token" "${message}"` } : {};
  return Response.json({ error }, { status, headers });
}

export async function readCall(c: HttpCall, method = c.req.method): Promise<Call> {
  const fields: Fields = { ...c.req.query() };
  let chunk: Call["chunk"] = null;
  const type = c.req.header("content-type") ?? "";
  if (type.startsWith("application/json")) {
    const body: unknown = await c.req.json().catch(() => undefined);
    if (!isFields(body)) throw new GraphError(100, "(#100) The body is no JSON object");
    Object.assign(fields, body);
  } else if (type.startsWith("multipart/form-data") || type.startsWith("application/x-www-form-urlencoded")) {
    const form = await c.req.raw.formData().catch(() => null);
    for (const [name, value] of form ?? []) {
      if (typeof value === "string") fields[name] = value;
      else if (name === "video_file_chunk" || name === "source") chunk = new Uint8Array(await value.arrayBuffer());
    }
  }
  const [node, edge] = [c.req.param("node") ?? "", c.req.param("edge") ?? ""];
  const bearer = /^(?:Bearer|OAuth) (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  return { method, node, edge, fields, chunk, token: bearer ?? toText(fields.access_token) };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const toText = (value: Json | undefined): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
export const isTrue = (value: Json | undefined): boolean => value === true || value === "true" || value === "1";

/** The names in `fields`, without text in brackets or after a dot. */
export function fieldsWanted(call: Call): string[] {
  let names = toText(call.fields.fields);
  while (names.includes("{") && /\{[^{}]*\}/.test(names)) names = names.replace(/\{[^{}]*\}/g, "");
  return names
    .split(/,(?![^()]*\))/)
    .map((name) => name.split(".")[0] ?? "")
    .filter(Boolean);
}

/** The requested members of an object, and its id. Throws for an unknown member. */
export function select(call: Call, type: string, object: Fields & { id: string }): Fields {
  const selected: Fields = { id: object.id };
  for (const name of fieldsWanted(call)) {
    if (!(name in object)) throw invalidParameter(`Tried accessing nonexisting field (${name}) on node type (${type})`);
    const value = object[name];
    if (value !== undefined && value !== null) selected[name] = value;
  }
  return selected;
}

/** A time in the network's format. */
export const formatTime = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}+0000`;
