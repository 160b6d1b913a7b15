import type { Context } from "../../context.ts";
import { takeState as take } from "../../store/accounts/identities.ts";

/** Takes a sign-in state once; false: it has come back before. */
export function takeState(ctx: Context, id: string, expiresAt: number): Promise<boolean> {
  return take(ctx.accounts, id, expiresAt);
}
