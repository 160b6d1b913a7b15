// `npm run measure:memory`: the memory that the worker uses for files at addresses without a length, all due at the
// same instant. It prints the peak of its processes above their idle memory, and the peak of the worker's own isolate
// (the local bucket is in the same process, but not in a deployment's isolate). Linux only; it ends by itself.
// `node test/bench/memory.ts <files> <MB of each> [uploaded]`: with `uploaded`, the files are uploads, which are not
// copied, so that only the sending is measured.
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { freePort } from "../../scripts/local/ports.ts";
import { listRuntimes } from "../../scripts/local/processes.ts";
import { startWorker } from "../../scripts/local/worker-process.ts";
import { startSimulators } from "../../simulators/server.ts";

const [files = 35, megabytes = 25] = process.argv.slice(2, 4).map(Number);
const areUploads = process.argv[4] === "uploaded";
const FILE_BYTES = megabytes * 1_000_000;
const CHUNK_BYTES = 64 * 1024;
/** This is enough time to create all posts before they are due. */
const AHEAD_MS = 20_000 + (process.argv[4] === "uploaded" ? 60_000 : 0);
const WAIT_MAX_MS = 6 * 60_000;
const IDLE_MS = 3_000;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);

/** A short video, padded to the length with a box that players skip. */
async function* video(head: Buffer): AsyncGenerator<Buffer> {
  const box = Buffer.alloc(8);
  box.writeUInt32BE(FILE_BYTES - head.byteLength);
  box.write("free", 4, "latin1");
  yield Buffer.concat([head, box]);
  for (let remaining = FILE_BYTES - head.byteLength - box.byteLength; remaining > 0; remaining -= CHUNK_BYTES) {
    yield Buffer.alloc(Math.min(CHUNK_BYTES, remaining));
  }
}

const head = await readFile(join(import.meta.dirname, "../../scripts/local/demo.mp4"));
// Without a content-length, Node sends the body in chunks.
const host = createServer((_, response) => {
  response.writeHead(200, { "content-type": "video/mp4" });
  Readable.from(video(head), { objectMode: false, highWaterMark: CHUNK_BYTES })
    .on("error", () => response.destroy())
    .pipe(response);
});
await new Promise<void>((listening) => host.listen(0, "127.0.0.1", listening));
const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
const folder = await mkdtemp(join(tmpdir(), "crier-memory-"));
const simulators = await startSimulators({ port: 0 });
const inspectorPort = await freePort();
const worker = await startWorker({
  port: await freePort(),
  sandboxUrl: simulators.url,
  stateFolder: folder,
  inspectorPort,
});
try {
  await measure();
} finally {
  await worker.stop();
  await simulators.close();
  host.closeAllConnections();
  host.close();
  await rm(folder, { recursive: true, force: true });
}

