// The files of a delivery, checked against what was declared, ready to be streamed to the network.
import { BlockedAddress } from "../adapters/outbound.ts";
import { lookAtStored } from "../adapters/stored-look.ts";
import type { Context } from "../context.ts";
import { HEAD_BYTES, inspectMedia, NO_FACTS, type ReadPart } from "../domain/inspect-media.ts";
import { IMAGE_BYTES_MAX } from "../domain/limits.ts";
import { looksLike, UPLOAD_TYPES } from "../domain/media.ts";
import { type MediaFile, MediaUnavailable } from "../networks/network.ts";
import { type MediaRow, storeInspections } from "../store/media.ts";

const REDIRECTS_MAX = 3;
const FETCH_TIMEOUT_MS = 30_000;

/** Looks at each file where it lies. Throws `MediaUnavailable` naming the file that cannot be used. */
export async function openMedia(ctx: Context, ids: string[], rows: MediaRow[]): Promise<MediaFile[]> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return Promise.all(
    ids.map(async (id, position) => {
      const row = byId.get(id);
      if (row === undefined) throw gone(id, position, "is not in the library any more");
      const file =
        row.objectKey === null
          ? await openAddress(ctx, row, position)
          : await openStored(ctx, row, row.objectKey, position);
      return {
        id,
        position,
        kind: row.kind,
        alt: row.alt,
        url: (row.objectKey === null ? row.url : ctx.bucket?.publicUrl(row.objectKey)) ?? "",
        ...file,
      };
    }),
  );
}

type Opened = Pick<MediaFile, "contentType" | "bytes" | "width" | "height" | "seconds" | "open">;

const gone = (id: string, position: number, what: string) =>
  new MediaUnavailable(`file ${position + 1} (${id}) ${what}`, false);
const unreadable = (id: string, position: number, what: string) =>
  new MediaUnavailable(`file ${position + 1} (${id}) ${what}`, true);

async function openStored(ctx: Context, row: MediaRow, key: string, position: number): Promise<Opened> {
  const { bucket } = ctx;
  if (bucket === null) throw unreadable(row.id, position, "cannot be read: no bucket is configured");
  const look = await lookAtStored(bucket, key, row);
  if (look.is === "absent") throw gone(row.id, position, "was never uploaded, or is gone");
  if (look.is === "wrong") throw gone(row.id, position, look.what);
  const { etag, bytes, contentType } = look.stored;
  const open = async (range?: { offset: number; length: number }) => {
    const body = await bucket.read(key, etag, range);
    if (body === null) throw gone(row.id, position, "was changed or removed");
    return body;
  };
  if (look.is === "inspected") {
    const found = { id: row.id, etag, ...look.facts };
    await storeInspections(ctx.databaseOf(row.workspaceId), row.workspaceId, [found]);
    return { contentType, bytes, ...look.facts, open };
  }
  const { width, height, durationMs } = row;
  return { contentType, bytes, width, height, seconds: durationMs === null ? null : durationMs / 1000, open };
}

async function openAddress(ctx: Context, row: MediaRow, position: number): Promise<Opened> {
  const get = async (headers: Record<string, string>): Promise<Response> => {
    let at = row.url ?? "";
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      let response: Response;
      try {
        response = await ctx.outbound.fetch(at, { headers, signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
      } catch (error) {
        if (error instanceof BlockedAddress) throw gone(row.id, position, "leads to an address that is not public");
        throw unreadable(row.id, position, "did not answer at its address");
      }
      const location = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && location !== null && URL.canParse(location, at)) {
        await response.body?.cancel();
        at = new URL(location, at).href;
        continue;
      }
      if (response.ok && response.body !== null) return response;
      await response.body?.cancel();
      const what = `answered ${response.status} at its address`;
      throw response.status >= 500 || response.status === 429
        ? unreadable(row.id, position, what)
        : gone(row.id, position, what);
    }
    throw gone(row.id, position, "redirects too often");
  };
  const first = await get({});
  const length = first.headers.get("content-length");
  if (length === null) {
    // Without a length the bytes cannot be streamed on; small files are held instead.
    const whole = await firstBytes(streamOf(first), IMAGE_BYTES_MAX + 1);
    if (whole.byteLength > IMAGE_BYTES_MAX) throw gone(row.id, position, "is large and its address names no length");
    const bytes = whole.byteLength;
    const readPart: ReadPart = async (offset, length) => whole.subarray(offset, offset + length);
    const described = await describe(typeOf(row, position, first, whole), bytes, readPart);
    return { ...described, bytes, open: async (range) => part(whole, range) };
  }
  const bytes = Number(length);
  const rangeOf = (offset: number, length: number) => ({ range: `bytes=${offset}-${offset + length - 1}` });
  const head = await firstBytes(streamOf(first), HEAD_BYTES);
  const readPart: ReadPart = async (offset, length) => {
    if (offset + length <= head.byteLength) return head.subarray(offset, offset + length);
    try {
      const response = await get(rangeOf(offset, length));
      if (response.status === 206) return await firstBytes(streamOf(response), length);
      await response.body?.cancel();
    } catch {
      // What cannot be learnt is not judged: the bytes themselves are asked for when they are sent.
    }
    return new Uint8Array();
  };
  return {
    ...(await describe(typeOf(row, position, first, head), bytes, readPart)),
    bytes,
    async open(range) {
      const response = await get(range === undefined ? {} : rangeOf(range.offset, range.length));
      if (range !== undefined && response.status !== 206)
        throw gone(row.id, position, "cannot be read in parts at its address");
      if (range === undefined && response.headers.get("content-length") !== length) {
        throw gone(row.id, position, "changed while it was read");
      }
      return streamOf(response);
    },
  };
}

/** The type of a file at an address, by its first bytes. */
function typeOf(row: MediaRow, position: number, response: Response, head: Uint8Array): string {
  const declared = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const candidates = [declared, ...Object.keys(UPLOAD_TYPES)];
  const contentType = candidates.find((type) => looksLike(type, head) && UPLOAD_TYPES[type]?.kind === row.kind);
  if (contentType === undefined)
    throw gone(row.id, position, `is not ${row.kind === "image" ? "an image" : "a video"} we know`);
  return contentType;
}

async function describe(contentType: string, bytes: number, read: ReadPart) {
  return { contentType, ...((await inspectMedia(contentType, bytes, read)) ?? NO_FACTS) };
}

function streamOf(response: Response): ReadableStream<Uint8Array> {
  return response.body ?? new Blob([]).stream();
}

function part(whole: Uint8Array<ArrayBuffer>, range?: { offset: number; length: number }): ReadableStream<Uint8Array> {
  return new Blob([range === undefined ? whole : whole.slice(range.offset, range.offset + range.length)]).stream();
}

/** At most `bytesMax` bytes of a stream; the rest is not read. */
async function firstBytes(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = stream.getReader();
  while (bytes < bytesMax) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.byteLength;
  }
  await reader.cancel();
  const whole = new Uint8Array(Math.min(bytes, bytesMax));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk.subarray(0, whole.byteLength - at), at);
    at = Math.min(at + chunk.byteLength, whole.byteLength);
  }
  return whole;
}
