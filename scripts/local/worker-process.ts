// Runs the worker under `wrangler dev`, after the migrations. The settings and the logs each have a file in its state folder.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { readSettings, SETTINGS } from "../../src/settings.ts";
import { buildConfiguration, getBindingName, readInstallation } from "../deploy/installation.ts";
import { NOWHERE } from "../deploy/place.ts";

const ROOT = join(import.meta.dirname, "../..");
const MIGRATE = join(import.meta.dirname, "migrate.ts");
const IMAGES = join(import.meta.dirname, "images/register.ts");

export interface WorkerOptions {
  port: number;
  /** The address of the simulators. */
  sandboxUrl: string;
  stateFolder: string;
  /** An entry file other than the worker's own. */
  script?: string;
  /** Another checkout of the repository, whose worker runs with its own settings, migrations and modules. */
  root?: string;
  /** Settings that override the usual ones of a local run. */
  settings?: Record<string, string>;
  /** The number of databases for workspaces; 1 by default. */
  databases?: number;
  /** The debugger's port; any free port by default. */
  inspectorPort?: number;
  /** Ends all started processes, and aborts the start. */
  signal?: AbortSignal;
}
export interface WorkerProcess {
  url: string;
  logFile: string;
  /** The leader of the worker's process group. */
  pid: number;
  /** Resolves with the exit code when the process has ended. */
  ended: Promise<number | null>;
  stop(): Promise<void>;
  /** Kills all processes of the worker at once, as a power cut would, and resolves when none is left. */
  kill(): Promise<void>;
}

/** Starts the worker on `127.0.0.1:port` and resolves once it listens there and `GET /healthz` answers 200. */
export async function startWorker(options: WorkerOptions): Promise<WorkerProcess> {
  const root = options.root ?? ROOT;
  const stateFolder = resolve(root, options.stateFolder);
  await mkdir(stateFolder, { recursive: true });
  const url = `http://127.0.0.1:${options.port}`;
  const logFile = join(stateFolder, "worker.log");
  const settingsFile = join(stateFolder, "settings.env");
  await writeFile(settingsFile, await settings(url, options, stateFolder), { mode: 0o600 });

  const { databases = 1 } = options;
  await runScript(root, [MIGRATE, root, stateFolder, String(databases)], options.signal);
  const child = spawnNode(
    root,
    [
      "--import",
      IMAGES,
      join(root, "node_modules/wrangler/bin/wrangler.js"),
      "dev",
      ...(options.script === undefined ? [] : [options.script]),
      "--ip",
      "127.0.0.1",
      "--port",
      String(options.port),
      "--inspector-port",
      String(options.inspectorPort ?? 0),
      "--persist-to",
      stateFolder,
      ...(databases === 1 ? [] : ["--config", await writeWorkerConfiguration(databases, stateFolder)]),
    ].concat(["--env-file", settingsFile, "--show-interactive-dev-session=false"]),
  );
  const logs = createWriteStream(logFile);
  child.stdout?.pipe(logs, { end: false });
  child.stderr?.pipe(logs, { end: false });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const worker: WorkerProcess = {
    url,
    logFile,
    pid: child.pid ?? 0,
    ended,
    stop: () => stop(child, ended),
    kill: () => kill(child, ended),
  };
  const listening = new Promise<void>((resolve) => child.once("message", resolve));
  try {
    await untilHealthy(worker, listening, options.signal);
  } catch (error) {
    await worker.kill();
    throw error;
  }
  return worker;
}

/** Writes a configuration file to use instead of wrangler.toml, which names one database, and returns its path. */
async function writeWorkerConfiguration(databases: number, stateFolder: string): Promise<string> {
  const installation = readInstallation(undefined, {});
  const databaseIds = Array.from({ length: databases }, (_, home) => getBindingName(home));
  const { vars } = installation.template;
  const { configuration } = buildConfiguration(installation, {
    databaseIds,
    vars,
    domains: [],
    workersDev: true,
    hasMedia: true,
    hasImages: true,
    place: NOWHERE,
  });
  const file = join(stateFolder, "wrangler.json");
  await writeFile(file, JSON.stringify(configuration));
  return file;
}

