import type { Context } from "../../context.ts";
import type { resetFactors as contract } from "../../contract/members.ts";
import { UNUSED_LOOKED_AT_MAX } from "../../domain/limits.ts";
import { isMailable } from "../../domain/mailable.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { findUser } from "../../store/accounts/accounts.ts";
import { isUnused, readReset, resetFactors as reset } from "../../store/accounts/lost-factors.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { makeEntry } from "../audit-entry.ts";
import { memberIn } from "../caller.ts";
import { requireOwnFactor } from "../factors/challenge.ts";
import { endConnections } from "../oauth/end-connections.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, type Run } from "../run.ts";
import { tellByMail } from "../tell-by-mail.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";

/**
 * Lets a member who has lost their factor sign in again. A reset is refused if the factor also protects a workspace that
 * this owner does not own, unless that workspace is unused and has no other members. The owner thus gains no access to the
 * data of others.
 */
export const resetFactors: Run<typeof contract> = async (ctx, caller, { params }) => {
  const owner = memberIn(caller);
  const { userId: actorId, workspaceId, tokenHash } = owner;
  const { user: userId } = params;
  if (userId === actorId) {
    throw refuse("invalid_field", {
      field: "/user",
      message: "This is your own account. Remove your factors with `DELETE /v1/auth/factors/:id`.",
    });
  }
  const member = await readReset(ctx.accounts, { workspaceId, userId, by: actorId });
  if (member === undefined) throw refuseNotFound("member");
  if (!member.hasFactor) throw refuse("not_found", { message: "Not found: the member has no second factor." });
  const { elsewhere } = member;
  if (elsewhere.length > UNUSED_LOOKED_AT_MAX || elsewhere.some(({ isShared }) => isShared)) {
    throw refuse("factor_guards_more");
  }
  const areUnused = await Promise.all(elsewhere.map(({ id, home }) => isUnused(ctx.homes.at(home), id)));
  if (areUnused.includes(false)) throw refuse("factor_guards_more");
  await requireOwnFactor(
    ctx,
    { userId: actorId, tokenHash },
    { message: "Set up a second factor of your own before you reset that of a member." },
  );
  const unused = elsewhere.map(({ id }) => id);
  const entry = makeEntry(ctx, owner, "member.factors_reset");
  if (!(await reset(databaseToWrite(ctx, owner, ctx.accounts), { workspaceId, userId, by: actorId }, unused, entry)))
    throw refuse("factor_guards_more");
  await tellHomes(ctx);
  endConnections(ctx);
  await tellMember(ctx, { email: member.email, workspaceId, by: actorId });
  return noContent;
};

/** The member is notified, in case another person claimed that the factor was lost. */
async function tellMember(
  ctx: Context,
  { email, workspaceId, by }: { email: string; workspaceId: string; by: string },
): Promise<void> {
  const [owner, workspace] = await Promise.all([findUser(ctx.accounts, by), getWorkspace(ctx.accounts, workspaceId)]);
  const name = workspace !== undefined && isMailable(workspace.name) ? workspace.name : workspaceId;
  tellByMail(
    ctx,
    [email],
    "The second factor of your Crier account was removed",
    `${owner?.email ?? "An owner"}, an owner of the workspace ${name}, has removed the second factor of your account, its recovery ` +
      "codes, and has ended all its sessions and connected applications. Sign in with your password, and set up a new second factor under Settings, Security.",
    "If you did not ask for this, set a new password now and contact the owner.",
    { link: ctx.settings.dashboardUrl },
  );
}
