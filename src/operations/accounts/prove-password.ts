import type { Context } from "../../context.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUser, type UserRow } from "../../store/accounts/accounts.ts";
import { forgiveTries, limitTries } from "../rate-limit.ts";
import { refuseIfEnded } from "../rights.ts";
import { withPassword } from "./with-password.ts";

/**
 * Runs `act` for a signed-in user who confirms their password. Guesses are limited as at sign-in. `act` receives the
 * hash of the confirmed password, and returns false if that password has been replaced since. Throws
 * `current_password_wrong` on `field`, and `session_expired` if the session has ended in the meantime.
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
      // The call may have waited for other password hashes.
      await refuseIfEnded(ctx, { kind: "account", tokenHash });
      return (await act(verified)) ? user : null;
    },
  );
  if (user === null) throw refuse("current_password_wrong", { field });
  await forgiveTries(ctx, "password_user", userId);
  return user;
}
