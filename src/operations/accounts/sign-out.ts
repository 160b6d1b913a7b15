import type { signOut as contract } from "../../contract/accounts.ts";
import { deleteSession } from "../../store/accounts/sessions.ts";
import { signedIn } from "../caller.ts";
import { noContent, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";

export const signOut: Run<typeof contract> = async (ctx, caller) => {
  await deleteSession(ctx.accounts, signedIn(caller).tokenHash);
  await tellHomes(ctx);
  return noContent;
};
