// Sends a file, or a chunk of one, to an address of the bucket until it is stored.
import type { Client } from "./client.ts";
import { NoAnswer } from "./errors.ts";

/** Why bytes were not stored. */
export interface Trouble {
  message: string;
  /** The status of the bucket's answer; null if the bucket did not answer. */
  status: number | null;
  /** Whether a retry may help. */
  passes: boolean;
}

/** The bytes are stored. */
export interface Stored {
  /** Null if the page may not read it. */
  etag: string | null;
}

/** Callbacks during an upload. */
export interface Progress {
  /** Bytes sent so far; on a retry, it goes back by those that are sent again. */
  sent?(bytes: number): void;
  /** The file, or a chunk of it, is sent again in `waitMs`. */
  again?(reason: string, waitMs: number): void;
  /** The file has been uploaded. */
  arrived?(): void;
}

/** A signed address, and the exact headers to send. */
export interface Target {
  upload_url: string;
  headers: Record<string, string>;
  expires_at: string;
}

/** Which bytes of a file are sent. */
interface Range {
  offset: number;
  length: number;
}

/**
 * Sends a range of a file once, with exactly the signed headers; `isWhole` if it is the whole file. Reports the bytes of the
 * range that were sent. Throws if a retry cannot help.
 */
export type Put<File> = (
  file: File,
  target: Target,
  options: { range: Range; isWhole: boolean; sent: (bytes: number) => void; signal: AbortSignal | undefined },
) => Promise<Stored | Trouble>;

/** Waits before each retry. */
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];
/** An upload does not start on an address that is about to expire. */
const EXPIRY_MARGIN_MS = 30_000;
/** A longer answer of the bucket is not read. */
export const REASON_BYTES_MAX = 64 * 1024;

interface Sending<File, Address extends Target> {
  file: File & { name: string | null; bytes: number };
  range: Range;
  first: Address;
  /** Requests another address. */
  again: () => Promise<Address>;
  progress: Progress;
  put: Put<File>;
}

/** Sends bytes until they are stored. Returns the address that succeeded. */
export async function sendUntilStored<File, Address extends Target>(
  client: Client,
  { file, range, first, again, progress, put }: Sending<File, Address>,
): Promise<{ target: Address; etag: string | null }> {
  const { signal } = client;
  const isWhole = range.length === file.bytes;
  const sent = (bytes: number) => progress.sent?.(range.offset + bytes);
  const waits = [...WAITS_MS];
  let target = first;
  let renewed = false;
  for (;;) {
    if (Date.parse(target.expires_at) - EXPIRY_MARGIN_MS < client.now()) target = await again();
    sent(0);
    const result = await put(file, target, { range, isWhole, sent, signal });
    if ("etag" in result) return { target, etag: result.etag };
    signal?.throwIfAborted();
    // A signed address is rejected if it has expired or was never valid; a second rejection means that it was never valid.
    if (result.status === 403 && !renewed) {
      renewed = true;
      target = await again();
      continue;
    }
    const wait = result.passes ? waits.shift() : undefined;
    if (wait === undefined) {
      throw new NoAnswer(`${file.name ?? "The file"} could not be uploaded: ${result.message}.`, {
        status: result.status,
        passes: false,
      });
    }
    progress.again?.(result.message, wait);
    await client.pause(wait, signal);
  }
}

/** Interprets the bucket's answer. `text`: its body. */
export function readPutAnswer(status: number, etag: string | null, text: string): Stored | Trouble {
  if (status >= 200 && status < 300) return { etag };
  const reason = /<Message>([^<]{1,200})<\/Message>/.exec(text)?.[1];
  const message = `the bucket answered ${status}${reason === undefined ? "" : ` (${reason})`}`;
  return { message, status, passes: status >= 500 || status === 429 || status === 408 };
}

/** A service with https never sends a file to another kind of address, where anybody on the way could read it. */
export function checkUploadUrl(serviceUrl: string, uploadUrl: string): void {
  const protocol = URL.canParse(uploadUrl) ? new URL(uploadUrl).protocol : null;
  if (protocol === "https:" || (protocol === "http:" && new URL(serviceUrl).protocol === "http:")) return;
  throw new NoAnswer("The address for the upload is not https, so the file was not sent.", {
    status: 200,
    passes: false,
  });
}
