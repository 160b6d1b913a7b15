// Fetches a file from its host, within a time limit and through redirects, each of which is checked like the first address.
import { BlockedAddress, IpAddressHost } from "../domain/blocked-address.ts";
import { looksLike, UPLOAD_TYPES } from "../domain/media/types.ts";
import type { MediaKind } from "../domain/posts/platform-rule.ts";
import { withTimeLimit } from "../domain/time-limit.ts";
import type { Bucket, StoredFile } from "./bucket.ts";
import type { Outbound } from "./outbound.ts";

const REDIRECTS_MAX = 3;
/** The time limit, in milliseconds, for the headers of an answer, and for its first bytes if only those are read. */
export const FETCH_TIMEOUT_MS = 30_000;

/** The errors thrown if a file cannot be fetched. Each text completes a sentence that begins with the file. */
export interface RemoteReasons {
  /** Permanent. */
  gone(reason: string): Error;
  /** Permanent: the file's host is an IP address. */
  uncallable(): Error;
  /** A later retry may help. */
  unreadable(reason: string): Error;
}

/** A file at an address. Both methods throw an error from `RemoteReasons` unless the answer is a success with a body. */
export interface RemoteAddress {
  /**
   * Fetches the file, or a part of it. The headers must arrive within 30 s; the body may take as long as its reader waits.
   */
  open(headers: Record<string, string>): Promise<Response>;
  /** Fetches the file, or a part of it, and lets `read` process the answer, all within `ms`. */
  read<Result>(
    headers: Record<string, string>,
    ms: number,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result>;
}

/** A file's address, fetched through redirects. */
export function remoteAddress(call: Outbound["fetch"], url: string, reasons: RemoteReasons): RemoteAddress {
  const get = async (headers: Record<string, string>, signal: AbortSignal): Promise<Response> => {
    // A body that the runtime decompresses has a different length than its host reports, and supports no ranges.
    const init = { headers: { "accept-encoding": "identity", ...headers }, signal };
    let currentUrl = url;
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const response = await call(currentUrl, init).catch((error: unknown) => {
        if (error instanceof IpAddressHost) throw reasons.uncallable();
        if (error instanceof BlockedAddress) throw reasons.gone("leads to an address that is not public");
        throw reasons.unreadable("did not answer at its address");
      });
      const location = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && location !== null && URL.canParse(location, currentUrl)) {
        await response.body?.cancel();
        currentUrl = new URL(location, currentUrl).href;
        continue;
      }
      if (response.ok && response.body !== null) return response;
      await response.body?.cancel();
      const reason = `answered ${response.status} at its address`;
      throw response.status >= 500 || response.status === 429 ? reasons.unreadable(reason) : reasons.gone(reason);
    }
    throw reasons.gone("redirects too often");
  };
  return {
    open: (headers) => withTimeLimit(FETCH_TIMEOUT_MS, (signal) => get(headers, signal)),
    read: (headers, ms, read) => withTimeLimit(ms, async (signal) => read(await get(headers, signal))),
  };
}

/** The length of an answer's body in bytes as it is read; null if the headers do not say. */
export function readContentLength({ headers }: Response): number | null {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const length = headers.get("content-length");
  return encoding === "identity" && length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** The type of a remote file, from its first bytes. Throws an error from `reasons` if the file is of another kind. */
export function resolveContentType(
  kind: MediaKind,
  { headers }: Response,
  head: Uint8Array,
  reasons: RemoteReasons,
): string {
  const declared = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const candidates = [declared, ...Object.keys(UPLOAD_TYPES)];
  const contentType = candidates.find((type) => looksLike(type, head) && UPLOAD_TYPES[type]?.kind === kind);
  if (contentType === undefined) throw reasons.gone(`is not ${kind === "image" ? "an image" : "a video"} we know`);
  return contentType;
}

/** The key of a copy, and its limits. `timeoutMs`: for the whole copy. */
interface CopyTarget {
  bucket: Bucket;
  key: string;
  kind: MediaKind;
  bytesMax: number;
  timeoutMs: number;
}

/**
 * Copies a remote file into the bucket. Returns null if it has more than `bytesMax` bytes. Throws an error from `reasons`.
 */
export function copyRemote(
  address: RemoteAddress,
  { bucket, key, kind, bytesMax, timeoutMs }: CopyTarget,
  reasons: RemoteReasons,
): Promise<StoredFile | null> {
  return address.read({}, timeoutMs, async (response) => {
    if (response.body === null) throw reasons.unreadable("is empty at its address");
    let refusal: unknown;
    const findType = (head: Uint8Array): string => {
      try {
        return resolveContentType(kind, response, head, reasons);
      } catch (error) {
        refusal = error;
        throw error;
      }
    };
    try {
      return await bucket.store(key, response.body, bytesMax, findType);
    } catch {
      throw refusal ?? reasons.unreadable("could not be copied from its address");
    }
  });
}
