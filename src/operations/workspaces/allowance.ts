import type { allowance as contract } from "../../contract/own-workspaces.ts";
import { getPlan } from "../../domain/plan.ts";
import { ownedBy } from "../../store/accounts/accounts.ts";
import { personOrAccountKey } from "../caller.ts";
import { ok, type Run } from "../run.ts";

export const allowance: Run<typeof contract> = async (ctx, caller) => {
  const { held, plan } = await ownedBy(ctx.accounts, personOrAccountKey(caller).userId);
  const name = plan ?? ctx.settings.defaultPlan;
  return ok({ held, allowed: getPlan(name).workspaces, plan: name });
};
