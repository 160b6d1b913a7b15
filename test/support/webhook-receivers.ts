// Webhook endpoints that behave as a test sets them. `/<name>` is an endpoint. `GET /_/<name>` returns the calls that it received, and
// `PUT /_/<name>` sets its answers.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

export interface Received {
  at_ms: number;
  method: string;
  headers: Record<string, string>;
  body: string;
}
/** How an endpoint answers a call. The last answer of a list repeats. */
export type Answer =
  | { do: "status"; status: number; headers?: Record<string, string>; body?: string }
  | { do: "hang" }
  | { do: "reset" }
  /** Sends a body that never ends. */
  | { do: "flood" }
  /** Sends a small body that unpacks to 64 MiB. */
  | { do: "bomb" }
  /** Sends the headers, and then one byte every half second. */
  | { do: "drip" };

export interface Receivers {
  url: string;
  close(): Promise<void>;
}

export async function startReceivers(): Promise<Receivers> {
  const received = new Map<string, Received[]>();
  const answers = new Map<string, Answer[]>();

  const server = createServer(async (request, response) => {
    const [, first = "", second = ""] = new URL(request.url ?? "/", "http://x").pathname.split("/");
    const body = await read(request);
    if (first === "_") return control(request, response, second, body);
    const list = received.get(first) ?? [];
    list.push({
      at_ms: Date.now(),
      method: request.method ?? "",
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body,
    });
    received.set(first, list);
    const script = answers.get(first) ?? [];
    perform((script.length > 1 ? script.shift() : script[0]) ?? { do: "status", status: 204 }, response);
  });

  function control(request: IncomingMessage, response: ServerResponse, name: string, body: string): void {
    if (request.method === "PUT") answers.set(name, JSON.parse(body));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(received.get(name) ?? []));
  }

  function perform(answer: Answer, response: ServerResponse): void {
    switch (answer.do) {
      case "status":
        response.writeHead(answer.status, answer.headers).end(answer.body);
        return;
      case "hang":
        return;
      case "reset":
        response.destroy();
        return;
      case "flood": {
        const chunk = Buffer.alloc(64 * 1024, 120);
        const writeMore = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.writeHead(200).on("drain", writeMore);
        writeMore();
        return;
      }
      case "bomb":
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
        return;
      case "drip": {
        response.writeHead(200);
        const timer = setInterval(() => response.write("."), 500);
        response.on("close", () => clearInterval(timer));
      }
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
