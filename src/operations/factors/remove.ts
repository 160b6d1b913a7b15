import type { removeFactor as contract } from "../../contract/factors.ts";
import { refuse } from "../../domain/refusal.ts";
import { listFactors, removeFactor as remove } from "../../store/accounts/factors.ts";
import { provePassword } from "../accounts/prove-password.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { noContent, type Run } from "../run.ts";
import { requireFactor } from "./challenge.ts";

const refuseUnknown = () => refuse("not_found", { message: "Not found: you have no factor with this id." });

export const removeFactor: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const { userId, tokenHash } = signedIn(caller);
  await provePassword(ctx, { userId, tokenHash }, body.password, "/password");
  const factors = await listFactors(ctx.accounts, userId);
  const factor = factors.find(({ id }) => id === params.id);
  if (factor === undefined) throw refuseUnknown();
  await requireFactor(ctx, { userId, tokenHash });
  const entry = makeAccountEntry(ctx, userId, "account.factor_removed", { kind: factor.kind });
  if ((await remove(ctx.accounts, params.id, entry)) === undefined) throw refuseUnknown();
  return noContent;
};
