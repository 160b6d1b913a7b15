import type { Context } from "../../context.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUser, type UserRow } from "../../store/accounts/accounts.ts";
import { forgiveTries, limitTries } from "../rate-limit.ts";
import { withPassword } from "./with-password.ts";

/**
 * Does `act` for a signed-in user who says their password again; guesses are limited as at signing in. `act` answers false
 * when the password, of which it gets the hash, does not stand any more. Throws `current_password_wrong` on `field`.
 */
export async function provePassword(
  ctx: Context,
  userId: string,
  password: string,
  field: string,
  act: (verified: string) => Promise<boolean> = async () => true,
): Promise<UserRow> {
  await limitTries(ctx, { address: "login_address", account: ["password_user", userId] });
  const user = await withPassword(
    ctx,
    () => findUser(ctx.accounts, userId),
    password,
    async (user, verified) => ((await act(verified)) ? user : null),
  );
  if (user === null) throw refuse("current_password_wrong", { field });
  await forgiveTries(ctx, "password_user", userId);
  return user;
}
