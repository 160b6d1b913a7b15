import type { Context } from "../../context.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUser, type UserRow } from "../../store/accounts/accounts.ts";
import { forgiveTries, limitTries } from "../rate-limit.ts";
import { refuseIfEnded } from "../rights.ts";
import { withPassword } from "./with-password.ts";

/**
 * Does `act` for a signed-in user who says their password again; guesses are limited as at signing in. `act` answers false
 * when the password, of which it gets the hash, does not stand any more. Throws `current_password_wrong` on `field`, and
 * `session_expired` when the session ended meanwhile.
 */
export async function provePassword(
  ctx: Context,
  { userId, tokenHash }: { userId: string; tokenHash: string },
  password: string,
  field: string,
  act: (verified: string) => Promise<boolean> = async () => true,
): Promise<UserRow> {
  await limitTries(ctx, { address: "login_address", account: ["password_user", userId] });
  const user = await withPassword(
    ctx,
    () => findUser(ctx.accounts, userId),
    password,
    async (user, verified) => {
      // Others may have waited for a hash before.
      await refuseIfEnded(ctx, { kind: "account", tokenHash });
      return (await act(verified)) ? user : null;
    },
  );
  if (user === null) throw refuse("current_password_wrong", { field });
  await forgiveTries(ctx, "password_user", userId);
  return user;
}
