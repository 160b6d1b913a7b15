import type { Context } from "../../context.ts";
import { refuse } from "../../domain/refusal.ts";
import { findMembership } from "../../store/accounts/workspaces.ts";

/** The user's place in a workspace named in an address. Throws `not_a_member`, also when there is no such workspace. */
export async function memberOf(ctx: Context, workspaceId: string, userId: string) {
  const membership = await findMembership(ctx.accounts, workspaceId, userId);
  if (membership === undefined) throw refuse("not_a_member");
  return membership;
}

/** The same for what only the owner may do. Throws `not_the_owner`. */
export async function ownerOf(ctx: Context, workspaceId: string, userId: string) {
  const membership = await memberOf(ctx, workspaceId, userId);
  if (membership.role !== "owner") throw refuse("not_the_owner");
  return membership;
}
