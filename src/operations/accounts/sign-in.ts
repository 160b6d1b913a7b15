import type { Context } from "../../context.ts";
import type { signIn as contract } from "../../contract/accounts.ts";
import { isoInstant } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUserByEmail, listMemberships, type UserRow } from "../../store/accounts/accounts.ts";
import { hasAddressLink } from "../../store/accounts/address-links.ts";
import { listFactors } from "../../store/accounts/factors.ts";
import { signInWithPassword } from "../../store/accounts/passwords.ts";
import { makeSignInEntry } from "../audit-entry.ts";
import { refuseWithoutFactor } from "../factors/challenge.ts";
import { ok, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { limitAccount } from "./limit-account.ts";
import { makeSession } from "./make-session.ts";
import { userView, workspaceView } from "./views.ts";
import { withPassword } from "./with-password.ts";

/** An unknown email takes as long as a wrong password, and gets the same answer. */
export const signIn: Run<typeof contract> = async (ctx, _caller, { body, device }) => {
  const email = body.email.trim().toLowerCase();
  const forgive = await limitAccount(ctx, "login", email, device);
  const find = () => findUserByEmail(ctx.accounts, email);
  const result = await withPassword(ctx, find, body.password, async (user, verified) => {
    const factors = await listFactors(ctx.accounts, user.id);
    if (factors.length > 0) return { user, factors };
    const stored = ctx.passwords.isOutdated(verified) ? await ctx.passwords.hash(body.password) : verified;
    const session = await makeSession(ctx);
    const row = { ...session.row, userId: user.id };
    const entry = makeSignInEntry(ctx, "password");
    return (await signInWithPassword(ctx.accounts, { verified, stored }, row, entry)) ? { user, session } : null;
  });
  if (result === null) throw refuse("invalid_credentials");
  await forgive();
  const { user } = result;
  if (result.session === undefined) {
    throw await refuseWithoutFactor(ctx, { userId: user.id, sessionHash: null, factors: result.factors });
  }
  // A sign-in may end the person's oldest session.
  await tellHomes(ctx);
  const { token, expiresAt } = result.session;
  if (ctx.mail !== null && user.emailVerifiedAt === null) ctx.later(remind(ctx, user));
  return ok({
    token,
    expires_at: isoInstant(expiresAt),
    user: userView(user),
    workspaces: (await listMemberships(ctx.accounts, user.id)).map(workspaceView),
  });
};

/** Mails a new verification link if the last one has expired. */
async function remind(ctx: Context, { id, email }: UserRow): Promise<void> {
  if (await hasAddressLink(ctx.accounts, id, email)) return;
  await ctx.queue.send([{ kind: "account_mail", about: "verify", user: id, email }]);
}
