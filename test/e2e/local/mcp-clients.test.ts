// The MCP server with real clients: both SDKs in every mode, the Inspector, and the protocol's conformance suite,
// over loopback against a local run.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { eventually } from "../../support/eventually.ts";
import { json, type Run, signUp, start, stopAll } from "./running.ts";

const run = promisify(execFile);
const bin = (name: string) => join(import.meta.dirname, "../../../node_modules/.bin", name);

let crier: Run;
let key: string;
let channel: string;
/** The address for the conformance suite, which cannot send a key. */
let open: string;
const proxy = createServer((incoming, answer) => {
  const { pathname, search } = new URL(incoming.url ?? "/", "http://proxy");
  const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
  const outgoing = request(`${crier.url}${pathname}${search}`, { method: incoming.method, headers }, (received) => {
    answer.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(answer);
  });
  outgoing.once("error", () => answer.destroy());
  incoming.pipe(outgoing);
});

beforeAll(async () => {
  crier = await start({ DEMO: "0" });
  key = await signUp(crier.url);
  const credentials = { bot_token: `123456789:${"A".repeat(35)}`, chat_id: "@mcp_run" };
  const body = { platform: "telegram", handle: "@mcp_run", credentials };
  channel = (await json<{ id: string }>(`${crier.url}/v1/channels`, key, body)).id;
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  open = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}/mcp` : "";
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await stopAll();
});

const headers = () => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

describe("streams that wait for changes", () => {
  /** Opens a stream on a separate socket, which can be dropped. Resolves once the stream is listening. */
  const listen = (id: number) =>
    new Promise<{ socket: Socket; readReceived(): string }>((resolve, reject) => {
      const { hostname, port, host } = new URL(crier.url);
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "socket", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const params = { notifications: { toolsListChanged: true }, _meta: meta };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "subscriptions/listen", params });
      const lines = [
        "POST /mcp HTTP/1.1",
        `host: ${host}`,
        `authorization: Bearer ${key}`,
        "content-type: application/json",
        "accept: application/json, text/event-stream",
        "mcp-protocol-version: 2026-07-28",
        "mcp-method: subscriptions/listen",
        `content-length: ${body.length}`,
      ];
      let received = "";
      const socket = createConnection(Number(port), hostname, () =>
        socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`),
      );
      socket.on("error", reject);
      socket.on("data", (data) => {
        received += data;
        if (received.includes("subscriptions/acknowledged")) resolve({ socket, readReceived: () => received });
        else if (received.includes('"error"')) reject(new Error(received));
      });
    });

  it("streams with dropped sockets do not keep another stream from being notified of a new channel", async () => {
    for (let id = 1; id <= 4; id++) (await listen(id)).socket.destroy();
    const { socket, readReceived } = await listen(5);
    const credentials = { bot_token: `123456789:${"B".repeat(35)}`, chat_id: "@mcp_heard" };
    await json(`${crier.url}/v1/channels`, key, { platform: "telegram", handle: "@mcp_heard", credentials });
    await eventually(() => expect(readReceived()).toContain("notifications/tools/list_changed"));
    socket.destroy();
  });
});

describe("version 1 of the SDK", () => {
  const connect = async () => {
    const client = new FirstClient({ name: "first", version: "1" });
    await client.connect(new FirstTransport(new URL(`${crier.url}/mcp`), headers()));
    return client;
  };

  it("connects, lists, reads, pings and calls, and validates each answer by the tool's schema", async () => {
    const client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: "crier" });
    expect(client.getInstructions()).toContain("check_post");
    const { tools } = await client.listTools();
    for (const { name } of tools.filter(({ name }) => /^(list|get)_/.test(name) && name !== "get_post")) {
      expect(await client.callTool({ name, arguments: {} }), name).not.toMatchObject({ isError: true });
    }
    expect((await client.listResources()).resources.length).toBeGreaterThan(3);
    expect(await client.ping()).toEqual({});
    await client.close();
  });

  it("gets an error that its session has ended when another one starts", async () => {
    const [first, second] = [await connect(), await connect()];
    await expect(first.listTools()).rejects.toMatchObject({ code: 404 });
    expect((await second.listTools()).tools.length).toBeGreaterThan(0);
  });
});

