import type { Bucket } from "../../adapters/bucket.ts";
import type { Context } from "../../context.ts";
import { CHUNKED_UPLOAD_LIFE_MS } from "../../domain/limits.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { type MediaRow, readStored } from "../../store/media/media.ts";

/** A file that is uploaded in chunks, whether or not it is complete. */
export interface FileInChunks {
  bucket: Bucket;
  row: MediaRow;
  upload: { objectKey: string; uploadId: string };
  bytes: number;
  /** Whether chunks may still be sent and put together. */
  isOpen: boolean;
}

/** Throws `not_found`, and `upload_not_open` for a file that was not begun in chunks. */
export async function readFileInChunks(ctx: Context, workspaceId: string, id: string): Promise<FileInChunks> {
  const { bucket } = ctx;
  if (bucket === null) throw refuse("bucket_not_configured");
  const row = await readStored(ctx.databaseOf(workspaceId), workspaceId, id);
  if (row === undefined) throw refuseNotFound("file");
  const { objectKey, uploadId, bytes } = row;
  if (objectKey === null || uploadId === null || bytes === null) throw refuse("upload_not_open");
  const isOpen = row.state === "awaiting_upload" && ctx.now() < row.createdAt + CHUNKED_UPLOAD_LIFE_MS;
  return { bucket, row, upload: { objectKey, uploadId }, bytes, isOpen };
}
