// `npm run bench:latency`: how long creating and reading a post takes if each round trip to the database takes 30 ms
// longer. It makes one call at a time, so that it measures only the waiting. To compare two releases, run it in a worktree of each.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../../scripts/local/ports.ts";
import { startWorker } from "../../scripts/local/worker-process.ts";
import { startSimulators } from "../../simulators/server.ts";

const DAY_MS = 86_400_000;

const { values } = parseArgs({
  options: {
    /** Milliseconds that are added to a round trip. Each number gets its own run. */
    latency: { type: "string", default: "30" },
    calls: { type: "string", default: "100" },
  },
});

type Headers = Record<string, string>;
type Send = <Body>(method: string, path: string, headers: Headers, body?: object) => Promise<Body>;

function makeSender(url: string): Send {
  return async <Body>(method: string, path: string, headers: Headers, body?: object): Promise<Body> => {
    const init = { method, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
    const response = await fetch(url + path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    const answer: Body = JSON.parse(text);
    return answer;
  };
}

/** A workspace with a channel, and the headers of its two kinds of credential. */
async function prepare(send: Send) {
  const account = { email: "latency@crier.example", password: "correct horse battery" };
  type SignedUp = { token: string; workspaces: { id: string }[] };
  const { token, workspaces } = await send<SignedUp>("POST", "/v1/auth/signup", {}, account);
  const workspace = workspaces[0]?.id ?? "";
  const session = { authorization: `Bearer ${token}`, "x-workspace": workspace };
  const { key } = await send<{ key: string }>("GET", `/v1/workspaces/${workspace}/key`, session);
  const byKey = { authorization: `Bearer ${key}` };
  const { id: channel } = await send<{ id: string }>("POST", "/v1/channels", byKey, {
    platform: "telegram",
    handle: "@latency",
    credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: "@latency" },
  });
  return { channel, credentials: { key: byKey, session } };
}

/** Milliseconds of each call of `act`, after a few calls that are not counted. */
async function measure(count: number, act: (i: number) => Promise<void>): Promise<number[]> {
  const durations: number[] = [];
  for (let i = -5; i < count; i++) {
    const startedAt = performance.now();
    await act(i);
    if (i >= 0) durations.push(performance.now() - startedAt);
  }
  return durations.sort((a, b) => a - b);
}

const folder = await mkdtemp(join(tmpdir(), "crier-latency-"));
const simulators = await startSimulators({ port: 0 });
try {
  const worker = await startWorker({
    port: await freePort(),
    sandboxUrl: simulators.url,
    stateFolder: folder,
    script: "test/bench/latency-worker.ts",
  });
  try {
    const send = makeSender(worker.url);
    const { channel, credentials } = await prepare(send);
    const count = Number(values.calls);
    for (const delayMs of values.latency.split(",").map(Number)) {
      console.log(`each round trip to the database ${delayMs} ms longer, ${count} calls one after the other`);
      for (const [credential, headers] of Object.entries(credentials)) {
        const ids: string[] = [];
        const publish_at = new Date(Date.now() + DAY_MS).toISOString();
        const acts: Record<string, (i: number) => Promise<void>> = {
          async create(i) {
            const body = { text: `${credential} ${delayMs} ${i}`, channels: [channel], publish_at };
            ids.push((await send<{ id: string }>("POST", "/v1/posts", headers, body)).id);
          },
          async read(i) {
            await send("GET", `/v1/posts/${ids.at(i)}`, headers);
          },
        };
        for (const [name, act] of Object.entries(acts)) {
          await send("POST", "/_bench/distance", {}, { delayMs });
          const durations = await measure(count, act);
          const { roundTrips } = await send<{ roundTrips: number }>("POST", "/_bench/distance", {}, { delayMs: 0 });
          const formatPercentile = (share: number) =>
            `${Math.round(durations[Math.floor((count - 1) * share)] ?? Number.NaN)} ms`;
          const each = (roundTrips / (count + 5)).toFixed(2);
          console.log(
            `  ${name.padEnd(6)} with a ${credential.padEnd(7)} p50 ${formatPercentile(0.5)}, p99 ${formatPercentile(0.99)}; round trips a call ${each}`,
          );
        }
      }
    }
  } finally {
    await worker.stop();
  }
} finally {
  await simulators.close();
  await rm(folder, { recursive: true, force: true });
}
