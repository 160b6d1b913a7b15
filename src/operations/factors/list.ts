import type { listFactors as contract } from "../../contract/factors.ts";
import { readFactors } from "../../store/accounts/factors.ts";
import { signedIn } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { toFactorView } from "./view.ts";

export const listFactors: Run<typeof contract> = async (ctx, caller) => {
  const { factors, recoveryCodesLeft } = await readFactors(ctx.accounts, signedIn(caller).userId);
  return ok({ factors: factors.map(toFactorView), recovery_codes_left: recoveryCodesLeft, next: null });
};
