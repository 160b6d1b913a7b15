import type { signIn as contract } from "../../contract/accounts.ts";
import { isoInstant } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUserByEmail, membershipsOf, storePasswordHash } from "../../store/accounts/accounts.ts";
import { ok, type Run } from "../run.ts";
import { beginSession } from "./begin-session.ts";
import { limitAccount } from "./limit-account.ts";
import { userView, workspaceView } from "./views.ts";

/** An unknown email takes as long as a wrong password and answers the same. */
export const signIn: Run<typeof contract> = async (ctx, _caller, { body, device }) => {
  const email = body.email.trim().toLowerCase();
  const forgive = await limitAccount(ctx, "login", email, device);
  const user = await findUserByEmail(ctx.accounts, email);
  const matches = await ctx.passwords.verify(body.password, user?.passwordHash ?? null);
  if (user === undefined || !matches) throw refuse("invalid_credentials");
  await forgive();
  if (ctx.passwords.isOutdated(user.passwordHash)) {
    await storePasswordHash(ctx.accounts, user.id, await ctx.passwords.hash(body.password));
  }
  const session = await beginSession(ctx, user.id);
  await ctx.accounts.batch(session.statements);
  return ok({
    token: session.token,
    expires_at: isoInstant(session.expiresAt),
    user: userView(user),
    workspaces: (await membershipsOf(ctx.accounts, user.id)).map(workspaceView),
  });
};
