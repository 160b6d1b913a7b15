// Videos uploaded in chunks: in order, of the declared lengths, to an address that is valid for an hour.
import { createHash, type Hash, randomBytes } from "node:crypto";
import type { Ledger, ReceivedFile } from "../ledger.ts";
import { sniff } from "../sniff.ts";
import { type Call, type Fields, invalid } from "./answers.ts";

// 5 to 64 MB a chunk, 128 MB for the last, 1,000 chunks, 4 GB: content-posting-api-media-transfer-guide, read 2026-11-20.
// The guide does not say whether MB are 10^6 or 2^20 bytes: the larger applies to maximums, the smaller to minimums.
const CHUNK_BYTES_MIN = 5_000_000;
const CHUNK_BYTES_MAX = 64 * 1024 * 1024;
const LAST_BYTES_MAX = 128 * 1024 * 1024;
const CHUNKS_MAX = 1_000;
const VIDEO_BYTES_MAX = 4_000_000_000;
const ADDRESS_LIFE_MS = 3_600_000;
const TYPES = ["video/mp4", "video/quicktime", "video/webm"];
/** Bytes that are kept for the page. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;

export interface Upload {
  id: string;
  token: string;
  endsAt: number;
  bytes: number;
  chunkBytes: number;
  chunks: number;
  uploaded: number;
}

/** The received bytes of a file. They are not stored, so a restart of the simulator ends an unfinished upload. */
interface Arrived {
  hash: Hash;
  head: Uint8Array | null;
  /** All bytes so far; null if they are too many to keep. */
  kept: Uint8Array[] | null;
}
const arrivals = new WeakMap<Upload, Arrived>();

const counted = (value: unknown) => (typeof value === "number" && Number.isInteger(value) ? value : 0);

/** Opens the upload that the `source_info` of an init call declares. `chunksDivisor` makes all chunk limits smaller. */
export function openUpload({ video_size, chunk_size, total_chunk_count }: Fields, chunksDivisor: number): Upload {
  const [bytes, chunkBytes, chunks] = [counted(video_size), counted(chunk_size), counted(total_chunk_count)];
  if (bytes < 1 || bytes > VIDEO_BYTES_MAX) throw invalid("The video size is invalid");
  if (chunks < 1 || chunks > CHUNKS_MAX || chunks !== Math.max(1, Math.floor(bytes / Math.max(1, chunkBytes))))
    throw invalid("The total chunk count is invalid");
  if (chunks === 1 && chunkBytes > bytes) throw invalid("The chunk size is invalid");
  const isWhole = chunks === 1 && chunkBytes === bytes;
  if (chunkBytes > CHUNK_BYTES_MAX / chunksDivisor || (chunkBytes < CHUNK_BYTES_MIN / chunksDivisor && !isWhole))
    throw invalid("The chunk size is invalid");
  if (bytes - (chunks - 1) * chunkBytes > LAST_BYTES_MAX / chunksDivisor) throw invalid("The chunk size is invalid");
  const [id, token] = [`${BigInt(`0x${randomBytes(8).toString("hex")}`)}`, randomBytes(16).toString("hex")];
  const endsAt = Date.now() + ADDRESS_LIFE_MS;
  const upload = { id, token, endsAt, bytes, chunkBytes, chunks, uploaded: 0 };
  arrivals.set(upload, { hash: createHash("sha256"), head: null, kept: [] });
  return upload;
}

export const uploadUrl = ({ id, token }: Upload) =>
  `https://open-upload.tiktokapis.com/video/?upload_id=${id}&upload_token=${token}`;

/** Takes one chunk. `complete` if it was the last. */
export async function takeChunk(c: Call, upload: Upload): Promise<{ response: Response; complete: boolean }> {
  const refuse = (status: number) => ({ response: progress(upload, status), complete: false });
  if (c.req.query("upload_token") !== upload.token || upload.endsAt <= Date.now()) return refuse(403);
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(c.req.header("content-range") ?? "");
  if (range === null || !TYPES.includes(c.req.header("content-type") ?? "")) return refuse(400);
  const [start, end, total] = [Number(range[1]), Number(range[2]) + 1, Number(range[3])];
  if (total !== upload.bytes || c.req.header("content-length") !== String(end - start)) return refuse(400);
  if (start !== upload.uploaded || upload.uploaded === upload.bytes) return refuse(416);
  const arrived = arrivals.get(upload);
  if (arrived === undefined) return refuse(403);
  const isLast = start === (upload.chunks - 1) * upload.chunkBytes;
  if (end !== (isLast ? upload.bytes : start + upload.chunkBytes)) return refuse(416);
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.byteLength !== end - start) return refuse(400);
  // Two requests with the same chunk may have been in progress.
  if (start !== upload.uploaded) return refuse(416);
  arrived.hash.update(bytes);
  arrived.head ??= bytes.slice(0, 64);
  arrived.kept?.push(bytes);
  upload.uploaded = end;
  if (end > KEPT_BYTES_MAX) arrived.kept = null;
  return { response: progress(upload, isLast ? 201 : 206), complete: isLast };
}

function progress({ uploaded, bytes }: Upload, status: number): Response {
  const headers: Record<string, string> = { "content-range": `bytes 0-${Math.max(0, uploaded - 1)}/${bytes}` };
  return new Response(null, { status, headers });
}

/** The whole file, once it is complete. It can be read once. */
export function takeFile(upload: Upload, ledger: Ledger): ReceivedFile {
  const arrived = arrivals.get(upload);
  if (arrived === undefined) throw new Error("the file was asked for already");
  arrivals.delete(upload);
  const { kept, hash, head } = arrived;
  const { bytes } = upload;
  const type = sniff(head ?? new Uint8Array()) ?? "application/octet-stream";
  if (kept !== null) return ledger.keep(new Uint8Array(Buffer.concat(kept)), type);
  return { bytes, type, sha256: hash.digest("hex") };
}
