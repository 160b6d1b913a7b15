// Identifies the caller and their workspace. Every 401 and 403 for a credential is decided here.
import { sha256Hex } from "../adapters/digest.ts";
import type { Caller, Context } from "../context.ts";
import { getAccountScopes, isForSessions, type Operation } from "../contract/operation.ts";
import {
  isAccountKey,
  isSessionToken,
  isWorkspaceKey,
  looksLikeAccountKey,
  looksLikeWorkspaceKey,
} from "../domain/ids.ts";
import { CREDENTIAL_USE_NOTED_EVERY_MS } from "../domain/limits.ts";
import { isOAuthToken } from "../domain/oauth.ts";
import { refuse } from "../domain/refusal.ts";
import {
  type AccountKeyUse,
  readAccountKey,
  touchAccountKey,
  workspaceOfAccountKey,
} from "../store/accounts/account-keys.ts";
import { type KeyRow, readKey, touchKey, workspaceOfKey } from "../store/accounts/keys.ts";
import {
  type LivingSession,
  readSession,
  TOUCH_EVERY_MS,
  touchSession,
  workspaceOfSession,
} from "../store/accounts/sessions.ts";
import { ask, joinStatements, mapStatements, type Statements } from "../store/db/batch.ts";
import type { Database, In } from "../store/db/db.ts";
import { type Demand as Ability, inWorkspace, orRefuseUnable, refuseUnable, type WorkspaceCaller } from "./caller.ts";
import { refuseUnknownKey, rememberValidity } from "./proven-credentials.ts";

/** What an operation requires of its caller and their credential. */
type Demand = Ability & Partial<Pick<Operation, "method" | "accountScopes">>;

/** The credentials that a caller presented. */
export interface Credentials {
  /** Key or session token, from the Authorization header or the session cookie. */
  token: string | null;
  /** The workspaces that the header and the parameter name. If the path names a workspace, no other is allowed. */
  workspaces: string[];
}

/** The token of an Authorization header: empty if the header has no bearer token, null if there is no header. */
export function parseBearer(authorization: string | null | undefined): string | null {
  if (authorization === null || authorization === undefined) return null;
  return /^bearer +(\S+)$/i.exec(authorization.trim())?.[1] ?? "";
}

/** Identifies the caller of an operation and checks that they may call it. Otherwise throws a 401, 403 or 422. */
export async function identify(ctx: Context, demand: Demand, credentials: Credentials): Promise<Caller> {
  if (demand.auth === "none") return { kind: "nobody" };
  const credential = await readCredential(ctx, demand, credentials);
  return (await ask(ctx.accounts, credential.verdict))();
}

/** The input of a request, and the operation's first read, which depends on it. */
interface FirstRead<Sent, First> {
  input(): Promise<Sent>;
  /** Whether `input` reads and parses a body. If so, `input` is only called for a credential that is known to be valid. */
  hasBody: boolean;
  /** `workspaceId`: the id of the caller's workspace, or a subselect that finds it. */
  read(db: Database, workspaceId: In<string>, input: Sent): Statements<First>;
}

/**
 * Identifies the caller of a workspace operation and makes its first read, in one round trip if possible. A refused
 * credential is answered before its input is judged, and before anything that was read is used.
 *
 * A body can have a megabyte and takes time to parse, so no body is read for an invented credential. If an operation has a
 * body, its first read shares a round trip with the check of the credential only if the database confirmed the credential
 * within the last few minutes. Otherwise the credential is checked in a round trip of its own. Paths and queries are short,
 * so they need no such care.
 */
export async function identifyAndRead<Sent, First>(
  ctx: Context,
  demand: Demand,
  credentials: Credentials,
  { input, hasBody, read }: FirstRead<Sent, First>,
): Promise<{ caller: WorkspaceCaller; input: Sent; first: First }> {
  const { accounts } = ctx;
  const { verdict, workspaceId, isProven } = await readCredential(ctx, demand, credentials);
  const identified = async () => inWorkspace(await (await ask(accounts, verdict))());
  const readFor = async (caller: WorkspaceCaller, requestInput: Sent) => {
    const home = ctx.databaseOf(caller.workspaceId);
    return { caller, input: requestInput, first: await ask(home, read(home, caller.workspaceId, requestInput)) };
  };
  if (workspaceId === null || (hasBody && !isProven)) {
    const caller = await identified();
    return orRefuseUnable(caller, demand, async () => readFor(caller, await input()));
  }

  let parsedInput: Sent;
  let firstQuery: Statements<First>;
  try {
    parsedInput = await input();
    firstQuery = read(accounts, workspaceId, parsedInput);
  } catch (error) {
    return orRefuseUnable(await identified(), demand, () => Promise.reject(error));
  }
  // The credential is checked last: a credential that is valid then was also valid at the earlier read.
  const [first, judge] = await ask(accounts, joinStatements(firstQuery, verdict));
  const caller = inWorkspace(await judge());
  // Only now is the workspace's database known. If it is not the accounts database, the first read is repeated there.
  return ctx.databaseOf(caller.workspaceId) === accounts
    ? { caller, input: parsedInput, first }
    : readFor(caller, parsedInput);
}

