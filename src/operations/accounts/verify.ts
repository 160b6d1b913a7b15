import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import type { sendVerification as send, verify as use } from "../../contract/own-account.ts";
import { violatesUnique } from "../../domain/database-fault.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUser } from "../../store/accounts/accounts.ts";
import { findAddressLink, proveAddress } from "../../store/accounts/address-links.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { limitTries } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";
import { meView } from "./views.ts";

/**
 * Verifies an address in a session of its own account, and ends nothing. In any other session the link verifies
 * nothing.
 */
export const verify: Run<typeof use> = async (ctx, caller, { body }) => {
  const { userId } = signedIn(caller);
  await limitTries(ctx, { address: "verify_address", account: ["verify_user", userId] });
  const entry = makeAccountEntry(ctx, userId, "account.email_changed");
  const proven = await proveAddress(ctx.accounts, await sha256Hex(body.token), entry).catch((error) => {
    // Only the owner of that mailbox can learn this.
    if (violatesUnique(error, "users.email")) throw refuse("email_taken", { field: "/token" });
    throw error;
  });
  if (proven === undefined) throw refuse("verify_link_invalid", { field: "/token" });
  const { replaced } = proven;
  if (replaced !== null && ctx.mail !== null) {
    ctx.later(ctx.queue.send([{ kind: "account_mail", about: "changed", user: userId, email: replaced }]));
  }
  return ok(await meView(ctx, userId));
};

export const sendVerification: Run<typeof send> = async (ctx, caller) => {
  if (ctx.mail === null) throw refuse("mail_not_configured");
  const { userId } = signedIn(caller);
  await limitTries(ctx, { address: "verify_send_address", account: ["verify_send_user", userId] });
  const user = await findUser(ctx.accounts, userId);
  if (user === undefined) throw refuse("session_expired");
  if (user.emailVerifiedAt === null) {
    await ctx.queue.send([{ kind: "account_mail", about: "verify", user: userId, email: user.email }]);
  }
  return { status: 202, body: { ok: true } };
};

/** The user and address that a link verifies; null: the link is no longer valid. */
export async function describeVerification(
  ctx: Context,
  token: string,
): Promise<{ userId: string; email: string } | null> {
  await limitTries(ctx, { address: "verify_address" });
  const link = await findAddressLink(ctx.accounts, await sha256Hex(token));
  return link === undefined ? null : { userId: link.userId, email: link.email };
}
