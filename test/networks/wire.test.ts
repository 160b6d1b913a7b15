// Malformed data that a server may write to a connection instead of an answer.
import { createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "../../src/networks/shared/http-call.ts";

const LIMIT_MS = 5_000;
let server: Server;
let write: (socket: Socket) => void = () => {};
let url = "";

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => write(socket));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  url = `http://127.0.0.1:${Object(server.address()).port}/`;
});
afterAll(() => {
  server.close();
});

const ok = "HTTP/1.1 200 OK\r\n";
/** Writes as long as the client reads. */
function flood(socket: Socket, piece: string | Buffer): void {
  while (!socket.destroyed && socket.write(piece));
  socket.once("drain", () => flood(socket, piece));
}
const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
const bomb = gzipSync(Buffer.alloc(50_000_000, 32));

it.each<[string, (socket: Socket) => void]>([
  ["no HTTP", (socket) => socket.end("SSH-2.0-OpenSSH\r\n")],
  ["nothing", (socket) => socket.end()],
  ["half a status line", (socket) => socket.end("HTTP/1.1 2")],
  ["endless headers", (socket) => flood(socket.write(ok) ? socket : socket, `x-a: ${"a".repeat(1_000)}\r\n`)],
  ["a body shorter than its length", (socket) => socket.end(`${ok}content-length: 500\r\n\r\n{"id":"1"}`)],
  [
    "endless chunks",
    (socket) => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`);
      flood(socket, chunk);
    },
  ],
  [
    "endless chunks and a length of five",
    (socket) => {
      socket.write(`${ok}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n`);
      flood(socket, chunk);
    },
  ],
  ["a chunk with an invalid length", (socket) => socket.end(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`)],
  [
    "fifty megabytes that were compressed to fifty kilobytes",
    (socket) => {
      socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    },
  ],
  [
    "a body that is wrongly declared as compressed",
    (socket) => socket.end(`${ok}content-encoding: gzip\r\n\r\n{"id":"1"}`),
  ],
])("treats %s as silence, and finishes", async (_name, writes) => {
  write = writes;
  expect(await ask((signal) => fetch(url, { signal }), LIMIT_MS)).toMatchObject({ is: "silence" });
});

it.each<[string, string, number]>([
  [
    "a hundred early hints in front of it",
    `${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)}${ok}content-length: 2\r\n\r\n{}`,
    200,
  ],
  ["a status of 999", "HTTP/1.1 999 Request denied\r\ncontent-length: 2\r\n\r\n{}", 999],
  [
    "a redirect, which is not followed",
    "HTTP/1.1 307 Moved\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n",
    307,
  ],
])("reads an answer with %s as it is", async (_name, text, status) => {
  write = (socket) => socket.end(text);
  const answer = await ask((signal) => fetch(url, { signal, redirect: "manual" }), LIMIT_MS);
  expect(answer).toMatchObject({ is: "answer", status });
});
