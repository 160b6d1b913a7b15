import type { Context } from "../../context.ts";
import { takeState as take } from "../../store/accounts/identities.ts";

/** Uses up a sign-in state. Returns false if it was already used. */
export function takeState(ctx: Context, id: string, expiresAt: number): Promise<boolean> {
  return take(ctx.accounts, id, expiresAt);
}
