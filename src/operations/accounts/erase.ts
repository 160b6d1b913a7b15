import type { Context } from "../../context.ts";
import type { erase as contract } from "../../contract/accounts.ts";
import { findUser } from "../../store/accounts/accounts.ts";
import { type Erased, eraseUser } from "../../store/accounts/delete-workspaces.ts";
import { signedIn } from "../caller.ts";
import { tellKeySeen } from "../members/key-seen.ts";
import { noContent, type Run } from "../run.ts";
import { tellByMail } from "../tell-by-mail.ts";
import { endWorkspaces } from "./end-workspaces.ts";

/** Rows go at once, in one transaction. Members who stay in a workspace get the news that concerns them by mail. */
export const erase: Run<typeof contract> = async (ctx, caller) => {
  const erased = await eraseUser(ctx.accounts, signedIn(caller).userId);
  await endWorkspaces(ctx, erased);
  ctx.later(tellOthers(ctx, erased));
  return noContent;
};

async function tellOthers(ctx: Context, { heirs, keySeen }: Erased): Promise<void> {
  for (const { workspaceId, userId } of heirs) {
    const heir = await findUser(ctx.accounts, userId);
    if (heir === undefined) continue;
    const text =
      `The last owner of the workspace ${workspaceId} has erased their account. You are its owner now, because it keeps one. ` +
      "You can make another member its owner, delete it, or leave it to them.";
    tellByMail(ctx, [heir.email], "You own a Crier workspace now", text);
  }
  for (const workspaceId of keySeen) await tellKeySeen(ctx, workspaceId);
}
