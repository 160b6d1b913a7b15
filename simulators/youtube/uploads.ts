// Resumable upload sessions: chunks in order; the server keeps received bytes when a connection breaks.
import { randomBytes } from "node:crypto";
import type { Ledger, ReceivedFile } from "../ledger.ts";
import { hasPersona } from "../personas.ts";
import type { World } from "../simulator.ts";
import type { Account } from "./accounts.ts";
import { ApiError } from "./errors.ts";
import type { Resource } from "./resource.ts";
import type { Video } from "./videos.ts";

/** Each chunk except the last has a multiple of this many bytes. An interrupted chunk is kept up to such a multiple. */
const UNIT = 256 * 1024;
const BYTES_MAX = 256_000_000_000;
const DAY_MS = 86_400_000;

export interface Session {
  id: string;
  account: Account;
  resource: Resource;
  notify: boolean;
  bytes: number;
  received: number;
  /** The resulting video, once the last byte has arrived. */
  video: Promise<Video> | null;
  feed: Feed;
  file: Promise<ReceivedFile>;
}

/** The request in a `Content-Range` header. */
export type Range = { is: "status" } | { is: "part"; from: number; to: number; total: number };

export class Uploads {
  readonly #sessions = new Map<string, Session>();
  readonly #ledger: Ledger;
  readonly #unit: number;

  constructor({ ledger, chunksDivisor }: World) {
    this.#ledger = ledger;
    this.#unit = UNIT / chunksDivisor;
  }

  start(account: Account, resource: Resource, notify: boolean, length: string, type: string): Session {
    if (!/^(video\/[\w.+-]+|application\/octet-stream)$/.test(type)) {
      const message = `Media type '${type}' is not supported. Valid media types: [video/*, application/octet-stream]`;
      throw new ApiError(400, "badContent", message, "global");
    }
    // Without a length the size is known only from the last chunk; Crier always states it.
    const bytes = Number(length);
    if (!Number.isSafeInteger(bytes) || bytes <= 0)
      throw new ApiError(400, "mediaBodyRequired", "The request does not include the video content.");
    if (bytes > BYTES_MAX) throw new ApiError(413, "uploadTooLarge", "The video is too large.", "global");
    this.#checkCap(account);
    const feed = new Feed();
    const id = randomBytes(24).toString("base64url");
    const file = this.#ledger.receive(feed.read(), type);
    const session = { id, account, resource, notify, bytes, received: 0, video: null, feed, file };
    this.#sessions.set(id, session);
    return session;
  }

  /** Rolling: 24 hours after a video, there is room for another. src/networks/youtube/errors.ts names the sources. */
  #checkCap({ name, handle }: Account): void {
    if (!hasPersona(name, "capped")) return;
    const since = Date.now() - DAY_MS;
    const uploaded = this.#ledger.list({ platform: "youtube", account: handle });
    if (uploaded.every(({ at_ms, media }) => at_ms <= since || media.length === 0)) return;
    // The words as taisly.com/blog/youtube-upload-limit quotes them, read 2026-11-26.
    const message = "The user has exceeded the number of videos they may upload.";
    throw new ApiError(400, "uploadLimitExceeded", message, "youtube.video");
  }

  find(id: string | undefined): Session | undefined {
    return this.#sessions.get(id ?? "");
  }

  /** Stores as much of a chunk as arrives; `keepHalf` stops in the middle of a chunk that is not the last. */
  async take(
    session: Session,
    range: Range & { is: "part" },
    body: ReadableStream<Uint8Array> | null,
    keepHalf: boolean,
  ): Promise<Response | null> {
    const { from, to, total } = range;
    if (total !== session.bytes) return refusal(400, "Invalid request.  The total size does not match the session's.");
    const length = to - from + 1;
    const last = to + 1 === total;
    if (!last && length % this.#unit !== 0) {
      return refusal(
        400,
        `Invalid request.  The number of bytes uploaded is required to be equal or greater than ${this.#unit}, except for the final request (it's recommended to be the exact multiple of ${this.#unit}).  The received request contained ${length} bytes, which does not meet this requirement.`,
      );
    }
    if (from > session.received) {
      return refusal(
        400,
        `Invalid request.  According to the Content-Range header, the upload offset is ${from} byte(s), which exceeds already uploaded size of ${session.received} byte(s).`,
      );
    }
    const chunks: Uint8Array[] = [];
    let arrived = 0;
    let whole = true;
    try {
      for await (const chunk of body ?? []) {
        chunks.push(chunk);
        arrived += chunk.byteLength;
      }
    } catch {
      whole = false;
    }
    if (whole && arrived !== length) {
      return refusal(
        400,
        `Invalid request.  There were ${arrived} byte(s) in the request body.  There should have been ${length} byte(s).`,
      );
    }
    const half = keepHalf && !last;
    const keptBytes = whole && !half ? arrived : Math.floor(arrived / (half ? 2 : 1) / this.#unit) * this.#unit;
    const bytes = Buffer.concat(chunks).subarray(Math.min(keptBytes, session.received - from), keptBytes);
    session.received += bytes.byteLength;
    session.feed.push(bytes);
    if (session.received === session.bytes) session.feed.end();
    return null;
  }

  forget(account?: string): void {
    for (const [id, session] of this.#sessions) {
      const { name, handle, channelId } = session.account;
      if (account === undefined || [name, handle, channelId].includes(account)) this.#sessions.delete(id);
    }
  }
}

/** The upload servers answer in plain text. */
function refusal(status: number, message: string): Response {
  return new Response(message, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

export function readRange(header: string | undefined, bytes: number): Range | null {
  if (header === undefined) return { is: "part", from: 0, to: bytes - 1, total: bytes };
  if (/^bytes \*\/(\d+|\*)$/.test(header)) return { is: "status" };
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header) ?? [];
  if (from === undefined || Number(from) > Number(to) || Number(to) >= Number(total)) return null;
  return { is: "part", from: Number(from), to: Number(to), total: Number(total) };
}

/** Joins the bytes of several requests into one stream for a single reader. */
class Feed {
  readonly #waiting: Uint8Array[] = [];
  #ended = false;
  #wake = () => {};

  push(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#wake();
  }
  end(): void {
    this.#ended = true;
    this.#wake();
  }
  async *read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
