// The protocol's own client against the Worker, in both versions of the protocol, and single requests that no client
// would send.
import { exports } from "cloudflare:workers";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const MCP_URL = "http://crier.test/mcp";
export type Era = "2025-11-25" | "2026-07-28";
export const ERAS: Era[] = ["2025-11-25", "2026-07-28"];

/** Connects a client with a workspace's key. */
export async function connectClient(key: string, era: Era, options: ClientOptions = {}): Promise<Client> {
  const mode = era === "2026-07-28" ? { pin: era } : "legacy";
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode }, ...options });
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: (url, init) => exports.default.fetch(new Request(url, init)),
  });
  await client.connect(transport);
  return client;
}

export interface ToolAnswer {
  /** The first text, parsed: the body of a success or of a refusal. */
  body: Record<string, unknown>;
  refused: boolean;
  result: Awaited<ReturnType<Client["callTool"]>>;
}

export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: args });
  const [first] = result.content;
  const text = first?.type === "text" ? first.text : "{}";
  return { body: JSON.parse(text), refused: result.isError === true, result };
}

/** Sends one request unchanged. A `body` that is a string is sent as it is. */
export async function send(
  method: string,
  {
    key,
    body,
    headers = {},
    url = MCP_URL,
  }: { key?: string; body?: unknown; headers?: Record<string, string>; url?: string },
): Promise<Response> {
  const allHeaders = new Headers({ accept: "application/json, text/event-stream", ...headers });
  if (key !== undefined) allHeaders.set("authorization", `Bearer ${key}`);
  if (body !== undefined && !allHeaders.has("content-type")) allHeaders.set("content-type", "application/json");
  const sentBody = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return exports.default.fetch(new Request(url, { method, headers: allHeaders, body: sentBody }));
}

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** Begins a session by a single request, and returns its id. */
export async function beginSession(key: string): Promise<string> {
  const answer = await send("POST", { key, body: INITIALIZE });
  await answer.text();
  return answer.headers.get("mcp-session-id") ?? "";
}

/** Reads the messages of an answer, which is JSON or a stream of events. */
export async function readMessages(answer: Response): Promise<Record<string, unknown>[]> {
  const text = await answer.text();
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream"))
    return text === "" ? [] : [JSON.parse(text)];
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: ") && line.length > 6)
    .map((line) => JSON.parse(line.slice(6)));
}
