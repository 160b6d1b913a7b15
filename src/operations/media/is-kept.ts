import { errorText, log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import { isMediaKept } from "../../store/media/media.ts";

/**
 * Whether an uploaded file is still its workspace's: what arrives at the address of a deleted one is shown to nobody. While
 * the database does not answer a file is shown, because networks fetch it for posts that are being published.
 */
export async function isKept(ctx: Context, workspaceId: string, id: string): Promise<boolean> {
  try {
    await ctx.homes.locate(workspaceId);
    return await isMediaKept(ctx.databaseOf(workspaceId), workspaceId, id);
  } catch (error) {
    log("error", "file_unchecked", { workspace: workspaceId, error: errorText(error) });
    return true;
  }
}
