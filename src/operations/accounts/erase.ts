import type { erase as contract } from "../../contract/accounts.ts";
import { eraseUser, solelyOwned } from "../../store/accounts.ts";
import { signedIn } from "../caller.ts";
import { noContent, type Run } from "../run.ts";

/**
 * Rows go at once, in one transaction; what lies outside the database (files, clocks) is cleared by the queue, as often as
 * it takes.
 */
export const erase: Run<typeof contract> = async (ctx, caller) => {
  const { userId } = signedIn(caller);
  const alone = await solelyOwned(ctx.accounts, userId);
  // The job comes first: it clears a workspace only once its rows are gone, so that a crash in between loses nothing.
  await ctx.queue.send(alone.map((workspace) => ({ kind: "clear_workspace", workspace })));
  await eraseUser(ctx.accounts, userId, alone);
  return noContent;
};
