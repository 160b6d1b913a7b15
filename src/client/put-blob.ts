// Sends a blob, or a range of it, to an address of the bucket.
import { readText } from "./answer.ts";
import { connectionTrouble } from "./errors.ts";
import { type Put, REASON_BYTES_MAX, readPutAnswer, type Stored, type Target, type Trouble } from "./put.ts";

/** XMLHttpRequest, the browser API that reports upload progress; other platforms lack it. */
interface BrowserRequest {
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: Blob): void;
  abort(): void;
  upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onloadend: (() => void) | null;
  status: number;
  responseText: string;
}
declare const XMLHttpRequest: (new () => BrowserRequest) | undefined;

/** A file in memory, or picked in a browser. */
export interface BlobFile {
  blob: Blob;
}

interface Sending {
  body: Blob;
  target: Target;
  sent: (bytes: number) => void;
  signal: AbortSignal | undefined;
}

/** Sends a blob. Browsers report progress; elsewhere fetch reports none, so all bytes are reported at the end. */
export const putBlob: Put<BlobFile> = ({ blob }, target, { range, isWhole, sent, signal }) => {
  const body = isWhole ? blob : blob.slice(range.offset, range.offset + range.length);
  const sending = { body, target, sent, signal };
  return typeof XMLHttpRequest === "undefined" ? putByFetch(sending) : putByBrowser(new XMLHttpRequest(), sending);
};

async function putByFetch({ body, target, sent, signal }: Sending): Promise<Stored | Trouble> {
  const { upload_url, headers } = target;
  try {
    // A redirect would send the file to an address that the service did not choose.
    const response = await fetch(upload_url, { method: "PUT", headers, body, signal, redirect: "manual" });
    const text = (await readText(response, REASON_BYTES_MAX)) ?? "";
    const result = readPutAnswer(response.status, response.headers.get("etag"), text);
    if ("etag" in result) sent(body.size);
    return result;
  } catch (error) {
    return { message: connectionTrouble(error), status: null, passes: true };
  }
}

/** Headers that a browser sets itself. */
const OWN_HEADERS = ["content-length"];

function putByBrowser(request: BrowserRequest, { body, target, sent, signal }: Sending): Promise<Stored | Trouble> {
  return new Promise((resolve) => {
    request.open("PUT", target.upload_url);
    for (const [name, value] of Object.entries(target.headers)) {
      if (!OWN_HEADERS.includes(name.toLowerCase())) request.setRequestHeader(name, value);
    }
    const stop = () => request.abort();
    signal?.addEventListener("abort", stop, { once: true });
    request.upload.onprogress = ({ loaded }) => sent(loaded);
    request.onloadend = () => {
      signal?.removeEventListener("abort", stop);
      const silence = { message: "the connection was broken off", status: null, passes: true };
      const { status, responseText } = request;
      resolve(status === 0 ? silence : readPutAnswer(status, request.getResponseHeader("etag"), responseText));
    };
    request.send(body);
  });
}
