// Moves content that waits for approval to where it cannot be replaced. An upload address stays valid for fifteen
// minutes, whatever happens to the file, and the storage cannot revoke it. So when a post begins to wait, the inspected
// content is copied to a key that no address was ever signed for, and the file's row names that key from then on. Later
// uploads to the address are never read. Each copy has its own name: if two are made at once, the database keeps one,
// and the other is deleted.

import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { sealedKey } from "../../domain/media/object-key.ts";
import { refuse } from "../../domain/refusal.ts";
import type { MediaRow } from "../../store/media/media.ts";
import { noteCopy, sealFile, UNNAMED_COPY_LIFE_MS } from "../../store/media/staging.ts";
import type { CheckedPost } from "./check.ts";
import { changedMeanwhile, mayBeUploaded } from "./inspect.ts";

/**
 * Copies the uploads of checked posts out of the reach of their upload addresses. Throws if one has changed since it
 * was checked.
 */
export async function sealUploads(ctx: Context, posts: Pick<CheckedPost, "files" | "now">[]): Promise<void> {
  const open = posts.flatMap(({ files, now }) => files.filter((row) => mayBeUploaded(row, now)));
  for (const row of new Map(open.map((row) => [row.id, row])).values()) await sealUpload(ctx, row);
}

async function sealUpload(ctx: Context, row: MediaRow): Promise<void> {
  const { bucket } = ctx;
  const { workspaceId, objectKey, etag } = row;
  if (bucket === null) throw refuse("bucket_not_configured");
  if (objectKey === null || etag === null) throw changedMeanwhile();
  const db = ctx.databaseOf(workspaceId);
  const copy = sealedKey(row, base64Url(ctx.entropy(12)));
  await noteCopy(db, { workspaceId, objectKey: copy }, UNNAMED_COPY_LIFE_MS);
  if (!(await bucket.copy(objectKey, etag, copy))) throw changedMeanwhile();
  const isSealed = await sealFile(db, row, { objectKey: copy, etag });
  if (!isSealed) throw changedMeanwhile();
}
