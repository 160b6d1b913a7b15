import type { setPlan as contract } from "../../contract/operator.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { findUser, findUserByEmail } from "../../store/accounts/accounts.ts";
import { setPlanOfOwner } from "../../store/accounts/plans.ts";
import { makeAccountEntry, makeOwnEntry } from "../audit-entry.ts";
import { personOrAccountKey } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";

/** The audit log of each workspace records the operator as the one who changed its plan. */
export const setPlan: Run<typeof contract> = async (ctx, caller, { body }) => {
  const person = personOrAccountKey(caller);
  const operator = await findUser(ctx.accounts, person.userId);
  const isVerified = operator !== undefined && operator.emailVerifiedAt !== null;
  if (!isVerified || !ctx.settings.operators.includes(operator.email)) throw refuse("not_an_operator");
  const { plan, plan_status: planStatus } = body;
  const owner = await findUserByEmail(ctx.accounts, body.email.trim().toLowerCase());
  if (owner === undefined) throw refuseNotFound("account");
  const { key } = makeOwnEntry(ctx, person, "workspace.changed");
  const entry = makeAccountEntry(ctx, owner.id, "workspace.changed", {
    plan,
    ...(planStatus === undefined ? {} : { plan_status: planStatus }),
  });
  const actor = key ?? { kind: "person" as const, id: operator.id, name: operator.name ?? operator.email };
  const rows = await setPlanOfOwner(ctx.accounts, { plan, planStatus }, { ...entry, key: actor });
  await tellHomes(ctx);
  return ok({ workspaces: rows.map(({ planStatus, ...row }) => ({ ...row, plan_status: planStatus })) });
};
