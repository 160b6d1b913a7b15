// Defines the shape of every operation: context, caller and parsed input in, reply out.
import type * as z from "zod";
import type { Caller, Context } from "../context.ts";
import { has, type Input, type Operation, type Result } from "../contract/operation.ts";
import { refuse } from "../domain/refusal.ts";
import type { RefusalCode } from "../domain/refusal-codes.ts";
import { ask, type Statements } from "../store/db/batch.ts";
import type { Database, In } from "../store/db/db.ts";
import { inWorkspace, orRefuseUnable, refuseUnable, type WorkspaceCaller } from "./caller.ts";
import { type Credentials, identify, identifyAndRead } from "./identify.ts";
import { readIfMatch } from "./if-match.ts";
import { refuseUnwritable } from "./parse-json.ts";
import { READING, refuseIssues } from "./refuse-issues.ts";

/** The success case of the operation, and its body. */
export type Reply<Body> = { status: 204; body: undefined } | Success<Body>;
interface Success<Body> {
  status: 200 | 201 | 202;
  body: Body;
  /** The answer of an earlier call with the same idempotency key. */
  replayed?: boolean;
  /** Only in the answer to a check: the content of the post's files; null if it is not known yet. */
  content?: string | null;
  /** A body that is streamed piece by piece, in place of `body`. */
  pieces?: AsyncGenerator<string>;
}
export type Run<O> = (ctx: Context, caller: Caller, input: Input<O>) => Promise<Reply<Result<O>>>;

/** A workspace operation whose first read depends only on its input: it is sent together with the credential check. */
interface ReadThenRunOf<Validated, Body, First> {
  /** Decides whether a known caller may call now, before their body is read. Throws the refusal. */
  admit?(ctx: Context, caller: WorkspaceCaller): Promise<void>;
  /** `db`: where the workspace's rows are. `workspaceId`: its id, or a subselect that finds it. */
  read(ctx: Context, db: Database, workspaceId: In<string>, input: Validated): Statements<First>;
  run(ctx: Context, caller: WorkspaceCaller, input: Validated, first: First): Promise<Reply<Body>>;
}
export type ReadThenRun<O, First> = ReadThenRunOf<Input<O>, Result<O>, First>;

export const ok = <Body>(body: Body): Reply<Body> => ({ status: 200, body });
export const created = <Body>(body: Body): Reply<Body> => ({ status: 201, body });
export const noContent: Reply<never> = { status: 204, body: undefined };

/** The input as a transport received it, unchecked. */
export interface RawInput {
  params: unknown;
  query: unknown;
  body: unknown;
  /** The header as it was sent; null if it was not sent. */
  idempotencyKey: string | null;
  /** `If-Match`, as it was sent. */
  ifMatch?: string;
  /** The `content` of the check whose exact result is to be carried out. */
  content?: string;
  /** The proof of an earlier sign-in that the caller's browser stores. */
  device?: string;
}

/** An operation as a transport calls it: raw input is parsed by the contract's schemas, then run. */
export interface Handler {
  operation: Operation;
  /** Runs the operation for a caller who is already identified. */
  invoke(ctx: Context, caller: Caller, raw: RawInput): Promise<Reply<unknown>>;
  /** Runs the operation for a caller with these credentials. They are judged before a result or error of `readRaw` is used. */
  invokeFor(ctx: Context, credentials: Credentials, readRaw: () => Promise<RawInput>): Promise<Reply<unknown>>;
}

interface Parsed<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  idempotencyKey: string | null;
  revisions?: readonly number[];
  content?: string;
  device?: string;
}

/** Parses the input of an operation. Throws the refusal of an input that does not match its schemas. */
export function parseInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  operation: Operation<P, Q, B>,
  raw: RawInput,
): Parsed<P, Q, B> {
  return {
    params: parse(operation.params, has(operation, "params") ? raw.params : undefined),
    query: parse(operation.query, has(operation, "query") ? raw.query : undefined),
    body: parse(operation.body, has(operation, "body") ? readable(raw.body) : undefined, operation.violations),
    idempotencyKey: operation.idempotent === true ? readIdempotencyKey(raw.idempotencyKey) : null,
    ...(operation.revised === "conditional" ? { revisions: readIfMatch(raw.ifMatch) } : {}),
    ...(raw.content === undefined ? {} : { content: raw.content }),
    ...(raw.device === undefined ? {} : { device: raw.device }),
  };
}

