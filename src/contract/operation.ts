// What an operation is to its callers: where it stands, who may call it, what goes in and what comes out. No behaviour.
import * as z from "zod";
import type { RefusalCode } from "../domain/refusal-codes.ts";
import { ABILITIES, type AbilityName, ROLES, type Role, type Scope } from "../domain/roles.ts";
import type { Tag } from "./tags.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/**
 * `none`: no credential; `session`: a signed-in user; `session_in_workspace`: one in a workspace that they name;
 * `key_or_session`: a workspace, by key or by session.
 */
export type Auth = "none" | "session" | "session_in_workspace" | "key_or_session";
/** Whether a caller acts in one workspace. */
export const isInWorkspace = (auth: Auth) => auth === "key_or_session" || auth === "session_in_workspace";
/** Whether a signed-in user may call, and no key. */
export const isForSessions = (auth: Auth) => auth === "session" || auth === "session_in_workspace";

/** The schema of what an operation does not have. */
const none = z.undefined();
/** An operation without input and output, to spread before what it does have. */
export const plain = { params: none, query: none, body: none, result: none };

export interface Operation<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  method: Method;
  /** With `:name` for a parameter. */
  path: string;
  auth: Auth;
  /**
   * What the caller's role must allow, or the scopes of their key, in the workspace of the operation. That is the caller's; of a
   * `session` operation it is `:id` of the address. Of several one is enough to call it at all: which of them it takes, the
   * post says.
   */
  ability?: AbilityName | readonly [AbilityName, ...AbilityName[]];
  /** It concerns more than channels, or channels that are not there yet: nothing for a key that is limited to some. */
  wholeWorkspace?: true;
  tag: Tag;
  summary: string;
  description?: string;
  params: P;
  query: Q;
  body: B;
  /** The content types of a body that is a file: it is taken as `{ type, text }`. */
  fileTypes?: readonly string[];
  /** A call without a body is one with an empty object. */
  bodyOptional?: true;
  /** The body of a success, where it has one. Of a stream of JSON: one line of it. */
  result: R;
  /** A success goes out piece by piece, as a file of this content type and name. */
  stream?: { type: "application/x-ndjson" | "text/csv"; fileName: string };
  /** The statuses of a success and what each means, the usual one first. */
  success: Partial<Record<200 | 201 | 202 | 204, string>>;
  /** The body under a status that has only a part of `result`. */
  narrower?: Partial<Record<200 | 201 | 202, z.ZodType>>;
  /** Bodies worth showing, by what they do. An operation with a body has at least one. */
  examples?: Record<string, z.input<B>>;
  /** Refusals beyond those that every call of its kind can get. */
  refusals: readonly RefusalCode[];
  /** Those of them that come as `violations`, all at once. */
  violations?: readonly RefusalCode[];
  /** Takes an `Idempotency-Key` header. */
  idempotent?: boolean;
  /** Answers one resource with its revision as `ETag`; `conditional` also takes `If-Match`. */
  revised?: "told" | "conditional";
  /** Anybody may keep a success for so long. */
  cacheSeconds?: number;
  /** A success begins a session (its token also becomes a cookie) or ends the current one. */
  session?: "begins" | "ends";
}

/** What an operation asks of its caller in the workspace: one of these. None: nothing. */
export function abilitiesOf({ ability }: Pick<Operation, "ability">): readonly AbilityName[] {
  if (ability === undefined) return [];
  return typeof ability === "string" ? [ability] : ability;
}

/** The smallest role that may call an operation; undefined: it is of no workspace. */
export function roleOf(operation: Pick<Operation, "ability">): Role | undefined {
  const enough = abilitiesOf(operation).map((ability) => ABILITIES[ability].from);
  return ROLES.find((role) => enough.includes(role));
}

/** The scopes of which a key needs one; none: it is nothing for keys, or needs no scope. */
export function scopesOf(operation: Pick<Operation, "auth" | "ability">): readonly Scope[] {
  if (operation.auth !== "key_or_session") return [];
  return [...new Set(abilitiesOf(operation).flatMap((ability) => ABILITIES[ability].scopes))];
}

/** Keeps the schemas' own types. */
export function operation<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  definition: Operation<P, Q, B, R>,
): Operation<P, Q, B, R> {
  return definition;
}

/** Whether an operation takes or gives what `part` describes. */
export function has(operation: Operation, part: "params" | "query" | "body" | "result"): boolean {
  return operation[part] !== none;
}

/** The parsed input of an operation. */
export type Input<O> =
  O extends Operation<infer P, infer Q, infer B, z.ZodType>
    ? {
        params: z.output<P>;
        query: z.output<Q>;
        body: z.output<B>;
        idempotencyKey: string | null;
        /** The revisions that the caller would have changed; none: any. */
        revisions?: readonly number[];
        /** The files' content that the caller had checked. */
        content?: string;
        /** What the caller's browser keeps of an earlier sign-in. */
        device?: string;
      }
    : never;

/** The body of an operation's success. */
export type Result<O> = O extends Operation<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.input<R> : never;
