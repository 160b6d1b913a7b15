// Inspects the files of a delivery in place and makes them ready to be streamed to the network (-> remote-file.ts for files
// on other hosts). Guarantees for the bytes that are sent:
// - An uploaded file is the content that its `etag` names. The first check of a post that uses the file fixes the etag; if
//   the file was not uploaded by then, it is fixed here. Every read asks for exactly that content, and so does the address
//   that networks get. If the post was approved, the content lies where no upload address can write (->
//   operations/posts/seal-uploads.ts).
// - A converted file is the copy that was judged and approved, by its `etag`.
// - If the host of a file at an address reports no length, our copy of the file is sent in all attempts of its delivery.
// - Any other file at an address is, within one attempt, the file that was inspected, as far as its host reveals by length,
//   strong ETag or Last-Modified. A network that fetches the file itself gets the bytes that the host serves then.
import { CHANGED, fromBucket, inspectStored, LATE } from "../adapters/stored-inspection.ts";
import type { Context } from "../context.ts";
import { uploadKey } from "../domain/media/object-key.ts";
import type { CaptionsEntry } from "../domain/posts/captions.ts";
import { type CaptionsFile, type MediaFile, MediaUnavailable } from "../networks/media-file.ts";
import { findLateUploads } from "../store/accounts/ended-rights.ts";
import { type MediaRow, storeInspections } from "../store/media/media.ts";
import { type ConvertedFile, type MediaUse, type OpenedFile, type Reasons, storedFile } from "./opened-file.ts";
import { openRemote } from "./remote-file.ts";

/**
 * Inspects the files of `ids`, in that order. `rows` are the files that are still in the library. Throws `MediaUnavailable`
 * for the first unusable file.
 */
export async function openMedia(ctx: Context, ids: string[], rows: MediaRow[], use: MediaUse): Promise<MediaFile[]> {
  const opened = await Promise.allSettled(
    ids.map((id, position) => openOne(ctx, id, rows, use, position, `file ${position + 1} (${id})`)),
  );
  return opened.map((file) => {
    if (file.status === "rejected") throw file.reason;
    return file.value;
  });
}

/** Inspects the thumbnail of a video. Throws `MediaUnavailable`. */
export const openThumbnail = (ctx: Context, id: string, rows: MediaRow[], use: MediaUse): Promise<MediaFile> =>
  openOne(ctx, id, rows, use, 0, `the thumbnail (${id})`);

/** Inspects captions of a video. Throws `MediaUnavailable`. */
export const openCaptions = (
  ctx: Context,
  entries: CaptionsEntry[],
  rows: MediaRow[],
  use: MediaUse,
): Promise<CaptionsFile[]> =>
  Promise.all(
    entries.map(async ({ lang, file: id }) => ({
      lang,
      file: await openOne(ctx, id, rows, use, 0, `the captions (${id})`),
    })),
  );

async function openOne(
  ctx: Context,
  id: string,
  rows: MediaRow[],
  use: MediaUse,
  position: number,
  name: string,
): Promise<MediaFile> {
  const reasons = makeReasons(name);
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined) throw reasons.gone("is not in the library any more");
  const converted = use.copies.get(id);
  if (converted !== undefined) {
    return { id, position, kind: row.kind, alt: row.alt, ...(await openConverted(ctx, converted, reasons)) };
  }
  const file =
    row.objectKey === null
      ? await openRemote(ctx, row, use, reasons)
      : await openUploaded(ctx, row, row.objectKey, reasons);
  return { id, position, kind: row.kind, name: row.name, alt: row.alt, ...file };
}

function makeReasons(name: string): Reasons {
  const describe = (problem: string) => `${name} ${problem}`;
  return {
    gone: (problem) => new MediaUnavailable(describe(problem), false),
    refused: (problem) => new MediaUnavailable(describe(problem), false, "media_refused"),
    uncallable: () => new MediaUnavailable(describe("is at an IP address"), false, "media_host_is_ip"),
    unreadable: (problem) => new MediaUnavailable(describe(problem), true),
    waiting: (retryAt) =>
      new MediaUnavailable(describe("waits: its host was asked too often"), true, "media_missing", retryAt),
  };
}

/** Opens the copy that was judged when the post was accepted. */
async function openConverted({ bucket }: Context, file: ConvertedFile, reasons: Reasons): Promise<OpenedFile> {
  if (bucket === null) throw reasons.unreadable("cannot be read: no bucket is configured");
  const { objectKey: key, etag } = file.copy;
  const stored = await fromBucket(bucket.stat(key), reasons);
  if (stored === null) throw reasons.gone("has lost its converted copy");
  if (stored.etag !== etag) throw reasons.gone(CHANGED);
  const { contentType, bytes } = stored;
  const { width, height } = file;
  const changed = () => reasons.gone("was changed or removed");
  const opened = storedFile(bucket, { key, path: key, etag, contentType }, reasons, changed);
  return { contentType, bytes, width, height, seconds: null, ...opened };
}

async function openUploaded(ctx: Context, row: MediaRow, key: string, reasons: Reasons): Promise<OpenedFile> {
  const { bucket } = ctx;
  if (bucket === null) throw reasons.unreadable("cannot be read: no bucket is configured");
  // A bucket outage is treated like a network outage: the delivery gets all of its retries.
  const inspected = await fromBucket(inspectStored(bucket, key, row), reasons);
  if (inspected.is === "absent") throw reasons.gone("was never uploaded, or is gone");
  if (inspected.is === "changed") throw reasons.gone(CHANGED);
  if (inspected.is === "wrong") throw reasons.gone(inspected.what);
  const { etag, bytes, contentType } = inspected.stored;
  if (inspected.is === "inspected") {
    const arrivals = [{ row, uploadedAt: inspected.stored.uploadedAt }];
    const late = await findLateUploads(ctx.accounts, arrivals).catch((): never => {
      throw reasons.unreadable("could not be judged: the database of the accounts did not answer");
    });
    if (late.has(row.id)) throw reasons.gone(LATE);
    const inspection = { id: row.id, etag, ...inspected.facts };
    const isFixed = await storeInspections(ctx.databaseOf(row.workspaceId), row.workspaceId, [inspection]);
    if (!isFixed) throw reasons.gone(CHANGED);
  }
  const { width, height, durationMs } = row;
  const facts =
    inspected.is === "inspected"
      ? inspected.facts
      : { width, height, seconds: durationMs === null ? null : durationMs / 1000 };
  const changed = () => reasons.gone("was changed or removed");
  return {
    contentType,
    bytes,
    ...facts,
    ...storedFile(bucket, { key, path: uploadKey(row), etag, contentType }, reasons, changed),
  };
}
