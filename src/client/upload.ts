// Uploads files to the bucket. Retries after a broken connection, and deletes all files of an upload that fails.
import { captionsType } from "../domain/media/types.ts";
import { readText } from "./answer.ts";
import type { Answer, Client } from "./client.ts";
import { connectionTrouble, NoAnswer } from "./errors.ts";

type Upload = Answer<"media.request-upload">;

/** The facts that an upload request needs. */
export interface FileFacts {
  /** The file's own name; null: unknown. */
  name: string | null;
  contentType: string;
  bytes: number;
  alt: string | null;
}

/** Why a file was not uploaded. */
export interface Trouble {
  message: string;
  /** The status of the bucket's answer; null if the bucket did not answer. */
  status: number | null;
  /** Whether a retry may help. */
  passes: boolean;
}

/** Callbacks during an upload. */
export interface Progress {
  /** Bytes sent so far; back to 0 on a retry. */
  sent?(bytes: number): void;
  /** The file is sent again in `waitMs`. */
  again?(reason: string, waitMs: number): void;
  /** The file has been uploaded. */
  arrived?(): void;
}

/**
 * Sends a file once, with exactly the signed headers. Returns null once the file is uploaded. Throws if a retry cannot help.
 */
export type Put<File> = (
  file: File,
  upload: Upload,
  progress: Progress,
  signal: AbortSignal | undefined,
) => Promise<Trouble | null>;

/** Waits before each retry. */
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];
/** An upload does not start on an address that is about to expire. */
const EXPIRY_MARGIN_MS = 30_000;
const CLEANUP_MS = 5_000;
/** A longer answer of the bucket is not read. */
const REASON_BYTES_MAX = 64 * 1024;

/**
 * Uploads files in order and returns their media ids. All upload addresses are requested before the first byte is sent, so
 * that a refusal costs no upload. On any failure, the files that were already uploaded are deleted.
 */
export async function uploadAll<File extends FileFacts>(
  client: Client,
  files: readonly File[],
  { put, progressOf = () => ({}) }: { put: Put<File>; progressOf?: (file: File) => Progress },
): Promise<string[]> {
  const uploads: Upload[] = [];
  const requestedIds: string[] = [];
  const ask = async ({ contentType: content_type, bytes, alt, name }: File) => {
    // Every other type is an image or a video.
    const captions = captionsType(content_type) !== null || undefined;
    const document = (captions === undefined && content_type.startsWith("application/")) || undefined;
    const { body } = await client.call("media.request-upload", {
      body: { content_type, document, captions, bytes, alt: alt ?? undefined, name: name ?? undefined },
    });
    // Anything else than an id and an address is not an answer of Crier.
    if (typeof body.media?.id !== "string" || typeof body.upload_url !== "string") {
      throw new NoAnswer("The service gives no address for an upload.", { status: 200, passes: false });
    }
    requestedIds.push(body.media.id);
    checkUploadUrl(client.url, body.upload_url);
    return body;
  };
  try {
    for (const file of files) uploads.push(await ask(file));
    for (const [i, file] of files.entries()) {
      const progress = progressOf(file);
      const again = () => ask(file);
      uploads[i] = await send(client, { file, first: uploads[i] ?? (await again()), again, progress, put });
    }
    const usedIds = uploads.map(({ media }) => media.id);
    const unusedIds = requestedIds.filter((id) => !usedIds.includes(id));
    await discard(client, unusedIds);
    return usedIds;
  } catch (error) {
    await discard(client, requestedIds);
    throw error;
  }
}

/** A service with https never sends a file to another kind of address, where anybody on the way could read it. */
function checkUploadUrl(serviceUrl: string, uploadUrl: string): void {
  const protocol = URL.canParse(uploadUrl) ? new URL(uploadUrl).protocol : null;
  if (protocol === "https:" || (protocol === "http:" && new URL(serviceUrl).protocol === "http:")) return;
  throw new NoAnswer("The address for the upload is not https, so the file was not sent.", {
    status: 200,
    passes: false,
  });
}

