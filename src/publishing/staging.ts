// The stored copies of uploaded files that nobody needs any more. Each step is written down before the next one, so that a
// sweep that dies is taken up by the next; doing one twice changes nothing.
import type { Bucket } from "../adapters/bucket.ts";
import type { Context } from "../context.ts";
import type { Database } from "../store/db.ts";
import {
  expireFiles,
  expiringFiles,
  markDeleted,
  markReady,
  objectsToDelete,
  overdueUploads,
  type StagedFile,
} from "../store/staging.ts";

/** For each kind of work and each sweep: the rest is there a minute later. */
const FILES_MAX = 500;
/** Each is asked for in the bucket. */
const UPLOADS_MAX = 100;

/** Expires copies whose time has come and uploads that never arrived, and deletes what is given up from the bucket. */
export async function sweepStaging(ctx: Context): Promise<void> {
  const { bucket } = ctx;
  // Without a bucket nothing is known of its objects.
  if (bucket === null) return;
  for (const db of ctx.databases) {
    await judgeUploads(db, bucket);
    await expire(db, await expiringFiles(db, FILES_MAX));
    const objects = await objectsToDelete(db, FILES_MAX);
    if (objects.length === 0) continue;
    await bucket.delete(objects.map(({ objectKey }) => objectKey));
    await markDeleted(db, objects);
  }
}

async function judgeUploads(db: Database, bucket: Bucket): Promise<void> {
  const uploads = await overdueUploads(db, UPLOADS_MAX);
  if (uploads.length === 0) return;
  const arrived = await Promise.all(
    uploads.map(async ({ objectKey }) => objectKey !== null && (await bucket.stat(objectKey)) !== null),
  );
  await markReady(
    db,
    uploads.filter((_, i) => arrived[i]),
  );
  await expire(
    db,
    uploads.filter((_, i) => !arrived[i]),
  );
}

async function expire(db: Database, files: StagedFile[]): Promise<void> {
  if (files.length > 0) await expireFiles(db, files);
}
