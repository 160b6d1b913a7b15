// Inspects the file at an address once, as its delivery will: by its own bytes, of which it reads few.
import { counted, type Outbound } from "../../adapters/outbound.ts";
import type { Context } from "../../context.ts";
import { BlockedAddress, IpAddressHost } from "../../domain/blocked-address.ts";
import { HostBusy } from "../../domain/host-busy.ts";
import { type FileFacts, HEAD_BYTES, inspectMedia, NO_FACTS, type ReadRange } from "../../domain/media/inspect.ts";
import { detectContentType, uploadType } from "../../domain/media/types.ts";
import type { MediaKind } from "../../domain/posts/platform-rule.ts";
import { IP_HOST_WARNING } from "../../domain/public-url.ts";
import { readAtMost } from "../../domain/read-at-most.ts";
import { refuse } from "../../domain/refusal.ts";
import { withTimeLimit } from "../../domain/time-limit.ts";
import { limitOutbound, refuseWait } from "../rate-limit.ts";

const REDIRECTS_MAX = 3;
/** The time limit for the first bytes, and again for all later reads. */
const TIMEOUT_MS = 10_000;
/** A video's headers may lie at its end: the limits of further requests and further bytes. */
const RANGES_MAX = 8;
const RANGES_BYTES_MAX = 5 * 1024 * 1024;

/** The known facts of the file; null: its host does not state them. */
export interface FileAtAddress extends FileFacts {
  contentType: string | null;
  bytes: number | null;
}

/**
 * Reads the first bytes once, through at most three checked redirects, and for a video the parts that hold its headers.
 * Throws `url_unreachable` or `url_expired`, and `content_type_not_allowed` for a file of the other kind.
 */
export async function lookAtAddress(
  ctx: Context,
  workspaceId: string,
  url: string,
  kind: MediaKind,
): Promise<FileAtAddress> {
  await limitOutbound(ctx, workspaceId);
  const call = counted(ctx.outbound.fetch, (address) => ctx.takeHost(workspaceId, address));
  let currentUrl = url;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const { response, head } = await firstBytes(call, currentUrl);
    const { status, ok, headers } = response;
    const location = headers.get("location");
    if (status >= 300 && status < 400 && location !== null && URL.canParse(location, currentUrl)) {
      currentUrl = new URL(location, currentUrl).href;
      continue;
    }
    if (status === 401 || status === 403 || status === 410) throw refuse("url_expired", { field: "/url" });
    if (!ok) throw unreachable(`The address answered ${status}.`);
    const bytes = readTotalBytes(response);
    const declaredType = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? null;
    const detectedType = detectContentType(head);
    // An unrecognized format is left to the delivery.
    if (detectedType === null) return { contentType: declaredType, bytes, ...NO_FACTS };
    if (uploadType(detectedType)?.kind !== kind)
      throw refuse("content_type_not_allowed", {
        field: "/kind",
        message: `The address has ${detectedType}, which is no ${kind}.`,
        hint: "Name the kind of the file.",
      });
    const facts = await withTimeLimit(TIMEOUT_MS, (signal) => {
      const callInTime: Outbound["fetch"] = (address, init) => call(address, { ...init, signal });
      return inspectMedia(
        detectedType,
        bytes ?? head.byteLength,
        makeRangeReader(callInTime, currentUrl, head, status === 206),
      );
    });
    return { contentType: detectedType, bytes, ...(facts ?? NO_FACTS) };
  }
  throw unreachable(`The address redirects more than ${REDIRECTS_MAX} times.`);
}

/**
 * Reads ranges of the file: its beginning is already there, and later ranges are requested if the host supports ranges.
 */
function makeRangeReader(call: Outbound["fetch"], url: string, head: Uint8Array, hasRanges: boolean): ReadRange {
  let [ranges, bytes] = [0, 0];
  return async (offset, length) => {
    if (offset + length <= head.byteLength) return head.subarray(offset, offset + length);
    ranges++;
    bytes += length;
    if (!hasRanges || ranges > RANGES_MAX || bytes > RANGES_BYTES_MAX) return new Uint8Array();
    try {
      const headers = { range: `bytes=${offset}-${offset + length - 1}` };
      const response = await call(url, { headers });
      if (response.status === 206) return await readAtMost(response.body, length);
      await response.body?.cancel();
    } catch {
      // Facts that cannot be determined are not checked.
    }
    return new Uint8Array();
  };
}

/** The size of the whole file; null if its host does not state it, or compresses the file. */
function readTotalBytes({ headers }: Response): number | null {
  const isPacked = (headers.get("content-encoding") ?? "identity").trim().toLowerCase() !== "identity";
  const total = headers.get("content-range")?.split("/")[1] ?? (isPacked ? null : headers.get("content-length"));
  return total !== null && /^\d{1,15}$/.test(total) ? Number(total) : null;
}

/**
 * One answer and its first bytes. The runtime reports an unknown host, a broken connection and a timeout with different
 * errors.
 */
async function firstBytes(call: Outbound["fetch"], url: string): Promise<{ response: Response; head: Uint8Array }> {
  try {
    return await withTimeLimit(TIMEOUT_MS, async (signal) => {
      const response = await call(url, { headers: { range: `bytes=0-${HEAD_BYTES - 1}` }, signal });
      if (response.ok) return { response, head: await readAtMost(response.body, HEAD_BYTES) };
      await response.body?.cancel();
      return { response, head: new Uint8Array() };
    });
  } catch (error) {
    if (error instanceof IpAddressHost) throw unreachable(IP_HOST_WARNING.message);
    if (error instanceof BlockedAddress) throw refuse(error.refusal, { field: "/url" });
    if (error instanceof HostBusy) refuseWait(error.waitS);
    throw unreachable("The address did not answer.");
  }
}

const unreachable = (message: string) => refuse("url_unreachable", { field: "/url", message });
