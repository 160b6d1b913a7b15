import { sha256Hex } from "../../adapters/digest.ts";
import type { invite as contract, withdrawInvitation as withdraw } from "../../contract/members.ts";
import { base64Url } from "../../domain/encoding.ts";
import { isId, makeId } from "../../domain/ids.ts";
import { INVITATION_LIFE_MS, INVITATIONS_MAX } from "../../domain/limits.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { withdrawInvitation as end, storeInvitation } from "../../store/accounts/invitations.ts";
import { makeEntry } from "../audit-entry.ts";
import { memberIn, refuseRole } from "../caller.ts";
import { limitTries } from "../rate-limit.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, type Run } from "../run.ts";
import { invitationView } from "./view.ts";

/** Does the same work whether or not the address has an account: the queue sends the mail, unless the caller sends the link. */
export const invite: Run<typeof contract> = async (ctx, caller, { body }) => {
  const member = memberIn(caller);
  const { userId, workspaceId } = member;
  const isLink = body.link === true;
  if (ctx.mail === null && !isLink) throw refuse("mail_not_configured");
  const email = body.email.toLowerCase();
  await limitTries(ctx, { address: "invite_address", account: ["invite_user", userId] });
  await limitTries(ctx, { account: ["invite_recipient", email] });
  const createdAt = ctx.now();
  const token = isLink ? base64Url(ctx.entropy(32)) : null;
  const row = {
    id: makeId("inv", createdAt, ctx.entropy),
    workspaceId,
    email,
    role: body.role,
    invitedBy: userId,
    tokenHash: token === null ? null : await sha256Hex(token),
    byLink: isLink,
    createdAt,
    expiresAt: createdAt + INVITATION_LIFE_MS,
  };
  const entry = makeEntry(ctx, member, "member.invited", {
    target: { id: row.id, name: email },
    details: { role: body.role },
  });
  const stored = await storeInvitation(databaseToWrite(ctx, member, ctx.accounts), row, INVITATIONS_MAX, entry);
  if (stored === "not_an_owner") throw refuseRole("manage_members");
  if (stored === "already_member") throw refuse("already_member", { field: "/email" });
  if (stored === "too_many") throw refuse("too_many_invitations");
  const invitation = invitationView(row);
  if (token !== null)
    return { status: 202, body: { invitation, url: `${ctx.settings.baseUrl}/invitation?token=${token}` } };
  await ctx.queue.send([{ kind: "invitation_mail", invitation: row.id }]);
  return { status: 202, body: { invitation } };
};

export const withdrawInvitation: Run<typeof withdraw> = async (ctx, caller, { params }) => {
  const member = memberIn(caller);
  const entry = makeEntry(ctx, member, "invitation.withdrawn");
  const toWrite = databaseToWrite(ctx, member, ctx.accounts);
  const ended = isId("inv", params.invitation) && (await end(toWrite, params.invitation, entry));
  if (!ended) throw refuseNotFound("invitation");
  return noContent;
};
