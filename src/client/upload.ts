// Files on their way to the bucket: again after a broken connection, and nothing left behind when one fails.
import type { Answer, Client } from "./client.ts";
import { connectionTrouble, NoAnswer } from "./errors.ts";

type Upload = Answer<"media.request-upload">;

/** A file as an upload is asked for. */
export interface FileFacts {
  /** For messages. */
  name: string;
  contentType: string;
  bytes: number;
  alt: string | null;
}

/** Why a file has not arrived. */
export interface Trouble {
  words: string;
  /** What the bucket answered; null: nothing. */
  status: number | null;
  /** Whether another try may help. */
  passes: boolean;
}

/** What is told while a file is on its way. */
export interface Progress {
  /** Bytes that have left; back to 0 when it is sent again. */
  sent?(bytes: number): void;
  /** It is sent again in `waitMs`. */
  again?(reason: string, waitMs: number): void;
  /** It has arrived. */
  arrived?(): void;
}

/** Sends a file once, with exactly the headers that were signed. null: it has arrived. Throws what another try can't mend. */
export type Put<File> = (
  file: File,
  upload: Upload,
  progress: Progress,
  signal: AbortSignal | undefined,
) => Promise<Trouble | null>;

/** Waits before a file is sent again. */
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];
/** An address that is about to end is not begun with. */
const EXPIRY_MARGIN_MS = 30_000;
const CLEANUP_MS = 5_000;

/**
 * Uploads files in their order and returns their media ids. All addresses are asked for before the first byte goes out, so
 * that a refusal costs none. Whatever ends it early, the files of it that are at the service already are deleted.
 */
export async function uploadAll<File extends FileFacts>(
  client: Client,
  files: readonly File[],
  { put, progressOf = () => ({}) }: { put: Put<File>; progressOf?: (file: File) => Progress },
): Promise<string[]> {
  const uploads: Upload[] = [];
  const begun: string[] = [];
  const ask = async ({ contentType: content_type, bytes, alt }: File) => {
    const { body } = await client.call("media.request-upload", {
      body: { content_type, bytes, alt: alt ?? undefined },
    });
    begun.push(body.media.id);
    return body;
  };
  try {
    for (const file of files) uploads.push(await ask(file));
    for (const [i, file] of files.entries()) {
      const progress = progressOf(file);
      const again = () => ask(file);
      uploads[i] = await send(client, { file, first: uploads[i] ?? (await again()), again, progress, put });
    }
    const wanted = uploads.map(({ media }) => media.id);
    const others = begun.filter((id) => !wanted.includes(id));
    await discard(client, others);
    return wanted;
  } catch (error) {
    await discard(client, begun);
    throw error;
  }
}

/** Deletes media that no post uses; what cannot be deleted now expires by itself. Also after the client's signal. */
export async function discard(client: Client, ids: readonly string[]): Promise<void> {
  const signal = AbortSignal.timeout(CLEANUP_MS);
  await Promise.allSettled(ids.map((id) => client.call("media.remove", { params: { id }, signal })));
}

interface Sending<File> {
  file: File;
  first: Upload;
  again: () => Promise<Upload>;
  progress: Progress;
  put: Put<File>;
}

/** Sends a file until it has arrived. Returns the upload by which it did. */
async function send<File extends FileFacts>(
  client: Client,
  { file, first, again, progress, put }: Sending<File>,
): Promise<Upload> {
  const { signal } = client;
  const waits = [...WAITS_MS];
  let upload = first;
  let renewed = false;
  for (;;) {
    if (Date.parse(upload.expires_at) - EXPIRY_MARGIN_MS < client.now()) upload = await again();
    progress.sent?.(0);
    const trouble = await put(file, upload, progress, signal);
    if (trouble === null) {
      progress.arrived?.();
      return upload;
    }
    signal?.throwIfAborted();
    // A signed address is refused when it has ended, or when it was never good: the second time says which.
    if (trouble.status === 403 && !renewed) {
      renewed = true;
      upload = await again();
      continue;
    }
    const wait = trouble.passes ? waits.shift() : undefined;
    if (wait === undefined) {
      throw new NoAnswer(`${file.name} could not be uploaded: ${trouble.words}.`, {
        status: trouble.status,
        passes: false,
      });
    }
    progress.again?.(trouble.words, wait);
    await client.pause(wait, signal);
  }
}

/** What an answer of the bucket means; null: the file has arrived. `text`: its body. */
export function troubleOf(status: number, text: string): Trouble | null {
  if (status >= 200 && status < 300) return null;
  const reason = /<Message>([^<]{1,200})<\/Message>/.exec(text)?.[1];
  const words = `the bucket answered ${status}${reason === undefined ? "" : ` (${reason})`}`;
  return { words, status, passes: status >= 500 || status === 429 || status === 408 };
}

/** A browser's way to send that tells how far it is; other platforms have none. */
interface BrowserRequest {
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
  upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onloadend: (() => void) | null;
  status: number;
  responseText: string;
}
declare const XMLHttpRequest: (new () => BrowserRequest) | undefined;

/** A file in memory, or picked in a browser. */
interface BlobFile extends FileFacts {
  blob: Blob;
}

/** Sends a blob. Bytes on their way are told in browsers; elsewhere, where fetch tells of none, all of them at the end. */
const putBlob: Put<BlobFile> = (file, upload, progress, signal) =>
  typeof XMLHttpRequest === "undefined"
    ? putByFetch(file, upload, progress, signal)
    : putByBrowser(new XMLHttpRequest(), file, { upload, progress, signal });

const putByFetch: Put<BlobFile> = async ({ blob, bytes }, { upload_url, headers }, progress, signal) => {
  try {
    const response = await fetch(upload_url, { method: "PUT", headers, body: blob, signal });
    const trouble = troubleOf(response.status, await response.text());
    if (trouble === null) progress.sent?.(bytes);
    return trouble;
  } catch (error) {
    return { words: connectionTrouble(error), status: null, passes: true };
  }
};

/** Headers that a browser sets itself. */
const OWN_HEADERS = ["content-length"];

function putByBrowser(
  request: BrowserRequest,
  { blob }: BlobFile,
  { upload, progress, signal }: { upload: Upload; progress: Progress; signal: AbortSignal | undefined },
): Promise<Trouble | null> {
  return new Promise((settle) => {
    request.open("PUT", upload.upload_url);
    for (const [name, value] of Object.entries(upload.headers)) {
      if (!OWN_HEADERS.includes(name.toLowerCase())) request.setRequestHeader(name, value);
    }
    const stop = () => request.abort();
    signal?.addEventListener("abort", stop, { once: true });
    request.upload.onprogress = ({ loaded }) => progress.sent?.(loaded);
    request.onloadend = () => {
      signal?.removeEventListener("abort", stop);
      const silence = { words: "the connection was broken off", status: null, passes: true };
      settle(request.status === 0 ? silence : troubleOf(request.status, request.responseText));
    };
    request.send(blob);
  });
}

/** Uploads one file and returns its media id, good for `media` of a post. */
export async function upload(
  client: Client,
  blob: Blob,
  options: { name?: string; contentType?: string; alt?: string | null; progress?: Progress } = {},
): Promise<string> {
  const { name = "the file", contentType = blob.type, alt = null, progress = {} } = options;
  const file: BlobFile = { name, contentType, bytes: blob.size, alt, blob };
  const [id = ""] = await uploadAll(client, [file], { put: putBlob, progressOf: () => progress });
  return id;
}
