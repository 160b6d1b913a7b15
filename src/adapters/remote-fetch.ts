// Asking the host of a file for it: through redirects, each to an address that is judged anew, and no longer than it may take.
import { BlockedAddress, IpAddressHost } from "../domain/blocked-address.ts";
import { looksLike, UPLOAD_TYPES } from "../domain/media/types.ts";
import type { MediaKind } from "../domain/posts/platform-rule.ts";
import { withTimeLimit } from "../domain/time-limit.ts";
import type { Bucket, StoredFile } from "./bucket.ts";
import type { Outbound } from "./outbound.ts";

const REDIRECTS_MAX = 3;
/** Milliseconds until the headers of an answer are there, and until its first bytes are where only those are read. */
export const FETCH_TIMEOUT_MS = 30_000;

/** What is thrown when a file cannot be had; each text completes a sentence that begins with the file. */
export interface RemoteReasons {
  /** For good. */
  gone(what: string): Error;
  /** For good: its host is an IP address. */
  uncallable(): Error;
  /** Trying later may help. */
  unreadable(what: string): Error;
}

/** A file at an address. Both ways to ask for it throw what `RemoteReasons` make unless the answer is a success with a body. */
export interface RemoteAddress {
  /** Asks for the file, or a part of it. The headers come within 30 s; the body may take as long as its reader waits. */
  open(headers: Record<string, string>): Promise<Response>;
  /** Asks for the file, or a part of it, and has `read` do with the answer whatever has to be done within `ms`. */
  read<Result>(
    headers: Record<string, string>,
    ms: number,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result>;
}

/** A file's address, asked through redirects. */
export function remoteAddress(call: Outbound["fetch"], url: string, reasons: RemoteReasons): RemoteAddress {
  const get = async (headers: Record<string, string>, signal: AbortSignal): Promise<Response> => {
    // What the runtime would unpack has another length than its host says, and no parts.
    const init = { headers: { "accept-encoding": "identity", ...headers }, signal };
    let at = url;
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const response = await call(at, init).catch((error: unknown) => {
        if (error instanceof IpAddressHost) throw reasons.uncallable();
        if (error instanceof BlockedAddress) throw reasons.gone("leads to an address that is not public");
        throw reasons.unreadable("did not answer at its address");
      });
      const location = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && location !== null && URL.canParse(location, at)) {
        await response.body?.cancel();
        at = new URL(location, at).href;
        continue;
      }
      if (response.ok && response.body !== null) return response;
      await response.body?.cancel();
      const what = `answered ${response.status} at its address`;
      throw response.status >= 500 || response.status === 429 ? reasons.unreadable(what) : reasons.gone(what);
    }
    throw reasons.gone("redirects too often");
  };
  return {
    open: (headers) => withTimeLimit(FETCH_TIMEOUT_MS, (signal) => get(headers, signal)),
    read: (headers, ms, read) => withTimeLimit(ms, async (signal) => read(await get(headers, signal))),
  };
}

/** The bytes of an answer's body as they come out of it; null where its headers do not say. */
export function lengthOf({ headers }: Response): number | null {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const length = headers.get("content-length");
  return encoding === "identity" && length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** The type of a file at an address, by its first bytes. Throws what `reasons` make of a file of another kind. */
export function typeOf(kind: MediaKind, { headers }: Response, head: Uint8Array, reasons: RemoteReasons): string {
  const declared = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const candidates = [declared, ...Object.keys(UPLOAD_TYPES)];
  const contentType = candidates.find((type) => looksLike(type, head) && UPLOAD_TYPES[type]?.kind === kind);
  if (contentType === undefined) throw reasons.gone(`is not ${kind === "image" ? "an image" : "a video"} we know`);
  return contentType;
}

/** Where a copy goes, and what it may be. `timeoutMs`: for all of it. */
interface CopyTarget {
  bucket: Bucket;
  key: string;
  kind: MediaKind;
  bytesMax: number;
  timeoutMs: number;
}

/** Copies the file at an address into the bucket. null: it has more than `bytesMax` bytes. Throws what `reasons` make. */
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
        return typeOf(kind, response, head, reasons);
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
