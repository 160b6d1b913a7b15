// A file at an address that a user named. It is streamed from there, in ranges if its host supports them. It is copied first
// (-> remote-copy.ts) in two cases: its host does not report its length, which requests to networks must carry; or it is
// large and its host only serves it whole. Networks that accept chunks get chunks, so that limits on the body of one request
// do not matter.
import { FETCH_TIMEOUT_MS, readContentLength, remoteAddress, resolveContentType } from "../adapters/remote-fetch.ts";
import type { Context } from "../context.ts";
import { HEAD_BYTES, inspectMedia, NO_FACTS, type ReadRange } from "../domain/media/inspect.ts";
import { readAtMost } from "../domain/read-at-most.ts";
import type { MediaRow } from "../store/media/media.ts";
import type { MediaUse, OpenedFile, Reasons } from "./opened-file.ts";
import { openCopy } from "./remote-copy.ts";

/** Opens and inspects a file at an address. Throws `MediaUnavailable`. */
export async function openRemote(ctx: Context, row: MediaRow, use: MediaUse, reasons: Reasons): Promise<OpenedFile> {
  const waitS = await ctx.takeHost(row.workspaceId, row.url ?? "");
  if (waitS > 0) throw reasons.waiting(ctx.now() + waitS * 1000);
  const address = remoteAddress(ctx.outbound.fetch, row.url ?? "", reasons);
  const { first, head } = await address.read({}, FETCH_TIMEOUT_MS, async (response) => {
    if (use.inspectOnly || canBeStreamed(ctx, response)) {
      return { first: response, head: await readAtMost(response.body, HEAD_BYTES) };
    }
    await response.body?.cancel();
    return { first: response, head: null };
  });
  if (head === null) return openCopy(ctx, row, use, reasons, address);
  const bytes = readContentLength(first);
  const contentType = resolveContentType(row.kind, first, head, reasons);
  if (bytes === null) {
    const facts = await inspectMedia(contentType, head.byteLength, async (offset, length) =>
      head.slice(offset, offset + length),
    );
    const open = () => Promise.reject(reasons.unreadable("was not copied"));
    return { contentType, bytes: head.byteLength, ...(facts ?? NO_FACTS), url: row.url ?? "", open };
  }
  const identity = readIdentity(first);
  const isSame = (response: Response) => {
    const now = readIdentity(response);
    return isEqual(identity.etag, now.etag) && isEqual(identity.lastModified, now.lastModified);
  };
  const readRange: ReadRange = async (offset, length) => {
    if (offset + length <= head.byteLength) return head.subarray(offset, offset + length);
    try {
      return await address.read(buildRangeHeader(offset, length), FETCH_TIMEOUT_MS, async (response) => {
        if (response.status === 206) return readAtMost(response.body, length);
        await response.body?.cancel();
        return new Uint8Array();
      });
    } catch {
      // Unknown properties are not judged: the bytes themselves are read when they are sent.
    }
    return new Uint8Array();
  };
  return {
    contentType,
    bytes,
    ...((await inspectMedia(contentType, bytes, readRange)) ?? NO_FACTS),
    url: row.url ?? "",
    async open(range) {
      const response = await address.open(range === undefined ? {} : buildRangeHeader(range.offset, range.length));
      const refused = async (toGoneError: string) => {
        await response.body?.cancel();
        return reasons.gone(toGoneError);
      };
      if (range !== undefined && response.status !== 206) throw await refused("cannot be read in parts at its address");
      const total = range === undefined ? readContentLength(response) : readTotalBytes(response);
      if (!isEqual(bytes, total) || (range === undefined && total === null) || !isSame(response)) {
        throw await refused("was changed at its address while it was read");
      }
      return response.body ?? new ReadableStream();
    },
  };
}

/**
 * Cloudflare documents no limit on the body of a request that an object sends. The smallest documented limit is 100 MB, for
 * requests from clients (developers.cloudflare.com/workers/platform/limits, read 2026-11-24), so larger bodies are avoided.
 */
const WHOLE_BYTES_MAX = 90_000_000;

/** Whether a file is streamed from its host while it is sent. Without a bucket it always is. */
function canBeStreamed({ bucket, settings }: Context, response: Response): boolean {
  const bytes = readContentLength(response);
  if (bytes === null) return false;
  return (
    bytes <= WHOLE_BYTES_MAX / settings.uploadChunksDivisor ||
    bucket === null ||
    response.headers.get("accept-ranges") === "bytes"
  );
}

const buildRangeHeader = (offset: number, length: number) => ({ range: `bytes=${offset}-${offset + length - 1}` });

/** The size of the whole file according to the answer to a range request, or null if the host does not report it. */
function readTotalBytes({ headers }: Response): number | null {
  const total = /\/(\d{1,15})$/.exec(headers.get("content-range") ?? "")?.[1];
  return total === undefined ? null : Number(total);
}

/** The headers that tell a file's versions apart. A weak ETag does not: it may cover different bytes. */
function readIdentity({ headers }: Response) {
  const etag = headers.get("etag");
  return { etag: etag?.startsWith("W/") ? null : etag, lastModified: headers.get("last-modified") };
}

/** Compares only values that both answers contain. */
const isEqual = <Value>(first: Value | null | undefined, second: Value | null | undefined) =>
  first == null || second == null || first === second;
