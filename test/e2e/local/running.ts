// A local run as a user starts it, for tests that drive it over loopback.
import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../../../scripts/local/ports.ts";
import { eventually } from "../../support/eventually.ts";

export interface Run {
  url: string;
  simulators: string;
  process: ChildProcess;
  output(): string;
  state: string;
}
const runs: Run[] = [];

/** The PATH of a user: the machine's own Node comes first, and the project's Node is always there. */
export const USERS_PATH = [
  ...(process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules")),
  dirname(process.execPath),
].join(delimiter);

/** An empty folder. */
export const makeFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "crier-"));

/** A separate state directory whose database already has its tables. */
async function makeState(): Promise<string> {
  const state = await makeFolder();
  const { CRIER_FIRST_STATE: first } = process.env;
  if (first !== undefined) await cp(first, state, { recursive: true });
  return state;
}

/** Starts a run on free ports with a separate state, unless `settings` say otherwise, and waits until it is ready. */
export async function start(settings: Record<string, string>): Promise<Run> {
  const run = await spawnRun(settings);
  await eventually(() => expect(run.output()).toContain("ready after"));
  return run;
}

/** The same, without waiting. */
export async function spawnRun(settings: Record<string, string>): Promise<Run> {
  const port = settings.PORT ?? (await freePort());
  const simulatorPort = settings.SIM_PORT ?? (await freePort());
  const state = settings.CRIER_STATE ?? (await makeState());
  // Vitest has a BASE_URL of its own.
  const { BASE_URL: _, ...inherited } = process.env;
  const env = { ...inherited, PORT: String(port), SIM_PORT: String(simulatorPort), CRIER_STATE: state, ...settings };
  const child = spawn(process.execPath, ["scripts/local/start.ts"], {
    cwd: join(import.meta.dirname, "../../.."),
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const run = {
    url: `http://127.0.0.1:${port}`,
    simulators: `http://127.0.0.1:${simulatorPort}`,
    process: child,
    output: () => output,
    state,
  };
  runs.push(run);
  return run;
}

/** Sends a signal, and resolves with the exit code of the run. */
export async function end(run: Run, signal: "SIGTERM" | "SIGINT" = "SIGTERM"): Promise<number | null> {
  const code = exit(run);
  run.process.kill(signal);
  return code;
}

export async function exit({ process: { exitCode }, process: child }: Run): Promise<number | null> {
  return exitCode ?? new Promise((resolve) => child.once("exit", resolve));
}

/** The commands of all processes that a run has started, itself included. Linux only. */
export async function listCommands({ state }: Run): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map(async (pid) => {
      const [environment, command] = await Promise.all(
        ["environ", "cmdline"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
      );
      return environment?.split("\0").includes(`CRIER_STATE=${state}`) ? (command ?? "").replaceAll("\0", " ") : "";
    }),
  );
  return commands.filter((command) => command !== "");
}

/** Ends every run of this file with a signal on which it also ends its worker. */
export async function stopAll(): Promise<void> {
  await Promise.all(runs.filter((run) => run.process.exitCode === null).map((run) => end(run)));
  await Promise.all(runs.map(({ state }) => rm(state, { recursive: true, force: true })));
}

/** Makes a call to a run's API that must succeed. */
export async function json<Body>(url: string, token?: string, body?: unknown): Promise<Body> {
  const headers = {
    "content-type": "application/json",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(
    url,
    body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) },
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** A new account's workspace key. */
export async function signUp(url: string): Promise<string> {
  const account = { email: `u${Date.now()}@example.com`, password: "correct horse battery" };
  const { token, workspaces } = await json<{ token: string; workspaces: { id: string }[] }>(
    `${url}/v1/auth/signup`,
    undefined,
    account,
  );
  return (await json<{ key: string }>(`${url}/v1/workspaces/${workspaces[0]?.id}/key`, token)).key;
}
