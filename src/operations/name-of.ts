// Names actors for people to read.
import type { Context, Reviewer } from "../context.ts";
import type { Actor } from "../domain/actor.ts";
import { namesByIds } from "../store/accounts/names.ts";
import type { WorkspaceCaller } from "./caller.ts";

/** The id of the user or the key. */
export const idOfCaller = (caller: WorkspaceCaller): string => ("keyId" in caller ? caller.keyId : caller.userId);

/** The user who calls, or for whom the calling application acts; null: a key calls. */
export const findUserId = (caller: WorkspaceCaller): string | null => ("keyId" in caller ? null : caller.userId);

/** The caller as a recorded actor: an application is recorded as itself, not as the person who authorized it. */
export function toActor(caller: WorkspaceCaller | Reviewer): Actor {
  const { name } = caller;
  switch (caller.kind) {
    case "session":
    case "member":
      return { kind: "person", id: caller.userId, name };
    case "key":
    case "account_key":
      return { kind: "key", id: caller.keyId, name };
    case "grant":
      return { kind: "app", id: caller.grantId, name };
    case "reviewer":
      return { kind: "reviewer", id: null, name };
  }
}

/** The name or address of a person, including one who authorized an application; the name of a key. */
export async function getCallerName(ctx: Context, caller: WorkspaceCaller): Promise<string> {
  if (caller.kind === "session") return caller.name;
  const id = idOfCaller(caller);
  return (await findNames(ctx, caller.workspaceId, [id])).get(id) ?? id;
}

/** The name or address of a person; their id if the account is gone. */
export const findUserName = async (ctx: Context, workspaceId: string, userId: string): Promise<string> =>
  (await findNames(ctx, workspaceId, [userId])).get(userId) ?? userId;

/** The names of those ids whose user or key still exists. An empty list reads nothing. */
export async function findNames(
  ctx: Context,
  workspaceId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const uniqueIds = new Set(ids.filter((id) => id !== null));
  return uniqueIds.size === 0 ? new Map() : namesByIds(ctx.accounts, workspaceId, [...uniqueIds]);
}
