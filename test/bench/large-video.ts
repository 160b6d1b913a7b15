// `npm run measure:video`: publishes the largest video that Crier and each network accept, from the bucket to the
// simulator, and prints the seconds and the peak memory of the worker's process. Linux only; it ends by itself.
import { randomBytes } from "node:crypto";
import { openAsBlob } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../scripts/local/ports.ts";
import { listRuntimes } from "../../scripts/local/processes.ts";
import { sparseVideo } from "../../scripts/local/sparse-video.ts";
import { startWorker, type WorkerProcess } from "../../scripts/local/worker-process.ts";
import { startSimulators } from "../../simulators/server.ts";

const UPLOAD_MAX = 512 * 1024 * 1024;
const WAIT_MAX_MS = 10 * 60_000;
const chosenPlatforms = process.argv.slice(2);

interface Rule {
  platform: string;
  publishes: string;
  video: { max_bytes: number } | null;
}

const folder = await mkdtemp(join(tmpdir(), "crier-video-"));
const simulators = await startSimulators({ port: 0 });
const worker = await startWorker({ port: await freePort(), sandboxUrl: simulators.url, stateFolder: folder });
try {
  await measure(worker);
} finally {
  await worker.stop();
  await simulators.close();
  await rm(folder, { recursive: true, force: true });
}

async function measure({ url, pid }: WorkerProcess): Promise<void> {
  const call = async <Body>(method: string, path: string, token: string | null, body?: object): Promise<Body> => {
    const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer as Body;
  };
  const account = { email: "video@crier.example", password: randomBytes(12).toString("base64url"), workspace: "Video" };
  const { token, workspaces } = await call<{ token: string; workspaces: { id: string }[] }>(
    "POST",
    "/v1/auth/signup",
    null,
    account,
  );
  const { key } = await call<{ key: string }>("GET", `/v1/workspaces/${workspaces[0]?.id}/key`, token);
  const { platforms } = await call<{ platforms: Rule[] }>("GET", "/v1/platforms", null);
  const runtimes = await listRuntimes(pid);
  console.log(`idle: ${mebibytes(await peak(runtimes))} MiB`);
  console.log(
    "network      MiB     seconds   MiB of the worker's process (including its local bucket) before, and peak",
  );
  for (const { platform, publishes, video } of platforms) {
    if (
      publishes === "not_configured" ||
      video === null ||
      (chosenPlatforms.length > 0 && !chosenPlatforms.includes(platform))
    )
      continue;
    const bytes = Math.min(UPLOAD_MAX, video.max_bytes);
    const media = await upload(bytes);
    const simulator = simulators.all.find((entry) => entry.platform === platform);
    if (simulator === undefined) throw new Error(`no simulator of ${platform}`);
    const { handle, credentials, options } = simulator.demo;
    const channel = await call<{ id: string }>("POST", "/v1/channels", key, { platform, handle, credentials });
    for (const runtime of runtimes) await writeFile(`/proc/${runtime}/clear_refs`, "5");
    // The upload used the same process, which does not return memory.
    const before = await peak(runtimes);
    const startedAt = Date.now();
    const { id } = await call<{ id: string }>("POST", "/v1/posts", key, {
      text: "A large one",
      media: [media],
      channels: [channel.id],
      ...(options === undefined ? {} : { overrides: { [channel.id]: options } }),
    });
    const [delivery] = await waitForEnd(id);
    const received = simulators.all && (await ledgerBytes(platform));
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    const outcome =
      delivery?.status === "live" && received === bytes
        ? ""
        : `  ${delivery?.status} ${delivery?.hint ?? ""} ${received}`;
    console.log(
      `${platform.padEnd(12)} ${mebibytes(bytes).padEnd(7)} ${seconds.padEnd(9)} ${mebibytes(before).padEnd(6)} ${mebibytes(await peak(runtimes))}${outcome}`,
    );
    await fetch(`${simulators.url}/_sim/reset`, { method: "POST" });
  }

  async function upload(bytes: number): Promise<string> {
    const file = join(folder, "video.mp4");
    await sparseVideo(file, bytes);
    const uploadRequest = { content_type: "video/mp4", bytes };
    const { upload_url, media } = await call<{ upload_url: string; media: { id: string } }>(
      "POST",
      "/v1/media/upload-url",
      key,
      uploadRequest,
    );
    const answer = await fetch(upload_url, {
      method: "PUT",
      headers: { "content-type": "video/mp4" },
      body: await openAsBlob(file),
    });
    if (!answer.ok) throw new Error(`the upload was refused: ${answer.status} ${await answer.text()}`);
    return media.id;
  }

  async function waitForEnd(id: string): Promise<{ status: string; hint: string | null }[]> {
    for (const deadline = Date.now() + WAIT_MAX_MS; Date.now() < deadline; ) {
      const post = await call<{ status: string; deliveries: { status: string; hint: string | null }[] }>(
        "GET",
        `/v1/posts/${id}`,
        key,
      );
      if (["published", "failed", "cancelled"].includes(post.status)) return post.deliveries;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error("the post did not finish in time");
  }
}

async function ledgerBytes(platform: string): Promise<number | undefined> {
  const answer = await fetch(`${simulators.url}/_sim/ledger?platform=${platform}`);
  const { ledger } = (await answer.json()) as { ledger: { media: { bytes: number }[] }[] };
  return ledger[0]?.media[0]?.bytes;
}

/** The peak memory in bytes of the largest process since `clear_refs`. */
async function peak(pids: number[]): Promise<number> {
  const statuses = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, "utf8")));
  return Math.max(...statuses.map((status) => Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024));
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
