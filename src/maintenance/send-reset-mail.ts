// Sends the mail with which a user sets a new password, if the account exists.
import { sha256Hex } from "../adapters/digest.ts";
import type { Context } from "../context.ts";
import { base64Url } from "../domain/encoding.ts";
import { letter } from "../domain/letter.ts";
import { HOUR_MS } from "../domain/limits.ts";
import { findUserByEmail, storeResetLink } from "../store/accounts/accounts.ts";

const LINK_LIFE_MS = HOUR_MS;

/**
 * Stores a fresh link, which replaces older ones, and mails it. The link's host is the deployment's own, never a
 * caller's.
 */
export async function sendResetMail(ctx: Context, email: string): Promise<void> {
  const user = await findUserByEmail(ctx.accounts, email);
  if (user === undefined || ctx.mail === null) return;
  const token = base64Url(ctx.entropy(32));
  const createdAt = ctx.now();
  const expiresAt = createdAt + LINK_LIFE_MS;
  await storeResetLink(ctx.accounts, { tokenHash: await sha256Hex(token), userId: user.id, createdAt, expiresAt });
  const link = `${ctx.settings.dashboardUrl}/auth/reset?token=${token}`;
  await ctx.mail.send(
    letter(user.email, "Set a new password for Crier", [
      "Set a new password for Crier:",
      { link },
      ...(user.emailVerifiedAt === null ? [WHAT_IS_EMPTIED] : []),
      "The link works once, within one hour. If you did not ask for it, ignore this email: your password stays the same.",
    ]),
  );
}

/**
 * A stranger may have created the account, so a reset ends everything that was created in it (->
 * store/accounts/end-unproven.ts).
 */
const WHAT_IS_EMPTIED =
  "The email address of this account has not been confirmed yet. Setting a new password with this link therefore " +
  "empties the account: its sessions, workspace keys, other members, invitations, webhooks, channels, connect links, review links " +
  "and connected applications are removed, posts that are scheduled or waiting for approval become drafts, and the settings for " +
  "approval, time zone and notifications return to their defaults. To keep everything, sign in with your password instead and " +
  "confirm the address first, with the link that was mailed to you at sign-up or that is mailed when you sign in.";
