// Uploads a stream of unknown length to the bucket in chunks, with only one chunk in memory.
export interface StoredFile {
  bytes: number;
  contentType: string;
  /** Identifies exactly this content. A later read that asks for this ETag never returns other content. */
  etag: string;
}

/**
 * R2 requires parts of 5 MiB or more, all of equal length except the last
 * (developers.cloudflare.com/r2/objects/multipart-objects).
 */
const PART_BYTES = 5 * 1024 * 1024;

/**
 * Stores a stream of bytes under a key, with the type that `typeOf` finds in the first bytes. Returns null if the stream has
 * more than `bytesMax` bytes. In that case, and if anything throws, nothing is stored. The stream is always read to its end
 * or cancelled.
 */
export async function storeStream(
  r2: R2Bucket,
  key: string,
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
  typeOf: (head: Uint8Array) => string,
): Promise<StoredFile | null> {
  const reader = stream.getReader({ mode: "byob" });
  const parts: R2UploadedPart[] = [];
  let upload: R2MultipartUpload | null = null;
  let isStored = false;
  try {
    let bytes = 0;
    let contentType = "";
    let buffer = new ArrayBuffer(PART_BYTES);
    for (;;) {
      // The buffer is transferred to the stream and returned filled.
      const { value } = await reader.readAtLeast(PART_BYTES, new Uint8Array(buffer));
      const chunk = value ?? new Uint8Array();
      const isLast = chunk.byteLength < PART_BYTES;
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return null;
      if (upload === null) {
        contentType = typeOf(chunk);
        const options = { httpMetadata: { contentType } };
        if (isLast) {
          const { etag } = await r2.put(key, chunk, options);
          return { bytes, contentType, etag };
        }
        upload = await r2.createMultipartUpload(key, options);
      }
      if (chunk.byteLength > 0) parts.push(await upload.uploadPart(parts.length + 1, chunk));
      if (isLast) {
        const { etag } = await upload.complete(parts);
        isStored = true;
        return { bytes, contentType, etag };
      }
      buffer = chunk.buffer;
    }
  } finally {
    if (!isStored) await upload?.abort().catch(() => {});
    await reader.cancel().catch(() => {});
  }
}
