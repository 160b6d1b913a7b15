import type { changeKey as contract } from "../../contract/keys.ts";
import { isId } from "../../domain/ids.ts";
import { toMicrosOrNull } from "../../domain/money.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { changeBudget } from "../../store/accounts/named-keys.ts";
import { makeEntry } from "../audit-entry.ts";
import { memberIn } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { keyView } from "./view.ts";

export const changeKey: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const member = memberIn(caller);
  const entry = makeEntry(ctx, member, "key.changed", { details: { budget_usd: String(body.budget_usd) } });
  const budget = toMicrosOrNull(body.budget_usd);
  const row = isId("key", params.key)
    ? await changeBudget(
        databaseToWrite(ctx, member, ctx.accounts),
        { id: params.key, budget, by: member.userId },
        entry,
      )
    : undefined;
  if (row === undefined) throw refuseNotFound("key");
  return ok(keyView(row));
};
