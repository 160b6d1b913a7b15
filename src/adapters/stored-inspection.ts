// Inspects a file in the bucket by its headers.
import { type FileFacts, inspectMedia, NO_FACTS } from "../domain/media/inspect.ts";
import type { Bucket, StoredFile, StoredObject } from "./bucket.ts";

/** The stored file, compared with its declaration. */
export type StoredInspection =
  /** The file is missing, or was replaced since the inspection began. */
  | { is: "absent" }
  /** The file no longer has the content of the earlier inspection. */
  | { is: "changed" }
  /** The file is not as declared. `what` completes a sentence whose subject is the file. */
  | { is: "wrong"; what: string }
  /** The file still has the content of the earlier inspection. */
  | { is: "known"; stored: StoredObject }
  | { is: "inspected"; stored: StoredObject; facts: FileFacts };

/** Completes a sentence whose subject is the file. */
export const CHANGED = "was changed after it was checked";

/** Completes a sentence whose subject is the file. */
export const LATE =
  "cannot be used: the key, session or membership that requested its upload address ended before the file arrived";

/**
 * Inspects a stored file. The first inspected content is final: its `etag` is recorded, it is not read again, and any other
 * content is `changed`. Throws if the bucket does.
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

/** Returns the bucket's answer. Throws the error from `unreadable` if the bucket does not answer; a later retry may help. */
export const fromBucket = <Answer>(
  answer: Promise<Answer>,
  { unreadable }: { unreadable(reason: string): Error },
): Promise<Answer> =>
  answer.catch(() => {
    throw unreadable("could not be read from the bucket");
  });

/** The facts in the headers of a copy in the bucket. Throws an error from `reasons` if the copy is gone or unreadable. */
export async function inspectCopy(
  bucket: Bucket,
  key: string,
  { contentType, bytes, etag }: StoredFile,
  reasons: { unreadable(reason: string): Error },
): Promise<FileFacts> {
  const facts = await inspectMedia(contentType, bytes, async (offset, length) => {
    const body = await fromBucket(bucket.read(key, etag, { offset, length }), reasons);
    if (body === null) throw reasons.unreadable("lost its copy");
    return readBytes(body);
  });
  return facts ?? NO_FACTS;
}

/** Reads a range of known length. */
export async function readBytes(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
