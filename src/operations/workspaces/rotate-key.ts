import type { rotateKey as contract } from "../../contract/workspaces.ts";
import { connectionOf, makeId } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { noteKeySeen, replaceKey } from "../../store/accounts/workspaces.ts";
import { memberIn, refuseRole } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { limitTries } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";
import { newKey } from "./new-key.ts";

export const rotateKey: Run<typeof contract> = async (ctx, caller) => {
  const { userId, workspaceId, tokenHash } = memberIn(caller);
  await limitTries(ctx, { account: ["rotate_workspace", workspaceId] });
  await requireFactor(ctx, { userId, tokenHash });
  const { key, row } = await newKey(ctx, workspaceId);
  const ended = await replaceKey(ctx.accounts, workspaceId, row);
  await ctx.mcp.end(ended.map((keyId) => connectionOf({ keyId })));
  const id = makeId("evt", ctx.now(), ctx.entropy);
  const seen = { workspaceId, id, userId, act: "key.rotated", keyId: row.id } as const;
  if (!(await noteKeySeen(ctx.accounts, seen))) throw refuseRole("manage_key");
  return ok({ key, created_at: isoInstant(row.createdAt) });
};
