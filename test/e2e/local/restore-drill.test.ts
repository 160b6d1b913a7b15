// The restore drill: a local run with two databases is backed up and restored. Posts that were sent after the backup are
// not sent again, and every row of every table comes back as it was.
import { spawn } from "node:child_process";
import { cp, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/local/ports.ts";
import { startWorker, type WorkerProcess } from "../../../scripts/local/worker-process.ts";
import { type Simulators, startSimulators } from "../../../simulators/server.ts";
import { CREDENTIALS } from "../../support/credentials.ts";
import { eventually } from "../../support/eventually.ts";
import { dumpRows, fillOddly } from "../../support/odd-rows.ts";
import { inDatabases, passTime } from "../chaos/outage.ts";
import { json, signUp } from "./running.ts";

const ROOT = join(import.meta.dirname, "../../..");
const HOUR_MS = 3_600_000;
const DATABASES = 2;
/**
 * The number of rows of each table of each database, and how many of them are unusual. In the first database, every
 * unusual value is in every column once. Further databases are read and written by the same statements.
 */
const ROWS = { all: 120, odd: [13, 1] };
/** The longest text that Facebook accepts. Written as SQL, it exceeds D1's limit for one statement. */
const LONG_TEXT = "€".repeat(63_000);

interface Post {
  status: string;
  deliveries: { status: string; error: string | null }[];
}

let folder: string;
let simulators: Simulators;
let worker: WorkerProcess | undefined;
const getStateFolder = (name: string) => join(folder, name);
const getBackupFile = (name: string) => join(folder, `${name}.backup`);

beforeAll(async () => {
  // Vitest has one of its own.
  vi.stubEnv("BASE_URL", undefined);
  folder = await mkdtemp(join(tmpdir(), "crier-drill-"));
  simulators = await startSimulators({ port: 0 });
});
afterAll(async () => {
  await worker?.kill();
  await simulators.close();
  await rm(folder, { recursive: true, force: true });
});

async function startOn(name: string): Promise<string> {
  const stateFolder = getStateFolder(name);
  worker = await startWorker({ port: await freePort(), sandboxUrl: simulators.url, stateFolder, databases: DATABASES });
  return worker.url;
}

async function run(script: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [`scripts/${script}.ts`, ...args], {
    cwd: ROOT,
    env: { ...process.env, CI: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  expect(code, output).toBe(0);
  return output;
}
const getLocalArgs = (name: string) => ["--local", "--persist-to", getStateFolder(name)];

/** Creates a workspace with a published post, a long published one, and a scheduled one. */
async function fillWorkspace(url: string, name: string) {
  const key = await signUp(url);
  const connect = async (platform: string) => {
    const credentials = CREDENTIALS[platform]?.(`${platform}${name}`);
    return (await json<{ id: string }>(`${url}/v1/channels`, key, { platform, ...credentials })).id;
  };
  const [telegram, bluesky, facebook] = [
    await connect("telegram"),
    await connect("bluesky"),
    await connect("facebook"),
  ];
  const post = async (body: object) => (await json<{ id: string }>(`${url}/v1/posts`, key, body)).id;
  const later = new Date(Date.now() + HOUR_MS).toISOString();
  const published = [
    await post({ text: `out 😀 ${name}`, channels: [telegram, bluesky] }),
    await post({ text: LONG_TEXT, channels: [facebook] }),
  ];
  const scheduled = await post({ text: `scheduled ${name}`, channels: [telegram, bluesky], publish_at: later });
  await post({ text: "draft", channels: [bluesky], draft: true });
  const read = (baseUrl: string, id: string) => json<Post>(`${baseUrl}/v1/posts/${id}`, key);
  await eventually(async () => {
    for (const id of published) expect((await read(url, id)).status).toBe("published");
  });
  return { scheduled, read };
}

const listSent = () =>
  simulators.ledger
    .list()
    .map(({ platform, account, text }) => `${platform} ${account} ${text.slice(0, 30)}`)
    .sort();

it("sends nothing again that was already sent after the backup", async () => {
  const url = await startOn("first");
  const workspaces = [await fillWorkspace(url, "a"), await fillWorkspace(url, "b")];
  await worker?.stop();
  expect(await inDatabases(getStateFolder("first"), (db) => db.prepare("SELECT 1 FROM posts").all().length)).toEqual([
    4, 4,
  ]);
  await passTime(getStateFolder("first"), 2 * HOUR_MS);
  expect(await run("backup", getBackupFile("first"), ...getLocalArgs("first"))).toContain("crier_1: ");

  const again = await startOn("first");
  await eventually(async () => {
    for (const { read, scheduled } of workspaces) expect((await read(again, scheduled)).status).toBe("published");
  });
  await worker?.stop();
  const before = listSent();

  const output = await run("restore", getBackupFile("first"), ...getLocalArgs("second"));
  expect(output).toContain("may have been sent: they are looked for");
  await cp(join(getStateFolder("first"), "secrets.json"), join(getStateFolder("second"), "secrets.json"));
  const restored = await startOn("second");
  await eventually(async () => {
    for (const { read, scheduled } of workspaces) {
      const { deliveries } = await read(restored, scheduled);
      expect(deliveries).toHaveLength(2);
      // Some networks can be asked whether a post is live; for the others the outcome is unknown.
      for (const delivery of deliveries) expect([null, "outcome_unknown"]).toContain(delivery.error);
      for (const delivery of deliveries) expect(["live", "failed"]).toContain(delivery.status);
    }
  });
  await worker?.stop();
  expect(listSent()).toEqual(before);
});

it("restores every row of every table of every database", async () => {
  const odd = [...ROWS.odd];
  await inDatabases(getStateFolder("second"), (db) => fillOddly(db, ROWS.all, odd.shift()));
  expect(odd).toEqual([]);
  const startedAt = Date.now();
  await run("backup", getBackupFile("second"), ...getLocalArgs("second"));
  const backedUpAt = Date.now();
  await run("restore", getBackupFile("second"), ...getLocalArgs("third"), "--stayed-paused");
  const restoredAt = Date.now();
  const dumps = await inDatabases(getStateFolder("second"), dumpRows);
  expect(dumps).toHaveLength(DATABASES);
  expect(await inDatabases(getStateFolder("third"), dumpRows)).toEqual(dumps);
  const tables = dumps.flatMap((dump) => [...dump.values()]);
  const rows = tables.reduce((sum, table) => sum + table.length, 0);
  const { size } = await stat(getBackupFile("second"));
  console.log(
    `${rows} rows of ${tables.length} tables; ${(backedUpAt - startedAt) / 1000} s to back up, ` +
      `${(restoredAt - backedUpAt) / 1000} s to restore and compare; ${size} bytes`,
  );
});
