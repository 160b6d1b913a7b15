// The rights of a call that waits before it writes: for another server, for the bucket, or for the hash of a password. They are looked at
// again between the wait and the write, so that a call writes nothing for a key, a session or a role that ended meanwhile.
import type { Context, Reviewer } from "../context.ts";
import { type Refusal, refuse } from "../domain/refusal.ts";
import { type AbilityName, allows, ROLES, type Role } from "../domain/roles.ts";
import { guardedDatabase } from "../store/accounts/guarded-database.ts";
import { type Rights, unlessEnded } from "../store/accounts/rights.ts";
import { holds } from "../store/accounts/sign-up.ts";
import type { Database } from "../store/db/db.ts";
import type { WorkspaceCaller } from "./caller.ts";

/** The rights by which a caller may do something, to be looked at once more where it is written. */
export const rightsOf = (caller: WorkspaceCaller, ability: AbilityName): Rights =>
  toRights(
    caller,
    ROLES.filter((role) => allows(role, ability)),
  );

/** Throws when the rights of a caller have ended, or their role has become a smaller one, since the call was judged. */
export async function refuseAfterWait(ctx: Context, caller: WorkspaceCaller | Reviewer): Promise<void> {
  // Nobody acts for a reviewer: the link was read just now, and the post at its revision decides.
  if (caller.kind === "reviewer") return;
  await refuseIfEnded(ctx, currentRights(caller));
}

/**
 * The database that a call writes to, by default the one with the rows of the caller's workspace. Its batches write nothing once the
 * caller's rights have ended. If these rows are in another database than the accounts, no transaction covers both, so the database
 * is returned without that guard.
 */
export function databaseToWrite(
  ctx: Context,
  caller: WorkspaceCaller | Reviewer,
  db = ctx.databaseOf(caller.workspaceId),
): Database {
  if (caller.kind === "reviewer" || db !== ctx.accounts) return db;
  const rights = currentRights(caller);
  return guardedDatabase(db, rights, () => refuseIfEnded(ctx, rights));
}

/** The rights that a caller has, with their role or a larger one. */
const currentRights = (caller: WorkspaceCaller): Rights =>
  toRights(caller, caller.kind === "key" ? [] : ROLES.slice(ROLES.indexOf(caller.role)));

/** Throws when rights have ended. */
export async function refuseIfEnded(ctx: Context, rights: Rights): Promise<void> {
  if (!(await holds(ctx.accounts, unlessEnded(rights)))) throw refuseEnded(rights);
}

function toRights(caller: WorkspaceCaller, roles: readonly Role[]): Rights {
  const { workspaceId } = caller;
  switch (caller.kind) {
    case "key":
      return { kind: "key", workspaceId, keyId: caller.keyId };
    case "session":
      return { kind: "session", workspaceId, tokenHash: caller.tokenHash, roles };
    case "grant":
      return { kind: "grant", workspaceId, grantId: caller.grantId, userId: caller.userId, roles };
  }
}

/** The refusal of a caller whose rights ended while the call was under way. */
const refuseEnded = ({ kind }: Rights): Refusal => {
  if (kind === "key") return refuse("key_revoked");
  const ended = kind === "account" ? "This session" : "Your rights in this workspace";
  const message = `${ended} ended while the call was under way. Nothing was stored.`;
  return refuse(kind === "grant" ? "unauthorized" : "session_expired", { message });
};
