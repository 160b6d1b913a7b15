import type { changePassword as contract } from "../../contract/own-account.ts";
import { changePassword as store } from "../../store/accounts/passwords.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { endConnections } from "../oauth/end-connections.ts";
import { refuseIfEnded } from "../rights.ts";
import { noContent, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { refuseCommon } from "./common-password.ts";
import { provePassword } from "./prove-password.ts";

export const changePassword: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { userId, tokenHash } = signedIn(caller);
  refuseCommon(body.password);
  await provePassword(ctx, { userId, tokenHash }, body.current, "/current", async (verified) => {
    await requireFactor(ctx, { userId, tokenHash });
    const stored = await ctx.passwords.hash(body.password);
    await refuseIfEnded(ctx, { kind: "account", tokenHash });
    const entry = makeAccountEntry(ctx, userId, "account.password_changed");
    return store(ctx.accounts, { verified, stored }, tokenHash, entry);
  });
  await tellHomes(ctx);
  endConnections(ctx);
  return noContent;
};