/** The settings of a local run; settings in the process's environment take precedence. Throws if one is invalid. */
async function settings(url: string, options: WorkerOptions, stateFolder: string): Promise<string> {
  const values: Record<string, string> = {
    BASE_URL: url,
    PROVIDER: "sandbox",
    SANDBOX_URL: options.sandboxUrl,
    S3_ENDPOINT: `${url}/cdn-cgi/local/r2/s3`,
    S3_BUCKET: "crier-media",
    S3_ACCESS_KEY_ID: "local",
    S3_SECRET_ACCESS_KEY: "local-secret",
    ALLOW_PRIVATE_ADDRESSES: "1",
    SIGN_UP: "open",
    ...(await localSecrets(join(stateFolder, "secrets.json"))),
    ...options.settings,
  };
  const isSetting = (name: string) =>
    SETTINGS.some((setting) => setting === name) || /^[A-Z]+_(CLIENT_ID|CLIENT_SECRET|SCOPES)$/.test(name);
  for (const [name, value] of Object.entries(process.env)) {
    if (isSetting(name) && typeof value === "string") values[name] = value;
  }
  // A host that only MEDIA_URL names serves files and nothing else, so a caller's BASE_URL also becomes the MEDIA_URL.
  values.MEDIA_URL ??= values.BASE_URL ?? url;
  readSettings(values);
  return Object.entries(values)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join("");
}

/** Secrets stored with a state, so that its data can be read after a restart. */
async function localSecrets(file: string): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    const secrets = {
      SEAL_KEYS: JSON.stringify({ local: randomBytes(32).toString("base64") }),
      PASSWORD_PEPPER: randomBytes(32).toString("base64url"),
      SIGNING_KEY: randomBytes(32).toString("base64url"),
    };
    await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
    return secrets;
  }
}

/** Starts wrangler, or a script that uses it, in the environment that it needs. The process leads its own process group. */
function spawnNode(root: string, args: string[]): ChildProcess {
  const env = {
    // Node keeps the compiled wrangler here, which saves half a second of every start after the first.
    NODE_COMPILE_CACHE: join(root, "node_modules/.cache/crier-start"),
    // Disables a trace collector that runs before every call, because a deployment has none.
    X_LOCAL_OBSERVABILITY: "false",
    ...process.env,
    // Processes that wrangler starts use the same Node.
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    CI: "1",
    // The dashboard that is built for a local run has the gallery.
    CRIER_GALLERY: "1",
    WRANGLER_SEND_METRICS: "false",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    NO_COLOR: "1",
  };
  return spawn(process.execPath, args, {
    cwd: root,
    env,
    // `wrangler dev` sends its only message over this channel once it listens: DEV_SERVER_READY.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
  });
}

async function runScript(root: string, args: string[], signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const child = spawnNode(root, args);
  let output = "";
  child.stdout?.on("data", (text) => (output += text));
  child.stderr?.on("data", (text) => (output += text));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const abort = () => void stop(child, ended);
  signal?.addEventListener("abort", abort);
  const code = await ended;
  signal?.removeEventListener("abort", abort);
  if (signal?.aborted) await kill(child, ended);
  signal?.throwIfAborted();
  if (code !== 0) throw new Error(`${args.join(" ")} failed:\n${output}`);
}

const READY_WITHIN_MS = 150_000;

/** `listening` is awaited first, because any other answer on the port is not from the worker. */
async function untilHealthy(
  { url, logFile, ended }: WorkerProcess,
  listening: Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.any([AbortSignal.timeout(READY_WITHIN_MS), ...(signal === undefined ? [] : [signal])]);
  const over = new Promise<void>((resolve) => deadline.addEventListener("abort", () => resolve()));
  let exited = false;
  const exit = ended.then(() => {
    exited = true;
  });
  await Promise.race([listening, exit, over]);
  while (!deadline.aborted && !exited) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  signal?.throwIfAborted();
  const log = await readFile(logFile, "utf8").catch(() => "");
  throw new Error(`the worker did not become ready; its log says:\n${log.slice(-3_000)}`);
}

const END_WITHIN_MS = 5_000;

/** Ends the process and all its children: it leads its own process group. */
async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  signalled(pid, "SIGTERM");
  const timer = setTimeout(() => signalled(pid, "SIGKILL"), END_WITHIN_MS);
  await ended;
  clearTimeout(timer);
  await kill(child, ended);
}

async function kill(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  // A zombie process stays in the group if the machine's init process does not reap it.
  const deadline = Date.now() + END_WITHIN_MS;
  while (signalled(pid, "SIGKILL") && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  await ended;
}

/** Whether any process in the group received the signal. */
function signalled(group: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
