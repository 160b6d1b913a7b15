// Informs the owners of a workspace if a former owner has seen its key and the key is still valid.
import { log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import { listOwnerEmails } from "../../store/accounts/members.ts";
import { tellByMail } from "../tell-by-mail.ts";

export const KEY_SEEN =
  "They have seen the workspace key, and it still works. Replace it: `POST /v1/workspaces/:id/key/rotate`.";

/** Mails the current owners. If a member leaves on their own, no owner makes an API call whose answer could say this. */
export async function tellKeySeen(ctx: Context, workspaceId: string): Promise<void> {
  log("warn", "removed_member_has_key", { workspace: workspaceId });
  const subject = "A former owner of your Crier workspace knows its key";
  const text = `A member has left the workspace ${workspaceId} or is no longer its owner. ${KEY_SEEN}`;
  tellByMail(ctx, await listOwnerEmails(ctx.accounts, workspaceId), subject, text);
}
