import type { rename as contract } from "../../contract/own-account.ts";
import { renameUser } from "../../store/accounts/accounts.ts";
import { signedIn } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { meView } from "./views.ts";

export const rename: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { userId } = signedIn(caller);
  await renameUser(ctx.accounts, userId, body.name);
  return ok(await meView(ctx, userId));
};