/** The handler of an operation that must identify its caller first. */
function makeHandler<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  operation: Operation<P, Q, B>,
  work: (ctx: Context, caller: Caller, input: Parsed<P, Q, B>) => Promise<Reply<unknown>>,
  admit: (ctx: Context, caller: Caller) => Promise<void> = async () => {},
): Handler {
  return {
    operation,
    async invoke(ctx, caller, raw) {
      refuseUnable(caller, operation);
      await admit(ctx, caller);
      await locateHome(ctx, caller);
      return orRefuseUnable(caller, operation, async () => work(ctx, caller, parseInput(operation, raw)));
    },
    async invokeFor(ctx, credentials, readRaw) {
      const caller = await identify(ctx, operation, credentials);
      await admit(ctx, caller);
      return orRefuseUnable(caller, operation, async () => work(ctx, caller, parseInput(operation, await readRaw())));
    },
  };
}

/** Combines an operation's contract and its implementation. */
export function bind<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType, First>(
  operation: Operation<P, Q, B, R>,
  work:
    | ((ctx: Context, caller: Caller, input: Parsed<P, Q, B>) => Promise<Reply<z.input<R>>>)
    | ReadThenRunOf<Parsed<P, Q, B>, z.input<R>, First>,
): Handler {
  if (typeof work === "function") return makeHandler(operation, work);
  const { admit } = work;
  if (admit !== undefined) {
    return makeHandler(operation, readThenRun(work), (ctx, caller) => admit(ctx, inWorkspace(caller)));
  }
  return {
    operation,
    async invoke(ctx, caller, raw) {
      refuseUnable(caller, operation);
      return orRefuseUnable(caller, operation, async () => {
        const input = parseInput(operation, raw);
        await locateHome(ctx, caller);
        return readThenRun(work)(ctx, caller, input);
      });
    },
    async invokeFor(ctx, credentials, readRaw) {
      const { caller, input, first } = await identifyAndRead(ctx, operation, credentials, {
        input: async () => parseInput(operation, await readRaw()),
        hasBody: has(operation, "body"),
        read: (db, workspaceId, input) => work.read(ctx, db, workspaceId, input),
      });
      return orRefuseUnable(caller, operation, () => work.run(ctx, caller, input, first));
    },
  };
}

/** The first read and the work in sequence, for a caller who is already identified. */
function readThenRun<Validated, Body, First>(work: ReadThenRunOf<Validated, Body, First>) {
  return async (ctx: Context, caller: Caller, input: Validated): Promise<Reply<Body>> => {
    const workspaceCaller = inWorkspace(caller);
    const db = ctx.databaseOf(workspaceCaller.workspaceId);
    return work.run(ctx, workspaceCaller, input, await ask(db, work.read(ctx, db, workspaceCaller.workspaceId, input)));
  };
}

/** Streams the answer of an operation piece by piece. A refusal is thrown before the first piece. */
export type Stream<O> = (ctx: Context, caller: WorkspaceCaller, input: Input<O>) => AsyncGenerator<string>;

/**
 * Combines the contract of a streaming operation and its implementation. An error before the first piece becomes an
 * ordinary refusal.
 */
export function bindStream<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  operation: Operation<P, Q, B, R>,
  work: (ctx: Context, caller: WorkspaceCaller, input: Parsed<P, Q, B>) => AsyncGenerator<string>,
): Handler {
  return makeHandler(operation, async (ctx, caller, input) => {
    const pieces = work(ctx, inWorkspace(caller), input);
    const first = await pieces.next();
    return { status: 200, body: undefined, pieces: first.done === true ? pieces : resumed(first.value, pieces) };
  });
}

async function* resumed(first: string, remainder: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield first;
    yield* remainder;
  } finally {
    await remainder.return(undefined);
  }
}

/**
 * Locates the workspace of a caller that was identified elsewhere, where the credential already revealed its workspace.
 */
export async function locateHome(ctx: Context, caller: Caller): Promise<void> {
  if (caller.kind !== "nobody" && caller.workspaceId !== null) await ctx.homes.locate(caller.workspaceId);
}

function parse<S extends z.ZodType>(schema: S, value: unknown, violations?: readonly RefusalCode[]): z.output<S> {
  const result = schema.safeParse(value, READING);
  if (!result.success) throw refuseIssues(result.error.issues, violations);
  return result.data;
}

function readable(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw refuse("malformed_json");
  refuseUnwritable(body);
  return body;
}

/** 1 to 255 visible ASCII characters, bare or as a quoted string (RFC 8941); `"k"` equals `k`. */
function readIdempotencyKey(header: string | null): string | null {
  if (header === null) return null;
  const key = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1]?.replace(/\\(["\\])/g, "$1") ?? header;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw refuse("idempotency_key_invalid", { field: "Idempotency-Key" });
  return key;
}
