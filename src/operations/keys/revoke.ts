import type { revokeKey as contract } from "../../contract/keys.ts";
import { isId } from "../../domain/ids.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { revokeKey as revoke } from "../../store/accounts/named-keys.ts";
import { makeEntry } from "../audit-entry.ts";
import { memberIn } from "../caller.ts";
import { endConnectionsOfKeys } from "../oauth/end-connections.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";

export const revokeKey: Run<typeof contract> = async (ctx, caller, { params }) => {
  const member = memberIn(caller);
  const entry = makeEntry(ctx, member, "key.revoked");
  const ended =
    isId("key", params.key) &&
    (await revoke(databaseToWrite(ctx, member, ctx.accounts), params.key, member.userId, entry));
  if (!ended) throw refuseNotFound("key");
  await tellHomes(ctx);
  endConnectionsOfKeys(ctx, [params.key]);
  return noContent;
};