/**
 * Deletes media that no post uses; media that cannot be deleted now expires by itself. Runs even after the client's signal
 * is aborted.
 */
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

/** Sends a file until it is uploaded. Returns the upload that succeeded. */
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
    // A signed address is rejected if it has expired or was never valid; a second rejection means that it was never valid.
    if (trouble.status === 403 && !renewed) {
      renewed = true;
      upload = await again();
      continue;
    }
    const wait = trouble.passes ? waits.shift() : undefined;
    if (wait === undefined) {
      throw new NoAnswer(`${file.name ?? "The file"} could not be uploaded: ${trouble.message}.`, {
        status: trouble.status,
        passes: false,
      });
    }
    progress.again?.(trouble.message, wait);
    await client.pause(wait, signal);
  }
}

/** Interprets the bucket's answer; null if the file was uploaded. `text`: the answer's body. */
export function readUploadProblem(status: number, text: string): Trouble | null {
  if (status >= 200 && status < 300) return null;
  const reason = /<Message>([^<]{1,200})<\/Message>/.exec(text)?.[1];
  const message = `the bucket answered ${status}${reason === undefined ? "" : ` (${reason})`}`;
  return { message, status, passes: status >= 500 || status === 429 || status === 408 };
}

/** XMLHttpRequest, the browser API that reports upload progress; other platforms lack it. */
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

/** Sends a blob. Browsers report progress; elsewhere fetch reports none, so all bytes are reported at the end. */
const putBlob: Put<BlobFile> = (file, upload, progress, signal) =>
  typeof XMLHttpRequest === "undefined"
    ? putByFetch(file, upload, progress, signal)
    : putByBrowser(new XMLHttpRequest(), file, { upload, progress, signal });

const putByFetch: Put<BlobFile> = async ({ blob, bytes }, { upload_url, headers }, progress, signal) => {
  try {
    // A redirect would send the file to an address that the service did not choose.
    const response = await fetch(upload_url, { method: "PUT", headers, body: blob, signal, redirect: "manual" });
    const trouble = readUploadProblem(response.status, (await readText(response, REASON_BYTES_MAX)) ?? "");
    if (trouble === null) progress.sent?.(bytes);
    return trouble;
  } catch (error) {
    return { message: connectionTrouble(error), status: null, passes: true };
  }
};

/** Headers that a browser sets itself. */
const OWN_HEADERS = ["content-length"];

function putByBrowser(
  request: BrowserRequest,
  { blob }: BlobFile,
  { upload, progress, signal }: { upload: Upload; progress: Progress; signal: AbortSignal | undefined },
): Promise<Trouble | null> {
  return new Promise((resolve) => {
    request.open("PUT", upload.upload_url);
    for (const [name, value] of Object.entries(upload.headers)) {
      if (!OWN_HEADERS.includes(name.toLowerCase())) request.setRequestHeader(name, value);
    }
    const stop = () => request.abort();
    signal?.addEventListener("abort", stop, { once: true });
    request.upload.onprogress = ({ loaded }) => progress.sent?.(loaded);
    request.onloadend = () => {
      signal?.removeEventListener("abort", stop);
      const silence = { message: "the connection was broken off", status: null, passes: true };
      resolve(request.status === 0 ? silence : readUploadProblem(request.status, request.responseText));
    };
    request.send(blob);
  });
}

/** Uploads one file and returns its media id, for use in `media` of a post. */
export async function upload(
  client: Client,
  blob: Blob,
  options: { name?: string; contentType?: string; alt?: string | null; progress?: Progress } = {},
): Promise<string> {
  const { name = null, contentType = blob.type, alt = null, progress = {} } = options;
  const file: BlobFile = { name, contentType, bytes: blob.size, alt, blob };
  const [id = ""] = await uploadAll(client, [file], { put: putBlob, progressOf: () => progress });
  return id;
}
