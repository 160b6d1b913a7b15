// What a server may write to a connection instead of an answer.
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
/** Writes as long as somebody reads. */
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
  ["headers without an end", (socket) => flood(socket.write(ok) ? socket : socket, `x-a: ${"a".repeat(1_000)}\r\n`)],
  ["a body shorter than its length", (socket) => socket.end(`${ok}content-length: 500\r\n\r\n{"id":"1"}`)],
  [
    "chunks without an end",
    (socket) => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`);
      flood(socket, chunk);
    },
  ],
  [
    "chunks without an end, and a length of five",
    (socket) => {
      socket.write(`${ok}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n`);
      flood(socket, chunk);
    },
  ],
  ["a chunk of a length that is none", (socket) => socket.end(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`)],
  [
    "fifty megabytes that were packed into fifty kilobytes",
    (socket) => {
      socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    },
  ],
  ["what is said to be packed and is not", (socket) => socket.end(`${ok}content-encoding: gzip\r\n\r\n{"id":"1"}`)],
])("%s is silence, and ends", async (_name, writes) => {
  write = writes;
  expect(await ask((signal) => fetch(url, { signal }), LIMIT_MS)).toMatchObject({ is: "silence" });
});

it.each<[string, string, number]>([
  [
    "a hundred early hints before it",
    `${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)}${ok}content-length: 2\r\n\r\n{}`,
    200,
  ],
  ["a status beyond all others", "HTTP/1.1 999 Request denied\r\ncontent-length: 2\r\n\r\n{}", 999],
  [
    "a redirect that is not followed",
    "HTTP/1.1 307 Moved\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n",
    307,
  ],
])("an answer with %s is read as it is", async (_name, text, status) => {
  write = (socket) => socket.end(text);
  const answer = await ask((signal) => fetch(url, { signal, redirect: "manual" }), LIMIT_MS);
  expect(answer).toMatchObject({ is: "answer", status });
});
