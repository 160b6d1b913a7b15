import type { rotateKey as contract } from "../../contract/workspaces.ts";
import { connectionOf, makeId } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { noteKeySeen, replaceKey } from "../../store/accounts/workspaces.ts";
import { signedIn } from "../caller.ts";
import { limitTries } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";
import { memberOf } from "./member-of.ts";
import { newKey } from "./new-key.ts";

export const rotateKey: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { userId } = signedIn(caller);
  await memberOf(ctx, params.id, userId);
  await limitTries(ctx, { account: ["rotate_workspace", params.id] });
  const { key, row } = await newKey(ctx, params.id);
  const ended = await replaceKey(ctx.accounts, params.id, row);
  await ctx.mcp.end(ended.map((keyId) => connectionOf({ keyId })));
  const id = makeId("evt", ctx.now(), ctx.entropy);
  const seen = { workspaceId: params.id, id, userId, act: "key.rotated", keyId: row.id } as const;
  if (!(await noteKeySeen(ctx.accounts, seen))) throw refuse("not_a_member");
  return ok({ key, created_at: isoInstant(row.createdAt) });
};
