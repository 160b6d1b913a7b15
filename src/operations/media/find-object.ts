import { errorText, log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import { uploadKey } from "../../domain/media/object-key.ts";
import { findLateUploads } from "../../store/accounts/ended-rights.ts";
import { type MediaRow, readStored } from "../../store/media/media.ts";

/** The object key of an uploaded file, and its row; null: the database did not answer. */
export interface ObjectPlace {
  key: string;
  row: MediaRow | null;
}

/**
 * The object key of an uploaded file; null: the file no longer belongs to its workspace, and later uploads to its
 * address are never served. While the database does not answer, the file is looked for where it was uploaded, because
 * networks fetch it for posts that are being published.
 */
export async function findObject(ctx: Context, workspaceId: string, id: string): Promise<ObjectPlace | null> {
  try {
    await ctx.homes.locate(workspaceId);
    const row = await readStored(ctx.databaseOf(workspaceId), workspaceId, id);
    return row === undefined || row.objectKey === null ? null : { key: row.objectKey, row };
  } catch (error) {
    log("error", "file_unchecked", { workspace: workspaceId, error: errorText(error) });
    return { key: uploadKey({ workspaceId, id }), row: null };
  }
}

/** Whether a file that arrived at this time is served: not if its uploader's rights had ended by then. */
export async function isShown({ accounts }: Context, row: MediaRow | null, uploadedAt: number): Promise<boolean> {
  return row === null || (await findLateUploads(accounts, [{ row, uploadedAt }])).size === 0;
}