it("its session survives a restart of the service", async () => {
  const first = await start({ DEMO: "0" });
  const owner = await signUp(first.url);
  const authorization = `Bearer ${owner}`;
  const client = new FirstClient({ name: "first", version: "1" });
  const transport = new FirstTransport(new URL(`${first.url}/mcp`), { requestInit: { headers: { authorization } } });
  await client.connect(transport);
  const ended = new Promise((resolve) => first.process.once("exit", resolve));
  first.process.kill("SIGTERM");
  await ended;

  await start({ DEMO: "0", CRIER_STATE: first.state, PORT: new URL(first.url).port });
  expect((await client.listTools()).tools).toHaveLength(20);
  expect(await client.callTool({ name: "get_usage", arguments: {} })).not.toMatchObject({ isError: true });
});

describe("version 2 of the SDK", () => {
  it.each([
    ["without an option", undefined, "2025-11-25"],
    ["with a negotiated version", "auto", "2026-07-28"],
    ["with a pinned version", { pin: "2026-07-28" }, "2026-07-28"],
  ] as const)(
    "uploads with the curl command, checks, posts, and sees the post live %s",
    async (setting, mode, version) => {
      const client = new Client(
        { name: "second", version: "1" },
        mode === undefined ? {} : { versionNegotiation: { mode } },
      );
      await client.connect(new StreamableHTTPClientTransport(new URL(`${crier.url}/mcp`), headers()));
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      const call = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
        const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
        expect({ name, isError: isError === true, content }).toMatchObject({ isError: false });
        return { ...Object(structuredContent) };
      };
      const image = new Uint8Array(makePng(64, 64, version.length));
      const file = join(crier.state, "image.png");
      await writeFile(file, image);
      const upload = await call("create_upload", {
        content_type: "image/png",
        bytes: image.byteLength,
        alt: "A square",
      });
      await run("sh", ["-c", String(upload.curl).replace("FILE", `'${file}'`)]);

      const { id: media } = Object(upload.media);
      const args = { channels: [channel], text: `From an agent, ${String(setting)}`, media: [media] };
      const { check_token } = await call("check_post", args);
      const { id } = await call("queue_post", { ...args, check_token });
      await eventually(async () => expect((await call("get_post", { id })).status).toBe("published"));
      const { ledger } = await json<{ ledger: LedgerEntry[] }>(`${crier.simulators}/_sim/ledger`);
      expect(ledger.filter(({ text }) => text === args.text)).toMatchObject([{ media: [{ bytes: image.byteLength }] }]);
      await client.close();
    },
  );
});

describe("the Inspector", () => {
  it.each(["legacy", "auto", "modern"])("lists strictly and calls in its %s era", async (era) => {
    const common = ["--cli", `${crier.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`];
    const inspect = async (...args: string[]) =>
      (await run(bin("mcp-inspector"), [...common, "--protocol-era", era, ...args])).stdout;
    expect(JSON.parse(await inspect("--method", "tools/list", "--strict")).tools).toHaveLength(20);
    const called = await inspect("--method", "tools/call", "--tool-name", "list_posts", "--tool-arg", "limit=2");
    expect(JSON.parse(called).structuredContent.posts.length).toBeLessThanOrEqual(2);
  });
});

/** The scenarios that need only a server; the others call tools that only a test server has. */
const SCENARIOS: [string, string[]][] = [
  [
    "2025-11-25",
    [
      "server-initialize",
      "server-session-lifecycle",
      "ping",
      "tools-list",
      "resources-list",
      "server-sse-multiple-streams",
      "dns-rebinding-protection",
    ],
  ],
  [
    "2026-07-28",
    [
      "tools-list",
      "resources-list",
      "http-header-validation",
      "dns-rebinding-protection",
      "server-sse-multiple-streams",
      "sep-2164-resource-not-found",
      "input-required-result-missing-input-response",
      "input-required-result-unsupported-methods",
      "input-required-result-ignore-extra-params",
      "input-required-result-validate-input",
    ],
  ],
];

describe.each(SCENARIOS)("conformance to %s", (version, scenarios) => {
  it.each(scenarios)("passes the scenario %s", async (scenario) => {
    const args = ["server", "--url", open, "--scenario", scenario, "--spec-version", version];
    const { stdout } = await run(bin("conformance"), args, { cwd: crier.state });
    expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
  });
});
