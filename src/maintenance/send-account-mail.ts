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

const LIFE = "The link works for three days, for the user who is signed in to that account.";

async function proof(ctx: Context, user: UserRow, email: string): Promise<Letter> {
  return letter(email, "Confirm your address for Crier", [
    "There is a Crier account with this address. Confirm that it is yours:",
    await linkTo(ctx, user.id, email),
    `${LIFE} If you did not make it, do nothing: mails about posts go to confirmed addresses only.`,
  ]);
}

async function change(ctx: Context, user: UserRow, email: string): Promise<Letter> {
  return letter(email, "Confirm your new address for Crier", [
    "A Crier account is to have this address from now on. Confirm that it is yours:",
    await linkTo(ctx, user.id, email),
    `${LIFE} If you did not ask for it, do nothing: nothing changes.`,
  ]);
}

const writeAddressTaken = ({ settings }: Context, email: string) =>
  letter(email, "This address has a Crier account already", [
    "Somebody, perhaps you, asked to give another Crier account this address. It has an account already, so nothing changes.",
    "If it was you, sign in to that account; a new password can be set here:",
    { link: settings.dashboardUrl },
  ]);

/** The mail omits the new address while the old one is unverified, because a stranger may read that mailbox. */
const writeChangeRequested = ({ settings }: Context, user: UserRow, email: string) =>
  letter(user.email, "Your Crier account is to have another address", [
    `Somebody who knows your password asked to change the address of your Crier account${
      user.emailVerifiedAt === null ? "" : ` to ${email}`
    }. It changes when the new address is confirmed.`,
    "If it was not you, set a new password: that ends the change, and all sessions.",
    { link: settings.dashboardUrl },
  ]);

const changed = (email: string) =>
  letter(email, "Your Crier account has another address", [
    "The address of your Crier account was changed, and the new one is confirmed. You cannot sign in with this one any more.",
    "If it was not you, ask the operator of this service for help.",
  ]);
