// Who calls, and in which workspace. Every 401 and 403 of a credential is decided here.
import { sha256Hex } from "../adapters/digest.ts";
import type { Caller, Context } from "../context.ts";
import type { Auth } from "../contract/operation.ts";
import { isSessionToken, isWorkspaceKey, looksLikeWorkspaceKey } from "../domain/ids.ts";
import { HOUR_MS } from "../domain/limits.ts";
import { isOAuthToken } from "../domain/oauth.ts";
import { refuse } from "../domain/refusal.ts";
import { isGrantGood } from "../store/oauth-grants.ts";
import { findSession, TOUCH_EVERY_MS, touchSession } from "../store/sessions.ts";
import { findKey, findMembership, isKeyGood, touchKey } from "../store/workspaces.ts";
import { limitTries } from "./rate-limit.ts";

/** What a caller presented. */
export interface Credentials {
  /** Key or session token, from the Authorization header or the session cookie. */
  token: string | null;
  /** The workspaces named by header and by parameter. */
  workspaces: string[];
}

/** The token of an Authorization header; empty when the header holds none, null when there is no header. */
export function bearerOf(authorization: string | null | undefined): string | null {
  if (authorization === null || authorization === undefined) return null;
  return /^bearer +(\S+)$/i.exec(authorization.trim())?.[1] ?? "";
}

/** A caller that acts in one workspace. */
export type WorkspaceCaller = Exclude<Caller, { kind: "nobody" }> & { workspaceId: string };

/** Finds out who calls an operation of kind `auth`. Throws the 401, 403 or 422 that stands in the way. */
export async function identify(ctx: Context, auth: Auth, credentials: Credentials): Promise<Caller> {
  if (auth === "none") return { kind: "nobody" };
  const { token } = credentials;
  if (token === null) throw refuse("unauthorized");
  if (looksLikeWorkspaceKey(token)) return identifyKey(ctx, auth, token, credentials.workspaces);
  return identifySession(ctx, auth, token, credentials.workspaces);
}

async function identifyKey(ctx: Context, auth: Auth, key: string, named: string[]): Promise<Caller> {
  const row = isWorkspaceKey(key) ? await findKey(ctx.accounts, await sha256Hex(key)) : undefined;
  if (row === undefined) {
    await limitTries(ctx, { address: "bad_key_address" });
    throw refuse("unauthorized", { message: "This is not a workspace key." });
  }
  if (row.revokedAt !== null) throw refuse("key_revoked");
  if (auth === "session") throw refuse("key_not_allowed");
  const { workspaceId, id: keyId } = row;
  if (named.some((name) => name !== workspaceId)) {
    throw refuse("not_a_member", {
      message: "This key belongs to another workspace.",
      hint: "Name no workspace with a key.",
    });
  }
  if ((row.lastUsedAt ?? 0) < ctx.now() - HOUR_MS) ctx.later(touchKey(ctx.accounts, workspaceId, keyId));
  return { kind: "key", keyId, workspaceId };
}

/** Whether a credential that was good a while ago still is. */
export async function stillGood(ctx: Context, caller: Extract<Caller, { kind: "key" | "grant" }>): Promise<boolean> {
  const { workspaceId } = caller;
  return caller.kind === "key"
    ? isKeyGood(ctx.accounts, workspaceId, caller.keyId)
    : isGrantGood(ctx.accounts, workspaceId, caller.grantId);
}

async function identifySession(ctx: Context, auth: Auth, token: string, named: string[]): Promise<Caller> {
  if (isOAuthToken("access", token)) {
    throw refuse("unauthorized", { message: "An application's access token works at `/mcp` only." });
  }
  if (!isSessionToken(token)) throw refuse("unauthorized");
  const tokenHash = await sha256Hex(token);
  const session = await findSession(ctx.accounts, tokenHash);
  if (session === undefined) throw refuse("session_expired");
  if (session.lastSeenAt < session.now - TOUCH_EVERY_MS) ctx.later(touchSession(ctx.accounts, tokenHash));
  const userId = session.user.id;
  if (auth === "session") return { kind: "session", userId, tokenHash, workspaceId: null };
  const [workspaceId, other] = new Set(named);
  if (workspaceId === undefined) throw refuse("workspace_required");
  if (other !== undefined) {
    throw refuse("invalid_field", { field: "/workspace", message: "Header and parameter name different workspaces." });
  }
  if ((await findMembership(ctx.accounts, workspaceId, userId)) === undefined) throw refuse("not_a_member");
  return { kind: "session", userId, tokenHash, workspaceId };
}

/** The caller of a workspace's operation. */
export function inWorkspace(caller: Caller): WorkspaceCaller {
  if (caller.kind === "nobody" || caller.workspaceId === null) throw refuse("unauthorized");
  return { ...caller, workspaceId: caller.workspaceId };
}

/** The caller of a person's operation. */
export function signedIn(caller: Caller): Extract<Caller, { kind: "session" }> {
  if (caller.kind !== "session") throw refuse("unauthorized");
  return caller;
}
