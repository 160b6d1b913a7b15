// A host of files as good or as bad as a test wants. `PUT /<name>` says what is there; `GET` serves it, and `GET /_/<name>`
// tells how it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What is at an address; its bytes are `head`, and then zeros up to `bytes`. */
export interface Hosted {
  /** Base64. */
  head: string;
  bytes: number;
  headers?: Record<string, string>;
  /** Whether answers say how long they are. */
  length: boolean;
  ranges: boolean;
}
export interface Asked {
  /** The `Range` of each request, or null. */
  requests: (string | null)[];
  /** Requests whose answer nobody read to its end. */
  broken: number;
}
export interface FileHost {
  url: string;
  close(): Promise<void>;
}

export async function startFileHost(): Promise<FileHost> {
  const files = new Map<string, Hosted>();
  const asked = new Map<string, Asked>();
  const askedOf = (name: string) => {
    const found = asked.get(name) ?? { requests: [], broken: 0 };
    asked.set(name, found);
    return found;
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host");
    if (pathname.startsWith("/_/")) return void response.end(JSON.stringify(askedOf(pathname.slice(2))));
    if (request.method === "PUT") {
      files.set(pathname, JSON.parse(await textOf(request)));
      return void response.writeHead(204).end();
    }
    const file = files.get(pathname);
    if (file === undefined) return void response.writeHead(404).end();
    const record = askedOf(pathname);
    record.requests.push(request.headers.range ?? null);
    response.once("close", () => {
      if (!response.writableFinished) record.broken++;
    });
    serve(file, request.headers.range, response);
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

function serve({ head, bytes, headers, length, ranges }: Hosted, asked: string | undefined, response: ServerResponse) {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(asked ?? "") ?? [];
  const isPart = ranges && first !== undefined;
  const from = isPart ? Number(first) : 0;
  const to = isPart ? Math.min(bytes, Number(last) + 1) : bytes;
  response.writeHead(isPart ? 206 : 200, {
    ...headers,
    // As nginx, Apache and S3 do for what they give in parts.
    ...(ranges ? { "accept-ranges": "bytes" } : {}),
    ...(length ? { "content-length": String(to - from) } : {}),
    ...(isPart ? { "content-range": `bytes ${from}-${to - 1}/${bytes}` } : {}),
  });
  const beginning = Buffer.from(head, "base64");
  let at = from;
  const more = () => {
    while (!response.destroyed && at < to) {
      const chunk = Buffer.alloc(Math.min(64 * 1024, to - at));
      if (at < beginning.byteLength) beginning.copy(chunk, 0, at);
      at += chunk.byteLength;
      if (!response.write(chunk)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
