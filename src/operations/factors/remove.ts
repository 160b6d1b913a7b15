import type { removeFactor as contract } from "../../contract/factors.ts";
import { isId } from "../../domain/ids.ts";
import { refuse } from "../../domain/refusal.ts";
import { listFactors, removeFactor as remove } from "../../store/accounts/factors.ts";
import { provePassword } from "../accounts/prove-password.ts";
import { signedIn } from "../caller.ts";
import { noContent, type Run } from "../run.ts";
import { requireFactor } from "./challenge.ts";

const refuseUnknown = () => refuse("not_found", { message: "Not found: you have no factor with this id." });

export const removeFactor: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const { userId, tokenHash } = signedIn(caller);
  await provePassword(ctx, userId, body.password, "/password");
  const factors = await listFactors(ctx.accounts, userId);
  if (!isId("fac", params.id) || !factors.some(({ id }) => id === params.id)) throw refuseUnknown();
  await requireFactor(ctx, { userId, tokenHash });
  if ((await remove(ctx.accounts, userId, params.id)) === undefined) throw refuseUnknown();
  return noContent;
};
