import type { revealKey as contract } from "../../contract/workspaces.ts";
import { makeId } from "../../domain/ids.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { currentKey, noteKeySeen } from "../../store/accounts/workspaces.ts";
import { signedIn } from "../caller.ts";
import { limitTries } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";
import { memberOf } from "./member-of.ts";

/** Shows the key to a member and keeps that they saw it. */
export const revealKey: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { userId } = signedIn(caller);
  await memberOf(ctx, params.id, userId);
  await limitTries(ctx, { account: ["reveal_user", userId] });
  const row = await currentKey(ctx.accounts, params.id);
  if (row === undefined || row.sealed === null) throw refuse("not_found");
  const place = { purpose: "workspace-key", workspace: params.id, row: row.id } as const;
  const key = await ctx.seal?.unseal(row.sealed, place);
  if (key === undefined || key === null) throw refuse("key_not_configured");
  const id = makeId("evt", ctx.now(), ctx.entropy);
  const seen = { workspaceId: params.id, id, userId, act: "key.revealed", keyId: row.id } as const;
  if (!(await noteKeySeen(ctx.accounts, seen))) throw refuse("not_a_member");
  return ok({ key, created_at: isoInstant(row.createdAt), last_used_at: isoOrNull(row.lastUsedAt) });
};
