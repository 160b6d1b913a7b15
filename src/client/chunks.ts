// Uploads a large file in chunks. A broken connection costs one chunk.
import type { Answer, Client } from "./client.ts";
import { NoAnswer } from "./errors.ts";
import { checkUploadUrl, type Progress, type Put, sendUntilStored } from "./put.ts";

type ChunkAddress = Answer<"media.request-chunk-addresses">["chunks"][number];

/** Addresses that are requested at once: as many chunks as a slow connection sends before they expire. */
const ADDRESSES_AT_ONCE = 8;

/** Sends all chunks in order, and puts them together. */
export async function sendChunks<File extends { name: string | null; bytes: number }>(
  client: Client,
  {
    file,
    upload: { media, chunk_bytes: chunkBytes },
    progress,
    put,
  }: { file: File; upload: Answer<"media.request-chunked-upload">; progress: Progress; put: Put<File> },
): Promise<void> {
  const params = { id: media.id };
  const count = Math.ceil(file.bytes / chunkBytes);
  const requestAddresses = async (numbers: number[]): Promise<ChunkAddress[]> => {
    const { body } = await client.call("media.request-chunk-addresses", { params, body: { numbers } });
    const addresses = body.chunks ?? [];
    for (const { upload_url } of addresses) checkUploadUrl(client.url, upload_url);
    return addresses;
  };
  const requestAddress = async (number: number) => {
    const [address] = await requestAddresses([number]);
    if (address === undefined) throw new NoAnswer("The service gives no address for a chunk.", NEVER);
    return address;
  };
  const chunks: { number: number; etag: string }[] = [];
  let addresses: ChunkAddress[] = [];
  for (let number = 1; number <= count; number++) {
    if (addresses.length === 0) {
      const length = Math.min(ADDRESSES_AT_ONCE, count - number + 1);
      addresses = await requestAddresses(Array.from({ length }, (_, i) => number + i));
    }
    const again = () => requestAddress(number);
    const first = addresses.shift() ?? (await again());
    const offset = (number - 1) * chunkBytes;
    const range = { offset, length: Math.min(chunkBytes, file.bytes - offset) };
    const { etag } = await sendUntilStored(client, { file, range, first, again, progress, put });
    if (etag === null) throw new NoAnswer("The bucket does not let this page read the ETag of a chunk.", NEVER);
    chunks.push({ number, etag });
  }
  await client.call("media.complete-upload", { params, body: { chunks } });
}

const NEVER = { status: 200, passes: false };
