// The stored copies of uploaded files that nobody needs any more. Each step is written down before the next one, so that a
// sweep that dies is taken up by the next; doing one twice changes nothing. Without a bucket nothing is known of its objects.
import type { Context } from "../context.ts";
import type { Database } from "../store/db/db.ts";
import {
  expireFiles,
  expiringFiles,
  markDeleted,
  markReady,
  objectsToDelete,
  overdueUploads,
} from "../store/media/staging.ts";

/** For each kind of work and each sweep: the rest is there a minute later. */
const FILES_MAX = 500;
/** Each is asked for in the bucket. */
const UPLOADS_MAX = 100;

/** Of uploads that cannot arrive any more: marks as ready what has arrived, and expires the others. */
export async function settleUploads({ bucket }: Context, db: Database): Promise<void> {
  if (bucket === null) return;
  const uploads = await overdueUploads(db, UPLOADS_MAX);
  if (uploads.length === 0) return;
  const arrived = await Promise.all(
    uploads.map(async ({ objectKey }) => objectKey !== null && (await bucket.stat(objectKey)) !== null),
  );
  await markReady(
    db,
    uploads.filter((_, i) => arrived[i]),
  );
  const missing = uploads.filter((_, i) => !arrived[i]);
  if (missing.length > 0) await expireFiles(db, missing);
}

/** Expires copies whose time has come. */
export async function expireMedia({ bucket }: Context, db: Database): Promise<void> {
  if (bucket === null) return;
  const files = await expiringFiles(db, FILES_MAX);
  if (files.length > 0) await expireFiles(db, files);
}

/** Deletes from the bucket what was given up. */
export async function deleteDiscardedObjects({ bucket }: Context, db: Database): Promise<void> {
  if (bucket === null) return;
  const objects = await objectsToDelete(db, FILES_MAX);
  if (objects.length === 0) return;
  await bucket.delete(objects.map(({ objectKey }) => objectKey));
  await markDeleted(db, objects);
}
