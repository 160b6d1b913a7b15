import type { changeKey as contract } from "../../contract/keys.ts";
import { isId } from "../../domain/ids.ts";
import { toMicrosOrNull } from "../../domain/money.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { changeBudget } from "../../store/accounts/named-keys.ts";
import { makeEntry } from "../audit-entry.ts";
import { ownerIn } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { keyView } from "./view.ts";

export const changeKey: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const owner = ownerIn(caller);
  const entry = makeEntry(ctx, owner, "key.changed", { details: { budget_usd: String(body.budget_usd) } });
  const budget = toMicrosOrNull(body.budget_usd);
  const row = isId("key", params.key)
    ? await changeBudget(databaseToWrite(ctx, owner, ctx.accounts), { id: params.key, budget, by: owner.userId }, entry)
    : undefined;
  if (row === undefined) throw refuseNotFound("key");
  return ok(keyView(row));
};
