import { errorText, log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import { uploadKey } from "../../domain/media/object-key.ts";
import { readObjectKey } from "../../store/media/media.ts";

/**
 * The object key of an uploaded file; null: the file no longer belongs to its workspace, and later uploads to its
 * address are never served. While the database does not answer, the file is looked for where it was uploaded, because
 * networks fetch it for posts that are being published.
 */
export async function findObjectKey(ctx: Context, workspaceId: string, id: string): Promise<string | null> {
  try {
    await ctx.homes.locate(workspaceId);
    return await readObjectKey(ctx.databaseOf(workspaceId), workspaceId, id);
  } catch (error) {
    log("error", "file_unchecked", { workspace: workspaceId, error: errorText(error) });
    return uploadKey({ workspaceId, id });
  }
}
