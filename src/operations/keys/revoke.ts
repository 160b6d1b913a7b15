import type { revokeKey as contract } from "../../contract/keys.ts";
import { isId } from "../../domain/ids.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { revokeKey as revoke } from "../../store/accounts/named-keys.ts";
import { makeEntry } from "../audit-entry.ts";
import { ownerIn } from "../caller.ts";
import { endConnectionsOfKeys } from "../oauth/end-connections.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";

export const revokeKey: Run<typeof contract> = async (ctx, caller, { params }) => {
  const owner = ownerIn(caller);
  const entry = makeEntry(ctx, owner, "key.revoked");
  const ended =
    isId("key", params.key) &&
    (await revoke(databaseToWrite(ctx, owner, ctx.accounts), params.key, owner.userId, entry));
  if (!ended) throw refuseNotFound("key");
  await tellHomes(ctx);
  endConnectionsOfKeys(ctx, [params.key]);
  return noContent;
};
