// Expires and deletes stored copies of uploaded files that are no longer needed. Each step is recorded before the next
// one, so the next sweep continues after a crash. Every step is idempotent. A deployment without a bucket skips this
// work, because it cannot inspect the objects.
import type { Context } from "../context.ts";
import { type Arrival, findLateUploads } from "../store/accounts/ended-rights.ts";
import type { Database } from "../store/db/db.ts";
import { findLogoUses, keepLogos } from "../store/media/logos.ts";
import {
  expireFiles,
  expiringFiles,
  markDeleted,
  markReady,
  objectsToDelete,
  overdueUploads,
  type StagedFile,
} from "../store/media/staging.ts";

/** How many files or objects each step handles in one sweep. The next sweep, a minute later, continues. */
const FILES_MAX = 500;
/** Each upload costs one request to the bucket. */
const UPLOADS_MAX = 100;

/** Records what became of uploads whose address has expired: marks those that arrived in time as ready and expires the others. */
export async function recordUploads({ bucket, accounts }: Context, db: Database): Promise<void> {
  if (bucket === null) return;
  const uploads = await overdueUploads(db, UPLOADS_MAX);
  if (uploads.length === 0) return;
  const arrivals = await Promise.all(
    uploads.map(async (row) => {
      const stored = row.objectKey === null ? null : await bucket.stat(row.objectKey);
      return { row, uploadedAt: stored?.uploadedAt ?? null };
    }),
  );
  const late = await findLateUploads(accounts, arrivals);
  const isReady = ({ row, uploadedAt }: Arrival) => uploadedAt !== null && !late.has(row.id);
  const rowsOf = (some: typeof arrivals) => some.map(({ row }) => row);
  await markReady(db, rowsOf(arrivals.filter(isReady)));
  const others = arrivals.filter((arrival) => !isReady(arrival));
  if (others.length > 0) await expireFiles(db, rowsOf(others), "never arrived");
}

/** Expires copies whose time has come. A file that is shown as a logo stays for as long as it is. */
export async function expireMedia({ bucket, accounts }: Context, db: Database): Promise<void> {
  if (bucket === null) return;
  const files = await expiringFiles(db, FILES_MAX);
  if (files.length === 0) return;
  const uses = await findLogoUses(accounts, files);
  const isLogo = (file: StagedFile) =>
    uses.some(({ workspaceId, mediaId }) => workspaceId === file.workspaceId && mediaId === file.id);
  const logos = files.filter(isLogo);
  if (logos.length > 0) await keepLogos(db, logos, uses);
  const others = files.filter((file) => !isLogo(file));
  if (others.length > 0) await expireFiles(db, others, "unused");
}

/** Deletes discarded objects from the bucket. */
export async function deleteDiscardedObjects({ bucket }: Context, db: Database): Promise<void> {
  if (bucket === null) return;
  const objects = await objectsToDelete(db, FILES_MAX);
  if (objects.length === 0) return;
  const inChunks = objects.flatMap(({ objectKey, uploadId }) => (uploadId === null ? [] : [{ objectKey, uploadId }]));
  await bucket.abortChunks(inChunks);
  await bucket.delete(objects.map(({ objectKey }) => objectKey));
  await markDeleted(db, objects);
}