/** A well-formed credential that has not been checked against the database yet. */
interface UncheckedCredential {
  /** Reads the caller from the credential's row, or throws a refusal. */
  verdict: Statements<() => Promise<Caller>>;
  /**
   * A subselect in the accounts database that finds the workspace's id, or NULL for an invalid credential. null: the
   * request does not name exactly one workspace, or the operation concerns a user.
   */
  workspaceId: In<string> | null;
  /** Whether the database confirmed the credential recently. */
  isProven: boolean;
}

/** Throws a refusal if the credentials cannot be valid, without asking the database. */
async function readCredential(
  ctx: Context,
  demand: Demand,
  { token, workspaces }: Credentials,
): Promise<UncheckedCredential> {
  if (token === null) throw refuse("unauthorized");
  if (looksLikeWorkspaceKey(token)) {
    if (!isWorkspaceKey(token)) throw await refuseUnknownKey(ctx);
    const hash = await sha256Hex(token);
    const verdict = mapStatements(
      readKey(ctx.accounts, hash),
      (row) => () => rememberValidity(ctx, hash, judgeKey(ctx, demand, row, workspaces)),
    );
    return { verdict, workspaceId: workspaceOfKey(hash), isProven: ctx.provenCredentials.has(hash, ctx.now()) };
  }
  if (looksLikeAccountKey(token)) {
    if (!isAccountKey(token)) throw await refuseUnknownKey(ctx, "account");
    return readAccountCredential(ctx, demand, await sha256Hex(token), workspaces);
  }
  if (isOAuthToken("access", token)) {
    throw refuse("unauthorized", { message: "An application's access token works at `/mcp` only." });
  }
  if (!isSessionToken(token)) throw refuse("unauthorized");
  const hash = await sha256Hex(token);
  const namedWorkspace = findNamedWorkspace(demand, workspaces);
  const verdict = mapStatements(
    readSession(ctx.accounts, hash, namedWorkspace),
    (session) => () => rememberValidity(ctx, hash, judgeSession(ctx, demand, hash, session, workspaces)),
  );
  return {
    verdict,
    workspaceId: namedWorkspace === null ? null : workspaceOfSession(hash, namedWorkspace),
    isProven: ctx.provenCredentials.has(hash, ctx.now()),
  };
}

function readAccountCredential(ctx: Context, demand: Demand, hash: string, workspaces: string[]): UncheckedCredential {
  const namedWorkspace = findNamedWorkspace(demand, workspaces);
  const verdict = mapStatements(
    readAccountKey(ctx.accounts, hash, namedWorkspace),
    (row) => () => rememberValidity(ctx, hash, judgeAccountKey(ctx, demand, row, workspaces)),
  );
  return {
    verdict,
    workspaceId: namedWorkspace === null ? null : workspaceOfAccountKey(hash, namedWorkspace),
    isProven: ctx.provenCredentials.has(hash, ctx.now()),
  };
}

/** The workspace that a request names; null: it names none or several, or concerns a user. */
function findNamedWorkspace(demand: Demand, workspaces: string[]): string | null {
  const [first = null, otherWorkspace] = new Set(workspaces);
  return isOfUser(demand) || otherWorkspace !== undefined ? null : first;
}

/** Whether an operation concerns a user rather than one of their workspaces. */
const isOfUser = ({ auth, ability }: Demand) => auth === "session" && ability === undefined;

