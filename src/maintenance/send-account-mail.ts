// The mails about the address of an account: to verify it, to change it, and to report a change.
import { sha256Hex } from "../adapters/digest.ts";
import type { Context } from "../context.ts";
import { base64Url } from "../domain/encoding.ts";
import type { AccountMailJob } from "../domain/job.ts";
import { type Letter, letter } from "../domain/letter.ts";
import { ADDRESS_LINK_LIFE_MS } from "../domain/limits.ts";
import { findUser, findUserByEmail, type UserRow } from "../store/accounts/accounts.ts";
import { storeAddressLink } from "../store/accounts/address-links.ts";

/** Sends the mail, unless its reason no longer applies. */
export async function sendAccountMail(ctx: Context, job: AccountMailJob): Promise<void> {
  const user = await findUser(ctx.accounts, job.user);
  if (user === undefined || ctx.mail === null) return;
  const message = await write(ctx, user, job);
  if (message !== null) await ctx.mail.send(message);
}

async function write(ctx: Context, user: UserRow, { about, email }: AccountMailJob): Promise<Letter | null> {
  const isHere = user.email === email;
  switch (about) {
    case "verify":
      return isHere && user.emailVerifiedAt === null ? proof(ctx, user, email) : null;
    case "change":
      if (isHere) return null;
      return (await findUserByEmail(ctx.accounts, email)) === undefined
        ? change(ctx, user, email)
        : writeAddressTaken(ctx, email);
    case "change_asked":
      return isHere ? null : writeChangeRequested(ctx, user, email);
    case "changed":
      return isHere ? null : changed(email);
  }
}

/** Builds a fresh verification link. Its host is the deployment's own, never a caller's. */
async function linkTo(ctx: Context, userId: string, email: string): Promise<{ link: string }> {
  const token = base64Url(ctx.entropy(32));
  const createdAt = ctx.now();
  const expiresAt = createdAt + ADDRESS_LINK_LIFE_MS;
  await storeAddressLink(ctx.accounts, { tokenHash: await sha256Hex(token), userId, email, createdAt, expiresAt });
  return { link: `${ctx.settings.dashboardUrl}/auth/verify?token=${token}` };
}

const LIFE = "The link works for three days, and only while you are signed in to that account.";

async function proof(ctx: Context, user: UserRow, email: string): Promise<Letter> {
  return letter(email, "Confirm your email address for Crier", [
    "A Crier account uses this email address. Confirm that the address is yours:",
    await linkTo(ctx, user.id, email),
    `${LIFE} If you did not create this account, ignore this email: Crier sends emails about posts only to confirmed addresses.`,
  ]);
}

async function change(ctx: Context, user: UserRow, email: string): Promise<Letter> {
  return letter(email, "Confirm your new email address for Crier", [
    "The owner of a Crier account asked to use this email address for it. If that was you, confirm that the address is yours:",
    await linkTo(ctx, user.id, email),
    `${LIFE} If you did not ask for this, ignore this email: nothing changes.`,
  ]);
}

const writeAddressTaken = ({ settings }: Context, email: string) =>
  letter(email, "This email address already has a Crier account", [
    "Someone, perhaps you, asked to use this email address for another Crier account. The address already has an account, so nothing changes.",
    "If it was you, sign in to the existing account. You can also set a new password for it here:",
    { link: settings.dashboardUrl },
  ]);

/** The mail omits the new address while the old one is unverified, because a stranger may read that mailbox. */
const writeChangeRequested = ({ settings }: Context, user: UserRow, email: string) =>
  letter(user.email, "Someone asked to change the email address of your Crier account", [
    `Someone who knows your password asked to change the email address of your Crier account${
      user.emailVerifiedAt === null ? "" : ` to ${email}`
    }. The address changes when the new one is confirmed.`,
    "If it was not you, set a new password: this cancels the change and ends all sessions.",
    { link: settings.dashboardUrl },
  ]);

const changed = (email: string) =>
  letter(email, "The email address of your Crier account was changed", [
    "The email address of your Crier account was changed, and the new address is confirmed. You can no longer sign in with this address.",
    "If it was not you, contact the operator of this service.",
  ]);
