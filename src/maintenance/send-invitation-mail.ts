// Sends the mail that invites a person to a workspace. Its link works only for a user who is signed in with the invited
// address.
import { sha256Hex } from "../adapters/digest.ts";
import type { Context } from "../context.ts";
import { base64Url } from "../domain/encoding.ts";
import { letter } from "../domain/letter.ts";
import { isMailable } from "../domain/mailable.ts";
import { shownAddress } from "../domain/shown-address.ts";
import { beginMail } from "../store/accounts/invitations.ts";

/**
 * Stores a fresh link, which replaces an earlier one, and mails it. The link's host is the deployment's own, never a
 * caller's.
 */
export async function sendInvitationMail(ctx: Context, id: string): Promise<void> {
  if (ctx.mail === null) return;
  const token = base64Url(ctx.entropy(32));
  const offer = await beginMail(ctx.accounts, id, await sha256Hex(token));
  if (offer === undefined) return;
  const { email: to, role, workspaceName, inviterEmail, inviterVerifiedAt } = offer;
  const link = `${ctx.settings.baseUrl}/invitation?token=${token}`;
  const workspaceLabel = isMailable(workspaceName) ? `the workspace "${workspaceName}"` : "a workspace";
  const inviter = shownAddress({ email: inviterEmail, verified: inviterVerifiedAt !== null });
  await ctx.mail.send(
    letter(to, "You are invited to a workspace on Crier", [
      `${inviter} has invited you to ${workspaceLabel} on Crier as ${role}.`,
      { link },
      "Open the link to see the invitation and to accept or decline it. It works for seven days. If you do not want to join, " +
        "ignore this email: you do not join before you accept.",
    ]),
  );
}
