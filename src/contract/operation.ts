// The definition of an operation for its callers: path, access, input and output. No behavior.
import * as z from "zod";
import type { AccountScope } from "../domain/account-scopes.ts";
import type { RefusalCode } from "../domain/refusal-codes.ts";
import { ABILITIES, type AbilityName, ROLES, type Role, type Scope } from "../domain/roles.ts";
import type { Tag } from "./tags.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/**
 * `none`: no credential; `session`: a signed-in user; `session_in_workspace`: a signed-in user in a workspace that the call
 * names; `key_or_session`: a workspace, by key or by session.
 */
export type Auth = "none" | "session" | "session_in_workspace" | "key_or_session";
/** Whether a caller acts in one workspace. */
export const isInWorkspace = (auth: Auth) => auth === "key_or_session" || auth === "session_in_workspace";
/** Whether only signed-in users may call, not keys. */
export const isForSessions = (auth: Auth) => auth === "session" || auth === "session_in_workspace";

/** The schema of a part that an operation does not have. */
const none = z.undefined();
/** An operation without input and output, to spread before the parts that it does have. */
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
   * The abilities that the caller's role, or the scopes of their key, must allow in the operation's workspace. That is the
   * caller's workspace, or `:id` of the path for a `session` operation. If several are listed, one of them admits the call,
   * and the post decides which are needed.
   */
  ability?: AbilityName | readonly [AbilityName, ...AbilityName[]];
  /**
   * The scopes of account keys that admit the call: one of them is enough. Operations without them admit no account key,
   * except for those that `getAccountScopes` derives.
   */
  accountScopes?: readonly [AccountScope, ...AccountScope[]];
  /**
   * The operation affects more than channels, or channels that do not exist yet. A key limited to some channels may not call
   * it.
   */
  wholeWorkspace?: true;
  tag: Tag;
  summary: string;
  description?: string;
  params: P;
  query: Q;
  body: B;
  /** The content types of a body that is a file: it becomes `{ type, text }`. */
  fileTypes?: readonly string[];
  /** A call without a body counts as a call with an empty object. */
  bodyOptional?: true;
  /** The body of a success, if any. For a stream of JSON: one line of it. */
  result: R;
  /** A success is streamed as a file of this content type and name. */
  stream?: { type: "application/x-ndjson" | "text/csv"; fileName: string };
  /** The success statuses and their meanings, the usual one first. */
  success: Partial<Record<200 | 201 | 202 | 204, string>>;
  /** The body for a status that returns only part of `result`. */
  narrower?: Partial<Record<200 | 201 | 202, z.ZodType>>;
  /** Example bodies by purpose. An operation with a body has at least one. */
  examples?: Record<string, z.input<B>>;
  /** Refusals other than those that every call of its kind can get. */
  refusals: readonly RefusalCode[];
  /** Those refusals that are returned together, as `violations`. */
  violations?: readonly RefusalCode[];
  /** Whether the operation accepts an `Idempotency-Key` header. */
  idempotent?: boolean;
  /** Returns one resource with its revision as `ETag`; `conditional` also accepts `If-Match`. */
  revised?: "told" | "conditional";
  /** Its address contains a secret, so no cache may keep a success. */
  isSecret?: true;
  /** How long any cache may keep a success. */
  cacheSeconds?: number;
  /** A success starts a session (its token also becomes a cookie) or ends the current one. */
  session?: "begins" | "ends";
}

/** The abilities of which the caller needs one in the workspace. If empty, the caller needs none. */
export function getAbilities({ ability }: Pick<Operation, "ability">): readonly AbilityName[] {
  if (ability === undefined) return [];
  return typeof ability === "string" ? [ability] : ability;
}

/** The lowest role that may call an operation; undefined if it belongs to no workspace. */
export function getMinimumRole(operation: Pick<Operation, "ability">): Role | undefined {
  const enough = getAbilities(operation).map((ability) => ABILITIES[ability].from);
  return ROLES.find((role) => enough.includes(role));
}

/** The scopes of which a key needs one. Empty if keys may not call it, or need no scope. */
export function getScopes(operation: Pick<Operation, "auth" | "ability">): readonly Scope[] {
  if (operation.auth !== "key_or_session") return [];
  return [...new Set(getAbilities(operation).flatMap((ability) => ABILITIES[ability].scopes))];
}

/** What `getAccountScopes` needs to know. */
type Admission = Pick<Operation, "auth" | "ability"> & Partial<Pick<Operation, "method" | "accountScopes">>;

/**
 * The scopes of which an account key needs one; empty if account keys may not call the operation. A key with `read` may
 * call everything that reads a workspace and is open to the workspace's own key.
 */
export function getAccountScopes({ auth, ability, method, accountScopes }: Admission): readonly AccountScope[] {
  if (accountScopes !== undefined) return accountScopes;
  return method === "GET" && auth === "key_or_session" && ability === "read" ? ["read"] : [];
}

/** Keeps the schemas' own types. */
export function operation<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  definition: Operation<P, Q, B, R>,
): Operation<P, Q, B, R> {
  return definition;
}

/** Whether an operation has the part that `part` names. */
export function has(operation: Operation, section: "params" | "query" | "body" | "result"): boolean {
  return operation[section] !== none;
}

/** The parsed input of an operation. */
export type Input<O> =
  O extends Operation<infer P, infer Q, infer B, z.ZodType>
    ? {
        params: z.output<P>;
        query: z.output<Q>;
        body: z.output<B>;
        idempotencyKey: string | null;
        /** The revisions that the caller expects; undefined accepts any. */
        revisions?: readonly number[];
        /** The validated content of the files. */
        content?: string;
        /** The device token that the caller's browser stores from an earlier sign-in. */
        device?: string;
      }
    : never;

/** The body of an operation's success. */
export type Result<O> = O extends Operation<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.input<R> : never;
