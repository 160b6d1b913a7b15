// A file in the bucket, looked at by its headers.
import { type FileFacts, inspectMedia } from "../domain/inspect-media.ts";
import type { Bucket, StoredFile } from "./bucket.ts";

/** What lies in the bucket, compared with what was declared for it. */
export type StoredLook =
  /** Nothing, or something else since the look began. */
  | { is: "absent" }
  /** `what` completes a sentence that begins with the file. */
  | { is: "wrong"; what: string }
  /** The content that was inspected before. */
  | { is: "known"; stored: StoredFile }
  | { is: "inspected"; stored: StoredFile; facts: FileFacts };

/** Looks at a stored file; one whose `etag` is still the same is not read again. Throws when the bucket does. */
export async function lookAtStored(
  bucket: Bucket,
  key: string,
  declared: { contentType: string | null; bytes: number | null; etag: string | null },
): Promise<StoredLook> {
  const stored = await bucket.stat(key);
  if (stored === null) return { is: "absent" };
  const { bytes, contentType, etag } = stored;
  if (bytes !== declared.bytes || contentType !== declared.contentType) {
    return { is: "wrong", what: "is not what was declared for it" };
  }
  if (etag === declared.etag) return { is: "known", stored };
  let changed = false;
  const facts = await inspectMedia(contentType, bytes, async (offset, length) => {
    const body = await bucket.read(key, etag, { offset, length });
    changed ||= body === null;
    return new Uint8Array(await new Response(body).arrayBuffer());
  });
  if (changed) return { is: "absent" };
  return facts === null ? { is: "wrong", what: `does not hold ${contentType}` } : { is: "inspected", stored, facts };
}
