// A link grants no right that its maker has lost: a member who was removed or demoted, a key that was revoked or
// rotated.
import type { Context } from "../context.ts";
import { isId } from "../domain/ids.ts";
import { type AbilityName, allows } from "../domain/roles.ts";
import { mayAccountKeyStill } from "../store/accounts/account-keys.ts";
import { isKeyGood } from "../store/accounts/keys.ts";
import { findMembership } from "../store/accounts/workspaces.ts";

/** Whether the member or key that made a link may still do the act that the link permits. */
export async function mayMakerStill(
  ctx: Context,
  workspaceId: string,
  makerId: string,
  ability: AbilityName,
): Promise<boolean> {
  if (isId("akey", makerId)) {
    return ability === "manage_channels" && mayAccountKeyStill(ctx.accounts, workspaceId, makerId, "connect");
  }
  const member = await findMembership(ctx.accounts, workspaceId, makerId);
  return member === undefined ? isKeyGood(ctx.accounts, workspaceId, makerId) : allows(member.role, ability);
}
