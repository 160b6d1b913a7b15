import type { Context } from "../../context.ts";
import type { UserRow } from "../../store/accounts/accounts.ts";

/**
 * Runs `act` for the user that `find` reads, if `password` is theirs. If `act` returns null, the stored hash changed
 * after the comparison: the password is compared with the new one, once. Returns null if the password is wrong. An
 * unknown user, or one without a password, takes as long.
 */
export async function withPassword<Done>(
  ctx: Context,
  find: () => Promise<UserRow | undefined>,
  password: string,
  act: (user: UserRow, verified: string) => Promise<Done | null>,
): Promise<Done | null> {
  for (let tries = 0; tries < 2; tries++) {
    const user = await find();
    const verified = user?.passwordHash ?? null;
    const matches = await ctx.passwords.verify(password, verified);
    if (user === undefined || verified === null || !matches) return null;
    const result = await act(user, verified);
    if (result !== null) return result;
  }
  return null;
}
