import type { me as contract } from "../../contract/accounts.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUser, membershipsOf } from "../../store/accounts/accounts.ts";
import { signedIn } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { userView, workspaceView } from "./views.ts";

export const me: Run<typeof contract> = async (ctx, caller) => {
  const { userId } = signedIn(caller);
  const user = await findUser(ctx.accounts, userId);
  if (user === undefined) throw refuse("session_expired");
  return ok({ user: userView(user), workspaces: (await membershipsOf(ctx.accounts, userId)).map(workspaceView) });
};
