// Who did something, as people read it.
import type { Context } from "../context.ts";
import { findUser } from "../store/accounts/accounts.ts";
import { nameOfKey } from "../store/accounts/keys.ts";
import type { WorkspaceCaller } from "./caller.ts";

/** A person by name or address, a key by its name. */
export async function nameOf(ctx: Context, caller: WorkspaceCaller): Promise<string> {
  if (caller.kind === "key") {
    const name = await nameOfKey(ctx.accounts, caller.workspaceId, caller.keyId);
    return name === undefined ? "the workspace key" : `the key ${name}`;
  }
  const user = await findUser(ctx.accounts, caller.userId);
  return user?.name ?? user?.email ?? caller.userId;
}