async function call<Body>(method: string, path: string, token: string | null, body?: object): Promise<Body> {
  const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(worker.url + path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer as Body;
}

async function measure(): Promise<void> {
  const account = { email: "memory@crier.example", password: randomBytes(12).toString("base64url"), workspace: "M" };
  const signedUp = await call<{ token: string; workspaces: { id: string }[] }>(
    "POST",
    "/v1/auth/signup",
    null,
    account,
  );
  const [workspace] = signedUp.workspaces;
  const { key } = await call<{ key: string }>("GET", `/v1/workspaces/${workspace?.id}/key`, signedUp.token);
  const publishAt = new Date(Date.now() + AHEAD_MS).toISOString();
  const posts: string[] = [];
  for (let i = 0; i < files; i++) {
    const credentials = { bot_token: `123456789:${"A".repeat(35)}`, chat_id: `@memory${i}` };
    const body = { platform: "telegram", handle: `@memory${i}`, credentials };
    const channel = await call<{ id: string }>("POST", "/v1/channels", key, body);
    const url = `${address}/${i}.mp4`;
    const media = areUploads
      ? await upload(key)
      : await call<{ id: string }>("POST", "/v1/media", key, { url, kind: "video" });
    const post = { text: `file ${i}`, media: [media.id], channels: [channel.id], publish_at: publishAt };
    posts.push((await call<{ id: string }>("POST", "/v1/posts", key, post)).id);
  }
  const runtimes = await listRuntimes(worker.pid);
  await wait(Math.max(0, Date.parse(publishAt) - Date.now() - 2 * IDLE_MS));
  const isolate = await watchIsolate(inspectorPort);
  await wait(IDLE_MS / 3);
  const idleHeap = isolate.peakBytes();
  const idle = await Promise.all(runtimes.map((pid) => readMemory(pid, "VmRSS")));
  for (const pid of runtimes) await writeFile(`/proc/${pid}/clear_refs`, "5");
  const dueAt = Date.parse(publishAt);
  const waiting = new Set(posts);
  const outcomes = new Map<string, number>();
  for (const deadline = dueAt + WAIT_MAX_MS; waiting.size > 0 && Date.now() < deadline; await wait(500)) {
    for (const id of waiting) {
      const post = await call<{ status: string; deliveries: Delivery[] }>("GET", `/v1/posts/${id}`, key);
      if (!["published", "failed", "cancelled"].includes(post.status)) break;
      waiting.delete(id);
      const outcome = post.deliveries.map(({ status, detail }) => `${status} ${detail ?? ""}`.trim()).join(", ");
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  const seconds = ((Date.now() - dueAt) / 1000).toFixed(1);
  const peaks = await Promise.all(runtimes.map((pid) => readMemory(pid, "VmHWM")));
  const above = peaks.reduce((sum, peak, i) => sum + peak - (idle[i] ?? 0), 0);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  console.log(
    `${files} files of ${megabytes} MB ${areUploads ? "uploaded" : "without a length"}, due at one instant: ${seconds} s`,
  );
  for (const [outcome, count] of outcomes) console.log(`  ${count} ${outcome}`);
  if (waiting.size > 0) console.log(`  ${waiting.size} unfinished`);
  console.log(`idle ${mib(sum(idle))} MiB, peak ${mib(sum(peaks))} MiB: ${mib(above)} MiB above idle`);
  isolate.stop();
  console.log(`the isolate: idle ${mib(idleHeap)} MiB, peak ${mib(isolate.peakBytes())} MiB of objects and buffers`);
}

/**
 * Polls the memory of the worker's isolate. `peakBytes` returns the peak since its last call. Unused memory counts
 * until the runtime collects it.
 */
async function watchIsolate(port: number) {
  const targets = await fetch(`http://127.0.0.1:${port}/json`).then((answer) => answer.json());
  const [{ webSocketDebuggerUrl }] = targets as [{ webSocketDebuggerUrl: string }];
  // Wrangler accepts only its own tools, and clients that are not a browser and send no user agent.
  const options = { headers: { origin: "https://devtools.devprod.cloudflare.dev" } };
  const socket = Reflect.construct(WebSocket, [webSocketDebuggerUrl, options]) as WebSocket;
  await new Promise((open, fail) => {
    socket.addEventListener("open", open);
    socket.addEventListener("error", fail);
  });
  let peakBytes = 0;
  socket.addEventListener("message", ({ data }) => {
    const { result } = JSON.parse(String(data)) as { result?: { usedSize?: number; backingStorageSize?: number } };
    peakBytes = Math.max(peakBytes, (result?.usedSize ?? 0) + (result?.backingStorageSize ?? 0));
  });
  let id = 0;
  const timer = setInterval(() => socket.send(JSON.stringify({ id: ++id, method: "Runtime.getHeapUsage" })), 50);
  return {
    peakBytes() {
      const result = peakBytes;
      peakBytes = 0;
      return result;
    },
    stop() {
      clearInterval(timer);
      socket.close();
    },
  };
}

async function upload(key: string): Promise<{ id: string }> {
  const uploadRequest = { content_type: "video/mp4", bytes: FILE_BYTES };
  const answer = await call<{ upload_url: string; media: { id: string } }>(
    "POST",
    "/v1/media/upload-url",
    key,
    uploadRequest,
  );
  const chunks: Buffer[] = [];
  for await (const chunk of video(head)) chunks.push(chunk);
  const headers = { "content-type": "video/mp4" };
  const response = await fetch(answer.upload_url, { method: "PUT", headers, body: Buffer.concat(chunks) });
  if (!response.ok) throw new Error(`the upload was refused: ${response.status}`);
  return answer.media;
}

interface Delivery {
  status: string;
  detail?: string | null;
}

/** The current memory of a process in bytes (`VmRSS`), or its peak since `clear_refs` (`VmHWM`). */
async function readMemory(pid: number, figure: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
}
