import { errorText, log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import { uploadKey } from "../../domain/media/object-key.ts";
import { findLateUploads } from "../../store/accounts/ended-rights.ts";
import { type MediaRow, readStored } from "../../store/media/media.ts";

/** The object key of an uploaded file, and the file's row. The row is null if the database did not answer. */
export interface ObjectPlace {
  key: string;
  row: MediaRow | null;
}

/**
 * Finds the object key of an uploaded file. Returns null if the file no longer belongs to its workspace; later uploads to
 * the address of such a file are never served. If the database does not answer, returns the key of the original upload,
 * because networks may need the file now for posts that are being published.
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

/** Whether a file is served. A file is not served if its uploader's rights had ended before the file was uploaded. */
export async function isShown({ accounts }: Context, row: MediaRow | null, uploadedAt: number): Promise<boolean> {
  return row === null || (await findLateUploads(accounts, [{ row, uploadedAt }])).size === 0;
}
