import type { revokeAccountKey as contract } from "../../contract/account-keys.ts";
import { isId } from "../../domain/ids.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { revokeAccountKey as revoke } from "../../store/accounts/account-keys.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { noContent, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";

export const revokeAccountKey: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { userId } = signedIn(caller);
  const entry = makeAccountEntry(ctx, userId, "account_key.revoked", { key: params.id });
  if (!isId("akey", params.id) || !(await revoke(ctx.accounts, params.id, entry))) throw refuseNotFound("key");
  await tellHomes(ctx);
  return noContent;
};
