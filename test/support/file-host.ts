// A host of files that behaves as a test sets it. `PUT /<name>` sets a file, `GET /<name>` serves it, and `GET /_/<name>` returns
// the requests for it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The file at an address. Its content is `head`, followed by zeros up to `bytes`. */
export interface Hosted {
  /** Base64. */
  head: string;
  bytes: number;
  headers?: Record<string, string>;
  /** Whether answers have a `Content-Length`. */
  length: boolean;
  ranges: boolean;
}
export interface Asked {
  /** The `Range` of each request, or null. */
  requests: (string | null)[];
  /** The number of requests whose answer was not read to its end. */
  broken: number;
}
export interface FileHost {
  url: string;
  close(): Promise<void>;
}

export async function startFileHost(): Promise<FileHost> {
  const files = new Map<string, Hosted>();
  const asks = new Map<string, Asked>();
  const countRequests = (name: string) => {
    const counted = asks.get(name) ?? { requests: [], broken: 0 };
    asks.set(name, counted);
    return counted;
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host");
    if (pathname.startsWith("/_/")) return void response.end(JSON.stringify(countRequests(pathname.slice(2))));
    if (request.method === "PUT") {
      files.set(pathname, JSON.parse(await readText(request)));
      return void response.writeHead(204).end();
    }
    const file = files.get(pathname);
    if (file === undefined) return void response.writeHead(404).end();
    const record = countRequests(pathname);
    record.requests.push(request.headers.range ?? null);
    response.once("close", () => {
      if (!response.writableFinished) record.broken++;
    });
    serve(file, request.headers, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

function serve(
  { head, bytes, headers, length, ranges }: Hosted,
  { range: rangeHeader, "if-none-match": ifNoneMatch }: IncomingMessage["headers"],
  response: ServerResponse,
) {
  if (headers?.etag !== undefined && headers.etag === ifNoneMatch) return void response.writeHead(304).end();
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(rangeHeader ?? "") ?? [];
  const isPart = ranges && first !== undefined;
  const from = isPart ? Number(first) : 0;
  const to = isPart ? Math.min(bytes, Number(last) + 1) : bytes;
  response.writeHead(isPart ? 206 : 200, {
    ...headers,
    // Nginx, Apache and S3 send this header for files that they serve in parts.
    ...(ranges ? { "accept-ranges": "bytes" } : {}),
    ...(length ? { "content-length": String(to - from) } : {}),
    ...(isPart ? { "content-range": `bytes ${from}-${to - 1}/${bytes}` } : {}),
  });
  const beginning = Buffer.from(head, "base64");
  let offset = from;
  const writeMore = () => {
    while (!response.destroyed && offset < to) {
      const chunk = Buffer.alloc(Math.min(64 * 1024, to - offset));
      if (offset < beginning.byteLength) beginning.copy(chunk, 0, offset);
      offset += chunk.byteLength;
      if (!response.write(chunk)) return void response.once("drain", writeMore);
    }
    response.end();
  };
  writeMore();
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
