import type { takeOwnership as contract } from "../../contract/own-workspaces.ts";
import { refuse } from "../../domain/refusal.ts";
import { takeOwnership as takeOwnershipRow } from "../../store/accounts/members.ts";
import { makeEntry } from "../audit-entry.ts";
import { memberIn } from "../caller.ts";
import type { Run } from "../run.ts";
import { currentWorkspace } from "./current.ts";

/** A caller who already owns the workspace gets the same answer: their first answer may have been lost. */
export const takeOwnership: Run<typeof contract> = async (ctx, caller) => {
  const member = memberIn(caller);
  const { userId } = member;
  const entry = makeEntry(ctx, member, "member.role_changed", { details: { role: "owner" } });
  if (!(await takeOwnershipRow(ctx.accounts, userId, entry))) throw refuse("already_owned");
  return currentWorkspace(ctx, caller, { params: undefined, query: undefined, body: undefined, idempotencyKey: null });
};
