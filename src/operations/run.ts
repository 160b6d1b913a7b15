// The shape of every operation: context and caller and parsed input in, reply out.
import type * as z from "zod";
import type { Caller, Context } from "../context.ts";
import { has, type Input, type Operation, type Result } from "../contract/operation.ts";
import { unwritable } from "../domain/json.ts";
import { refuse } from "../domain/refusal.ts";
import { pointer, refuseIssues } from "./refuse-issues.ts";

/** Which of the operation's successes this is, and its body. */
export type Reply<Body> = { status: 204; body: undefined } | Success<Body>;
interface Success<Body> {
  status: 200 | 201 | 202;
  body: Body;
  /** The answer of an earlier call with the same idempotency key. */
  replayed?: boolean;
}
export type Run<O> = (ctx: Context, caller: Caller, input: Input<O>) => Promise<Reply<Result<O>>>;

export const ok = <Body>(body: Body): Reply<Body> => ({ status: 200, body });
export const created = <Body>(body: Body): Reply<Body> => ({ status: 201, body });
export const noContent: Reply<never> = { status: 204, body: undefined };

/** What a transport hands over: nothing has been checked yet. */
export interface RawInput {
  params: unknown;
  query: unknown;
  body: unknown;
  /** As it was sent; null when it was not. */
  idempotencyKey: string | null;
}

/** An operation as a transport calls it: raw input is parsed by the contract's schemas, then run. */
export interface Bound {
  operation: Operation;
  perform(ctx: Context, caller: Caller, raw: RawInput): Promise<Reply<unknown>>;
}

/** Puts an operation's contract and its work together. */
export function bind<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  operation: Operation<P, Q, B, R>,
  run: (
    ctx: Context,
    caller: Caller,
    input: { params: z.output<P>; query: z.output<Q>; body: z.output<B>; idempotencyKey: string | null },
  ) => Promise<Reply<z.input<R>>>,
): Bound {
  return {
    operation,
    async perform(ctx, caller, raw) {
      return run(ctx, caller, {
        params: parse(operation.params, has(operation, "params") ? raw.params : undefined),
        query: parse(operation.query, has(operation, "query") ? raw.query : undefined),
        body: parse(operation.body, has(operation, "body") ? readable(raw.body) : undefined),
        idempotencyKey: operation.idempotent === true ? readIdempotencyKey(raw.idempotencyKey) : null,
      });
    },
  };
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) throw refuseIssues(result.error.issues);
  return result.data;
}

function readable(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw refuse("malformed_json");
  const path = unwritable(body);
  if (path !== null) {
    throw refuse("invalid_field", {
      field: pointer(path),
      message: "A text has a NUL or half of a surrogate pair in it, and cannot be passed on as it is.",
      hint: "Leave the character out; one outside the basic plane is two escapes together, as `\\ud83d\\ude00`.",
    });
  }
  return body;
}

/** 1 to 255 visible ASCII characters, bare or as a quoted string (RFC 8941); `"k"` equals `k`. */
function readIdempotencyKey(header: string | null): string | null {
  if (header === null) return null;
  const key = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1]?.replace(/\\(["\\])/g, "$1") ?? header;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw refuse("idempotency_key_invalid", { field: "Idempotency-Key" });
  return key;
}
