// Fetches the document of a feed, within limits of time and size, and only if it has changed.
import { FEED_BYTES_MAX } from "../domain/limits.ts";
import { readAtMost } from "../domain/read-at-most.ts";
import type { Call } from "./outbound.ts";
import { type RemoteReasons, remoteAddress } from "./remote-fetch.ts";

const TIMEOUT_MS = 20_000;
const ACCEPT = "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1";
/** The headers of an answer, and those of the next request that they become (RFC 9110, section 13.1). */
const VALIDATORS = { etag: "if-none-match", "last-modified": "if-modified-since" };

/** Why a feed cannot be read. `message`: a sentence. */
export class FeedFault extends Error {
  readonly code: "unreachable" | "not_public" | "too_large";
  constructor(code: FeedFault["code"], message: string) {
    super(message);
    this.code = code;
  }
}

const REASONS: RemoteReasons = {
  gone: (reason) =>
    reason.includes("not public")
      ? new FeedFault("not_public", "The feed leads to an address that is not public.")
      : new FeedFault("unreachable", `The feed ${reason}.`),
  uncallable: () => new FeedFault("unreachable", "The feed's host is an IP address, which cannot be called."),
  unreadable: (reason) => new FeedFault("unreachable", `The feed ${reason}.`),
};

export interface FetchedFeed {
  /** The document; null: it has not changed. */
  text: string | null;
  /** For the next request. */
  validators: Record<string, string>;
}

/** Fetches a feed through checked redirects. `validators`: of the previous answer. Throws `FeedFault`. */
export async function fetchFeed(call: Call, url: string, validators: Record<string, string>): Promise<FetchedFeed> {
  let isUnchanged = false;
  const noting: Call = async (address, init) => {
    const response = await call(address, init);
    if (response.status !== 304) return response;
    isUnchanged = true;
    return new Response("unchanged", { headers: response.headers });
  };
  return remoteAddress(noting, url, REASONS).read({ accept: ACCEPT, ...validators }, TIMEOUT_MS, async (response) => {
    if (isUnchanged) {
      await response.body?.cancel();
      return { text: null, validators };
    }
    const bytes = await readAtMost(response.body, FEED_BYTES_MAX + 1);
    if (bytes.byteLength > FEED_BYTES_MAX) {
      throw new FeedFault("too_large", `The feed has more than ${FEED_BYTES_MAX / 1024} KiB.`);
    }
    const kept = Object.entries(VALIDATORS).flatMap(([from, to]) => {
      const value = response.headers.get(from);
      return value === null || value.length > VALIDATOR_LENGTH_MAX ? [] : [[to, value]];
    });
    return { text: decode(bytes, response.headers.get("content-type") ?? ""), validators: Object.fromEntries(kept) };
  });
}

const VALIDATOR_LENGTH_MAX = 300;

/** Decodes by the charset of the header, or else of the XML declaration, or else as UTF-8. */
function decode(bytes: Uint8Array, contentType: string): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  const charset =
    /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? /<\?xml[^>]*encoding=["']([\w-]+)["']/i.exec(head)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
