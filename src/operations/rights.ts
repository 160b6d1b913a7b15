// Rechecks the rights of a call that waits before it writes: for another server, for the bucket, or for a password
// hash. The rights are checked again between the wait and the write, so a call writes nothing for a key, session or
// role that ended in the meantime.
import type { Context, Reviewer } from "../context.ts";
import { isId } from "../domain/ids.ts";
import { type Refusal, refuse } from "../domain/refusal.ts";
import { type AbilityName, allows, ROLES, type Role } from "../domain/roles.ts";
import { guardedDatabase } from "../store/accounts/guarded-database.ts";
import { guardedHome } from "../store/accounts/guarded-home.ts";
import { type Rights, unlessEnded, type WorkspaceRights } from "../store/accounts/rights.ts";
import { holds } from "../store/accounts/sign-up.ts";
import type { Database } from "../store/db/db.ts";
import type { Judged } from "../store/homes.ts";
import type { WorkspaceCaller } from "./caller.ts";

/** The rights that allow a caller's act. The write checks these rights once more. */
export const buildRights = (caller: WorkspaceCaller, ability: AbilityName): WorkspaceRights =>
  toRights(caller, rolesWith(ability));

/** The rights of a call through a link that its maker created at `since`. */
export function rightsOfMaker(
  { workspaceId, makerId, since }: { workspaceId: string; makerId: string; since: number },
  ability: AbilityName,
): WorkspaceRights {
  if (isId("usr", makerId)) return { kind: "member", workspaceId, userId: makerId, since, roles: rolesWith(ability) };
  return { kind: isId("akey", makerId) ? "account_key" : "key", workspaceId, keyId: makerId };
}

const rolesWith = (ability: AbilityName) => ROLES.filter((role) => allows(role, ability));

/** Throws if the caller's rights have ended, or their role was reduced, since the call was judged. */
export async function refuseAfterWait(ctx: Context, caller: WorkspaceCaller | Reviewer): Promise<void> {
  // A reviewer has no rights of their own: the link was read just now, and the post's revision decides.
  if (caller.kind === "reviewer") return;
  await refuseIfEnded(ctx, currentRights(caller));
}

/**
 * The database that a call writes to, by default the one with the rows of the caller's workspace. Its batches write
 * nothing once the caller's rights have ended.
 */
export function databaseToWrite(
  ctx: Context,
  caller: WorkspaceCaller | Reviewer,
  db = ctx.databaseOf(caller.workspaceId),
): Database {
  if (caller.kind === "reviewer") return db;
  return guardedBy(ctx, currentRights(caller), db, ctx.homes.lastJudged(caller.workspaceId));
}

/**
 * The database `db`, whose batches write nothing once rights have ended. `judged`: when the rights were last known to
 * hold.
 */
export function guardedBy(ctx: Context, rights: WorkspaceRights, db: Database, judged?: Judged): Database {
  if (db === ctx.accounts) return guardedDatabase(db, rights, () => refuseIfEnded(ctx, rights));
  return guardedHome({ accounts: ctx.accounts, home: db, rights, judged, ended: () => refuseEnded(rights) });
}

/** The rights of a caller with their current role or a larger one. */
const currentRights = (caller: WorkspaceCaller): WorkspaceRights =>
  toRights(caller, "role" in caller ? ROLES.slice(ROLES.indexOf(caller.role)) : []);

/** Throws when rights have ended. */
export async function refuseIfEnded(ctx: Context, rights: Rights): Promise<void> {
  if (!(await holds(ctx.accounts, unlessEnded(rights)))) throw refuseEnded(rights);
}

function toRights(caller: WorkspaceCaller, roles: readonly Role[]): WorkspaceRights {
  const { workspaceId } = caller;
  switch (caller.kind) {
    case "key":
      return { kind: "key", workspaceId, keyId: caller.keyId };
    case "account_key":
      return { kind: "account_key", workspaceId, keyId: caller.keyId };
    case "session":
      return { kind: "session", workspaceId, tokenHash: caller.tokenHash, roles };
    case "member":
      return { kind: "member", workspaceId, userId: caller.userId, since: caller.since, roles };
    case "grant":
      return { kind: "grant", workspaceId, grantId: caller.grantId, userId: caller.userId, roles };
  }
}

const WHOSE: Record<Rights["kind"], string> = {
  account: "This session",
  key: "The rights of this key",
  account_key: "The rights of this key",
  session: "Your rights in this workspace",
  grant: "Your rights in this workspace",
  member: "The rights of the person who made this link",
};

/** The refusal of a caller whose rights ended during the call. */
function refuseEnded({ kind }: Rights): Refusal {
  if (kind === "key" || kind === "account_key") return refuse("key_revoked");
  const isSession = kind === "account" || kind === "session";
  const message = `${WHOSE[kind]} ended while the call was under way. Nothing was stored.`;
  return refuse(isSession ? "session_expired" : "unauthorized", { message });
}
