import type { Context } from "../../context.ts";
import type { UserRow } from "../../store/accounts/accounts.ts";

/**
 * Does `act` for the user that `find` reads, if `password` is theirs. Where `act` answers null, another hash stood by then
 * than the one that was compared: it is compared anew, once. Returns null when the password is wrong; a user whom there is
 * not, or who has none, takes as long.
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
    const done = await act(user, verified);
    if (done !== null) return done;
  }
  return null;
}
