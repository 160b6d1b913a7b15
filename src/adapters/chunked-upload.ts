// Ends uploads in chunks, of which the bucket has no file before they are put together.

/** An upload in chunks that was begun. */
export interface ChunkedUpload {
  objectKey: string;
  uploadId: string;
}

// The bucket names an upload that has ended, and chunks that it does not have, only in the texts of its errors. Whether the
// file is stored is therefore asked instead.
export async function joinChunks(
  r2: R2Bucket,
  { objectKey, uploadId }: ChunkedUpload,
  chunks: { number: number; etag: string }[],
): Promise<boolean> {
  const upload = await r2.resumeMultipartUpload(objectKey, uploadId);
  try {
    await upload.complete(chunks.map(({ number, etag }) => ({ partNumber: number, etag })));
    return true;
  } catch {
    // An earlier call may have stored the file, and its answer may have been lost.
    return (await r2.head(objectKey)) !== null;
  }
}

export async function abortChunks(r2: R2Bucket, { objectKey, uploadId }: ChunkedUpload): Promise<void> {
  const upload = await r2.resumeMultipartUpload(objectKey, uploadId);
  // R2 itself drops the chunks of an unfinished upload after seven days
  // (developers.cloudflare.com/r2/objects/multipart-objects, read 2026-11-27).
  await upload.abort().catch(() => {});
}
