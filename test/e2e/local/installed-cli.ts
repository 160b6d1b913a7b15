// The packed command line, installed into an empty folder, and a run that it calls.
import { execFile, spawn } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import { json, type Run, start, stopAll, USERS_PATH } from "./running.ts";

export const exec = promisify(execFile);
export const root = join(import.meta.dirname, "../../..");

export let home: string;
export let tarball: string;
export let run: Run;
export let key: string;

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}
export type Options = { env?: Record<string, string>; input?: string; onStart?(child: ReturnType<typeof spawn>): void };

/** Runs the installed `crier`, signed in unless `env` says otherwise. */
export function crier(args: string[], { env = {}, input, onStart }: Options = {}): Promise<Ended> {
  const child = spawn(join(home, "bin/crier"), args, {
    cwd: home,
    env: { PATH: USERS_PATH, HOME: home, CRIER_URL: run.url, CRIER_API_KEY: key, ...env },
    stdio: "pipe",
  });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  onStart?.(child);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}
export async function parsed(args: string[], options?: Options) {
  const { code, out, err } = await crier(args, options);
  return { code, err, body: JSON.parse(out) };
}

/** Packs, installs and signs up before the tests of a file. */
export function useInstalled(): void {
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "crier-user-"));
    const [packed, started] = await Promise.all([
      exec(process.execPath, ["scripts/pack-cli.ts", join(home, "pack")], { cwd: root }),
      start({ DEMO: "0", DEFAULT_PLAN: "free" }),
    ]);
    [tarball, run] = [packed.stdout.trim().split("\n").at(-1) ?? "", started];
    const options = ["--prefix", home, "--offline", "--no-audit", "--no-fund", "--loglevel=error"];
    await exec("npm", ["install", "--global", ...options, tarball], { env: { ...process.env, PATH: USERS_PATH } });
    const account = { email: "cli@example.com", password: "correct horse", name: "Größe" };
    const { token, workspaces } = await json<{ token: string; workspaces: { id: string }[] }>(
      `${run.url}/v1/auth/signup`,
      undefined,
      account,
    );
    key = (await json<{ key: string }>(`${run.url}/v1/workspaces/${workspaces[0]?.id}/key`, token)).key;
    await writeFile(join(home, "a.png"), makePng(64, 48, 3));
    await writeFile(join(home, "b.txt"), makePng(640, 480, 3));
    await copyFile(join(root, "scripts/local/demo.mp4"), join(home, "clip.jpg"));
  });
  afterAll(async () => {
    await stopAll();
    await rm(home, { recursive: true, force: true });
  });
}