async function judgeKey(
  ctx: Context,
  demand: Demand,
  row: KeyRow | undefined,
  namedWorkspaces: string[],
): Promise<Caller> {
  if (row === undefined) throw await refuseUnknownKey(ctx);
  if (row.revokedAt !== null) throw refuse("key_revoked");
  if (row.isExpired) throw refuse("key_revoked", { message: "This workspace key has expired." });
  if (isForSessions(demand.auth)) throw refuse("key_not_allowed");
  const { workspaceId, id: keyId, name, home, scopes, channels, budget } = row;
  if (namedWorkspaces.some((name) => name !== workspaceId)) {
    throw refuse("not_a_member", {
      message: "This key belongs to another workspace.",
      hint: "Leave the workspace out when you use a key.",
    });
  }
  ctx.homes.note(workspaceId, home, { epoch: row.rightsEpoch, at: row.now });
  if ((row.lastUsedAt ?? 0) < ctx.now() - CREDENTIAL_USE_NOTED_EVERY_MS) ctx.later(touchKey(ctx.accounts, row));
  const caller: Caller = { kind: "key", keyId, name, workspaceId, scopes, channels, budget };
  refuseUnable(caller, demand);
  return caller;
}

async function judgeSession(
  ctx: Context,
  demand: Demand,
  tokenHash: string,
  session: LivingSession | undefined,
  namedWorkspaces: string[],
): Promise<Caller> {
  if (session === undefined) throw refuse("session_expired");
  const { userId, name, lastSeenAt, now, membership } = session;
  if (lastSeenAt < now - TOUCH_EVERY_MS) ctx.later(touchSession(ctx.accounts, tokenHash));
  if (isOfUser(demand)) return { kind: "session", userId, tokenHash, workspaceId: null };
  const workspaceId = requireWorkspace(namedWorkspaces);
  if (membership === null) throw refuse("not_a_member");
  const { role, home, rightsEpoch: epoch, needsFactor } = membership;
  if (needsFactor) throw refuse("factor_missing");
  ctx.homes.note(workspaceId, home, { epoch, at: now });
  const caller: WorkspaceCaller = { kind: "session", userId, tokenHash, name, workspaceId, role };
  refuseUnable(caller, demand.ability === undefined ? { ...demand, ability: "manage_workspace" } : demand);
  return caller;
}

/** The one workspace that a request names. Throws `workspace_required` or `invalid_field`. */
function requireWorkspace(namedWorkspaces: string[]): string {
  const [workspaceId, otherWorkspaceId] = new Set(namedWorkspaces);
  if (workspaceId === undefined) throw refuse("workspace_required");
  if (otherWorkspaceId !== undefined) {
    throw refuse("invalid_field", {
      field: "/workspace",
      message: "The header and the parameter have different workspaces.",
    });
  }
  return workspaceId;
}

async function judgeAccountKey(
  ctx: Context,
  demand: Demand,
  row: AccountKeyUse | undefined,
  namedWorkspaces: string[],
): Promise<Caller> {
  if (row === undefined) throw await refuseUnknownKey(ctx, "account");
  if (row.revokedAt !== null) throw refuse("key_revoked", { message: "This account key has been revoked." });
  if (row.isExpired) throw refuse("key_revoked", { message: "This account key has expired." });
  refuseAccountScope(demand, row);
  const { id: keyId, userId, name, scopes, ownership } = row;
  if ((row.lastUsedAt ?? 0) < ctx.now() - CREDENTIAL_USE_NOTED_EVERY_MS)
    ctx.later(touchAccountKey(ctx.accounts, keyId));
  if (isOfUser(demand)) return { kind: "account_key", keyId, userId, name, scopes, workspaceId: null };
  const workspaceId = requireWorkspace(namedWorkspaces);
  if (ownership === null) {
    throw refuse("not_a_member", { message: "The person who created this key does not own the workspace." });
  }
  if (ownership.needsFactor) throw refuse("factor_missing");
  ctx.homes.note(workspaceId, ownership.home, { epoch: ownership.rightsEpoch, at: row.now });
  return { kind: "account_key", keyId, userId, name, scopes, workspaceId };
}

/** Throws unless one of an account key's scopes admits the call. */
function refuseAccountScope(demand: Demand, { scopes }: AccountKeyUse): void {
  const enough = getAccountScopes(demand);
  const [first] = enough;
  if (first === undefined) {
    throw refuse("key_not_allowed", {
      message: "Account keys may not call this.",
      hint: isForSessions(demand.auth) ? "Sign in and send the session token." : "Use a key of the workspace.",
    });
  }
  if (enough.some((scope) => scopes.includes(scope))) return;
  throw refuse("scope_missing", {
    message: `This account key may not call this: that takes the scope ${enough.map((scope) => `\`${scope}\``).join(" or ")}.`,
    extra: { scope: first },
  });
}
