// The conventions of the Graph API: parameters come from a query, a form or JSON, and a refusal is one error object.
import { createHash, randomInt } from "node:crypto";
import type { Context } from "hono";
import type { SimulatorEnv } from "../simulator.ts";

export type Call = Context<SimulatorEnv>;
export type Fields = Record<string, string>;

/** A refusal with the network's own message and codes. */
export class GraphError extends Error {
  readonly status: number;
  readonly code: number;
  readonly subcode: number | undefined;
  /** The message for the user. */
  readonly said: string | undefined;
  constructor(
    code: number,
    subcode: number | undefined,
    message: string,
    details: { status?: number; said?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.subcode = subcode;
    this.status = details.status ?? 400;
    this.said = details.said;
  }

  response(): Response {
    const error = {
      message: this.message,
      type: "OAuthException",
      code: this.code,
      ...(this.subcode === undefined ? {} : { error_subcode: this.subcode }),
      is_transient: false,
      ...(this.said === undefined ? {} : { error_user_title: "Error", error_user_msg: this.said }),
      fbtrace_id: `A${digits(10)}`,
    };
    return Response.json({ error }, { status: this.status });
  }
}

export const invalidParameter = (message: string) => new GraphError(100, undefined, `(#100) ${message}`);
export const forbidden = () =>
  new GraphError(10, undefined, "(#10) Application does not have permission for this action", { status: 403 });
export const notFound = (id: string) =>
  new GraphError(
    100,
    33,
    `Unsupported get request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
  );

export async function readFields(c: Call): Promise<Fields> {
  const fields: Fields = { ...c.req.query() };
  const bearer = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1];
  if (bearer !== undefined) fields.access_token = bearer;
  if (c.req.method === "GET") return fields;
  const type = c.req.header("content-type") ?? "";
  if (type.startsWith("application/json")) {
    const body: Record<string, unknown> = await c.req.json().catch(() => ({}));
    for (const [name, value] of Object.entries(body))
      fields[name] = typeof value === "string" ? value : JSON.stringify(value);
  } else if (type !== "") {
    const form = await c.req.formData().catch(() => new FormData());
    for (const [name, value] of form) if (typeof value === "string") fields[name] = value;
  }
  return fields;
}

/** A boolean parameter; undefined if it is missing. */
export function parseBoolean(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (!["true", "false", "1", "0"].includes(value)) throw invalidParameter(`Param ${name} must be a boolean`);
  return value === "true" || value === "1";
}

const digits = (count: number) => Array.from({ length: count }, () => String(randomInt(10))).join("");

/** An id too large for a JavaScript number. */
export const newId = () => `179${digits(14)}`;
/** The permanent id of an account. */
export const makeAccountId = (username: string) =>
  `17841${(BigInt(`0x${createHash("sha256").update(username).digest("hex").slice(0, 12)}`) % 10n ** 12n).toString().padStart(12, "0")}`;

/** A time in the network's format. */
export const formatTime = (atMs: number) => new Date(atMs).toISOString().replace(/\.\d+Z$/, "+0000");
