// The bucket of uploaded files: presigned addresses for callers, checked reads for connectors.
import { AwsV4Signer } from "aws4fetch";
import { UPLOAD_URL_LIFE_MS } from "../domain/limits.ts";
import { publicPath } from "../domain/media/object-key.ts";
import { abortChunks, type ChunkedUpload, joinChunks } from "./chunked-upload.ts";
import { type StoredFile, storeStream } from "./store-stream.ts";

export type { StoredFile };

/** A file as stored in the bucket. */
export interface StoredObject extends StoredFile {
  /** By the bucket's clock, in epoch milliseconds. */
  uploadedAt: number;
}

export interface Bucket {
  /** An address that accepts one PUT of exactly this type and length, for fifteen minutes. */
  presignPut(key: string, contentType: string, bytes: number): Promise<string>;
  /** Begins an upload in chunks, which stores nothing before `joinChunks`. Returns its id. */
  startChunks(key: string, contentType: string): Promise<string>;
  /** An address that accepts PUTs of one chunk of exactly this length, for fifteen minutes. */
  presignChunk(upload: ChunkedUpload, number: number, bytes: number): Promise<string>;
  /** Stores the file that the chunks make up. Returns false, and stores nothing, if the bucket does not have exactly these. */
  joinChunks(upload: ChunkedUpload, chunks: { number: number; etag: string }[]): Promise<boolean>;
  /** Ends uploads in chunks and drops their chunks. An upload that has ended is not an error. */
  abortChunks(uploads: ChunkedUpload[]): Promise<void>;
  /** The public address of a file of this type. With an `etag`, the address only ever serves that content. */
  publicUrl(key: string, contentType: string | null, etag?: string): string;
  /** The file stored under a key; null if the key is unused. */
  stat(key: string): Promise<StoredObject | null>;
  /** The bytes of a file, or `range` of them; null if the file is gone or no longer has that etag. */
  read(
    key: string,
    etag: string,
    range?: { offset: number; length: number },
  ): Promise<ReadableStream<Uint8Array> | null>;
  /**
   * Stores a stream of unknown length under the type that `typeOf` finds in its first bytes, holding at most one chunk in
   * memory. Returns null, and stores nothing, if the stream has more than `bytesMax` bytes. The stream is read to its end or
   * cancelled.
   */
  store(
    key: string,
    stream: ReadableStream<Uint8Array>,
    bytesMax: number,
    typeOf: (head: Uint8Array) => string,
  ): Promise<StoredFile | null>;
  /** Copies exactly the content that `etag` names to another key. Returns false if the file is gone or has other content. */
  copy(from: string, etag: string, to: string): Promise<boolean>;
  /** Stores a text. Resolves once it is stored. */
  put(key: string, text: string, contentType: string): Promise<void>;
  /** Deletes files, at most 1,000 of them. A missing file is not an error. */
  delete(keys: string[]): Promise<void>;
  /** Deletes everything below each of some prefixes. */
  clear(prefixes: string[]): Promise<void>;
}
export interface BucketSettings {
  endpoint: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  mediaUrl: string;
}

export function createBucket(r2: R2Bucket, settings: BucketSettings): Bucket {
  const presign = async (key: string, query: Record<string, string>, headers: Record<string, string>) => {
    const url = new URL(`${settings.endpoint}/${settings.bucket}/${key}`);
    const parameters = { ...query, "X-Amz-Expires": String(UPLOAD_URL_LIFE_MS / 1000) };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      accessKeyId: settings.accessKeyId,
      secretAccessKey: settings.secretAccessKey,
      service: "s3",
      region: "auto",
      signQuery: true,
      // Without this only `host` is signed, and callers could upload any type of any size.
      allHeaders: true,
      method: "PUT",
      url: url.href,
      headers,
    });
    return (await signer.sign()).url.href;
  };
  return {
    presignPut: (key, contentType, bytes) =>
      presign(key, {}, { "content-type": contentType, "content-length": String(bytes) }),
    startChunks: async (key, contentType) =>
      (await r2.createMultipartUpload(key, { httpMetadata: { contentType } })).uploadId,
    presignChunk: ({ objectKey, uploadId }, number, bytes) =>
      presign(objectKey, { partNumber: String(number), uploadId }, { "content-length": String(bytes) }),
    joinChunks: (upload, chunks) => joinChunks(r2, upload, chunks),
    async abortChunks(uploads) {
      for (const upload of uploads) await abortChunks(r2, upload);
    },
    publicUrl: (key, contentType, etag) => `${settings.mediaUrl}/${publicPath(key, contentType, etag ?? null)}`,
    async stat(key) {
      const head = await r2.head(key);
      if (head === null) return null;
      const contentType = head.httpMetadata?.contentType ?? "";
      return { bytes: head.size, contentType, etag: head.etag, uploadedAt: head.uploaded.getTime() };
    },
    store: (key, stream, bytesMax, typeOf) => storeStream(r2, key, stream, bytesMax, typeOf),
    async copy(from, etag, to) {
      const object = await r2.get(from, { onlyIf: { etagMatches: etag } });
      if (object === null || !("body" in object)) return false;
      const copied = await r2.put(to, object.body, { httpMetadata: object.httpMetadata });
      return copied.etag === etag;
    },
    async put(key, text, contentType) {
      await r2.put(key, text, { httpMetadata: { contentType } });
    },
    delete: (keys) => r2.delete(keys),
    async clear(prefixes) {
      for (const prefix of prefixes) await clearBelow(r2, prefix);
    },
    async read(key, etag, range) {
      const object = await r2.get(key, { onlyIf: { etagMatches: etag }, ...(range === undefined ? {} : { range }) });
      return object !== null && "body" in object ? object.body : null;
    },
  };
}

async function clearBelow(r2: R2Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await r2.list({ prefix });
    if (objects.length > 0) await r2.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}
