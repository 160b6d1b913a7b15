// A service on real connections that gives the answers of a test.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

export interface Call {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}
export interface Service {
  url: string;
  /** Every request whose body arrived, in order. */
  calls: Call[];
  close(): Promise<void>;
}
export type Answer = (response: ServerResponse, call: Call, request: IncomingMessage) => void;

/** Listens on a free port of the loopback. `early` receives each request before its body, and returns true if it has handled the request. */
export async function startService(
  answer: Answer,
  early: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<Service> {
  const calls: Call[] = [];
  const server: Server = createServer((request, response) => {
    if (early(request, response)) return;
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const call = { method, path, headers, body: Buffer.concat(chunks).toString("latin1") };
      calls.push(call);
      answer(response, call, request);
    });
    request.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
