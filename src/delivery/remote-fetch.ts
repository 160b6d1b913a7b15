// Asking the host of a file for it: through redirects, each to an address that is judged anew, and no longer than it may take.
import type { Context } from "../context.ts";
import { BlockedAddress } from "../domain/blocked-address.ts";
import { looksLike, UPLOAD_TYPES } from "../domain/media/types.ts";
import type { MediaRow } from "../store/media/media.ts";
import type { Reasons } from "./opened-file.ts";

const REDIRECTS_MAX = 3;
/** Milliseconds until the headers of an answer are there, and until its first bytes are where only those are read. */
export const FETCH_TIMEOUT_MS = 30_000;

/** Asks for a file, or a part of it; its headers come within 30 s, its bytes within `wholeMs` where that is given. */
export type Get = (headers: Record<string, string>, wholeMs?: number) => Promise<Response>;

/** Throws `MediaUnavailable`; what it returns is a success with a body. */
export function getFrom(ctx: Context, row: MediaRow, reasons: Reasons): Get {
  return async (headers, wholeMs) => {
    let at = row.url ?? "";
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const response = await answerOf(ctx, at, headers, wholeMs).catch((error: unknown) => {
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
}

/** One answer. Without `wholeMs` its body may take as long as its reader waits. */
async function answerOf(ctx: Context, url: string, headers: Record<string, string>, wholeMs?: number) {
  // What the runtime would unpack has another length than its host says, and no parts.
  const init = { headers: { "accept-encoding": "identity", ...headers } };
  if (wholeMs !== undefined) return ctx.outbound.fetch(url, { ...init, signal: AbortSignal.timeout(wholeMs) });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), FETCH_TIMEOUT_MS);
  try {
    return await ctx.outbound.fetch(url, { ...init, signal: late.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** The bytes of an answer's body as they come out of it; null where its headers do not say. */
export function lengthOf({ headers }: Response): number | null {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const length = headers.get("content-length");
  return encoding === "identity" && length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** The type of a file at an address, by its first bytes. */
export function typeOf(row: MediaRow, { headers }: Response, head: Uint8Array, reasons: Reasons): string {
  const declared = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const candidates = [declared, ...Object.keys(UPLOAD_TYPES)];
  const contentType = candidates.find((type) => looksLike(type, head) && UPLOAD_TYPES[type]?.kind === row.kind);
  if (contentType === undefined) throw reasons.gone(`is not ${row.kind === "image" ? "an image" : "a video"} we know`);
  return contentType;
}
