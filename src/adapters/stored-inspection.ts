// A file in the bucket, looked at by its headers.
import { type FileFacts, inspectMedia, NO_FACTS } from "../domain/media/inspect.ts";
import type { Bucket, StoredFile } from "./bucket.ts";

/** What lies in the bucket, compared with what was declared for it. */
export type StoredInspection =
  /** Nothing, or something else since the inspection began. */
  | { is: "absent" }
  /** Not the content that was inspected before. */
  | { is: "changed" }
  /** `what` completes a sentence that begins with the file. */
  | { is: "wrong"; what: string }
  /** The content that was inspected before. */
  | { is: "known"; stored: StoredFile }
  | { is: "inspected"; stored: StoredFile; facts: FileFacts };

/** Completes a sentence that begins with the file. */
export const CHANGED = "was changed after it was checked";

/**
 * Inspects a stored file. The first content that is inspected is the file's for good: its `etag` is declared from then on,
 * it is not read again, and any other content is `changed`. Throws when the bucket does.
 */
export async function inspectStored(
  bucket: Bucket,
  key: string,
  declared: { contentType: string | null; bytes: number | null; etag: string | null },
): Promise<StoredInspection> {
  const stored = await bucket.stat(key);
  if (stored === null) return { is: "absent" };
  const { bytes, contentType, etag } = stored;
  if (declared.etag !== null && etag !== declared.etag) return { is: "changed" };
  if (bytes !== declared.bytes || contentType !== declared.contentType) {
    return { is: "wrong", what: "is not what was declared for it" };
  }
  if (etag === declared.etag) return { is: "known", stored };
  let changed = false;
  const facts = await inspectMedia(contentType, bytes, async (offset, length) => {
    const body = await bucket.read(key, etag, { offset, length });
    changed ||= body === null;
    return body === null ? new Uint8Array() : readBytes(body);
  });
  if (changed) return { is: "absent" };
  return facts === null ? { is: "wrong", what: `does not hold ${contentType}` } : { is: "inspected", stored, facts };
}

/** What a bucket answers. Throws what `unreadable` makes of a bucket that does not answer: trying later may help. */
export const fromBucket = <Answer>(
  answer: Promise<Answer>,
  { unreadable }: { unreadable(what: string): Error },
): Promise<Answer> =>
  answer.catch(() => {
    throw unreadable("could not be read from the bucket");
  });

/** What the headers of a copy in the bucket say. Throws what `reasons` make if it cannot be read or has gone. */
export async function inspectCopy(
  bucket: Bucket,
  key: string,
  { contentType, bytes, etag }: StoredFile,
  reasons: { unreadable(what: string): Error },
): Promise<FileFacts> {
  const facts = await inspectMedia(contentType, bytes, async (offset, length) => {
    const body = await fromBucket(bucket.read(key, etag, { offset, length }), reasons);
    if (body === null) throw reasons.unreadable("lost its copy");
    return readBytes(body);
  });
  return facts ?? NO_FACTS;
}

/** The bytes of a part that was asked for with its length. */
export async function readBytes(part: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(part).arrayBuffer());
}
