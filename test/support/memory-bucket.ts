// A bucket in memory for tests in Node. Every write gives the key a new etag.
import type { Bucket, StoredFile, StoredObject } from "../../src/adapters/bucket.ts";

interface Held extends StoredObject {
  content: Uint8Array<ArrayBuffer>;
}

/** Makes a bucket. `files` has its contents by key. Calls whose name is in `fails` fail. */
export function memoryBucket() {
  const files = new Map<string, Held>();
  const fails = new Set<keyof Bucket>();
  const calls: string[] = [];
  let etags = 0;
  const ask = (name: keyof Bucket, key: string): void => {
    calls.push(`${name} ${key}`);
    if (fails.has(name)) throw new Error("the bucket is away");
  };
  const hold = (key: string, content: Uint8Array<ArrayBuffer>, contentType: string): StoredFile => {
    etags++;
    const stored = { bytes: content.length, contentType, etag: String(etags).padStart(32, "0") };
    files.set(key, { ...stored, content, uploadedAt: Date.now() });
    return stored;
  };
  const stored = ({ content: _content, ...object }: Held): StoredObject => object;
  const bucket: Bucket = {
    presignPut: async (key) => `https://upload.test/${key}`,
    startChunks: async (key) => `upload of ${key}`,
    presignChunk: async ({ objectKey, uploadId }, number) => `https://upload.test/${objectKey}?${uploadId}&${number}`,
    joinChunks: async ({ objectKey }) => files.has(objectKey),
    abortChunks: async () => {},
    publicUrl: (key, _type, etag) => `https://files.test/${key}${etag === undefined ? "" : `?${etag}`}`,
    async stat(key) {
      ask("stat", key);
      const file = files.get(key);
      return file === undefined ? null : stored(file);
    },
    async read(key, etag, range) {
      ask("read", key);
      const file = files.get(key);
      if (file?.etag !== etag) return null;
      const { offset = 0, length = file.bytes } = range ?? {};
      return new Blob([file.content.subarray(offset, offset + length)]).stream();
    },
    async store(key, stream, bytesMax, detectType) {
      ask("store", key);
      const content = new Uint8Array(await new Response(stream).arrayBuffer());
      return content.length > bytesMax ? null : hold(key, content, detectType(content));
    },
    async copy(from, etag, to) {
      ask("copy", from);
      const file = files.get(from);
      if (file?.etag !== etag) return false;
      files.set(to, file);
      return true;
    },
    put: async (key, text, contentType) => void hold(key, Uint8Array.from(new TextEncoder().encode(text)), contentType),
    async delete(keys) {
      for (const key of keys) files.delete(key);
    },
    async clear(prefixes) {
      for (const key of files.keys()) if (prefixes.some((prefix) => key.startsWith(prefix))) files.delete(key);
    },
  };
  return { bucket, files, fails, asked: calls, hold };
}
