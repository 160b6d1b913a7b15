import type { revokeKey as contract } from "../../contract/keys.ts";
import { isId } from "../../domain/ids.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { revokeKey as revoke } from "../../store/accounts/named-keys.ts";
import { memberIn } from "../caller.ts";
import { endConnectionsOfKeys } from "../oauth/end-connections.ts";
import { noContent, type Run } from "../run.ts";

export const revokeKey: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { userId, workspaceId } = memberIn(caller);
  const ended = isId("key", params.key) && (await revoke(ctx.accounts, workspaceId, params.key, userId));
  if (!ended) throw refuseNotFound("key");
  endConnectionsOfKeys(ctx, [params.key]);
  return noContent;
};
