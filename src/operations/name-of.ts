// Who did something, as people read it.
import type { Context, Reviewer } from "../context.ts";
import type { Actor } from "../domain/actor.ts";
import { namesByIds } from "../store/accounts/names.ts";
import type { WorkspaceCaller } from "./caller.ts";

/** The id of the person or of the key. */
export const idOfCaller = (caller: WorkspaceCaller): string => (caller.kind === "key" ? caller.keyId : caller.userId);

/** The person who calls, or for whom the application that calls acts; null: a key calls. */
export const findUserId = (caller: WorkspaceCaller): string | null => (caller.kind === "key" ? null : caller.userId);

/** A caller as what they do is kept: an application by itself, and not as the person who let it in. */
export function actorOf(caller: WorkspaceCaller | Reviewer): Actor {
  const { name } = caller;
  switch (caller.kind) {
    case "session":
      return { kind: "person", id: caller.userId, name };
    case "key":
      return { kind: "key", id: caller.keyId, name };
    case "grant":
      return { kind: "app", id: caller.grantId, name };
    case "reviewer":
      return { kind: "reviewer", id: null, name };
  }
}

/** A person by name or address, also one who let an application in; a key by its name. */
export async function nameOf(ctx: Context, caller: WorkspaceCaller): Promise<string> {
  if (caller.kind === "session") return caller.name;
  const id = idOfCaller(caller);
  return (await namesOf(ctx, caller.workspaceId, [id])).get(id) ?? id;
}

/** The names of those of the ids whose user or key is still there; nothing is read for no id. */
export async function namesOf(
  ctx: Context,
  workspaceId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(ids.filter((id) => id !== null));
  return wanted.size === 0 ? new Map() : namesByIds(ctx.accounts, workspaceId, [...wanted]);
}
