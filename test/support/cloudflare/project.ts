// A copy of the repository that deploys quickly, and can be changed into a next release.
import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ROOT } from "../documents/markdown.ts";
import { type StandIn, TOKEN } from "./server.ts";

const PRELOAD = join(import.meta.dirname, "preload.ts");
const COPIED = ["scripts", "src", "migrations", "wrangler.toml", "package.json", "package-lock.json", "tsconfig.json"];

/** The objects of wrangler.toml without their code, so that bundling takes no time. */
const SMALL_WORKER = `import { DurableObject } from "cloudflare:workers";
export class Publisher extends DurableObject {}
export class Sweeper extends DurableObject {}
export class Counter extends DurableObject {}
export class Outcomes extends DurableObject {}
export class PasswordHasher extends DurableObject {}
export class WebhookDispatcher extends DurableObject {}
export class McpConnection extends DurableObject {}
export default { fetch: () => new Response("small") };
`;

/** Replaces the build of the dashboard. */
const SMALL_DASHBOARD = `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync(".wrangler/dashboard/assets", { recursive: true });
writeFileSync(".wrangler/dashboard/index.html", "<!doctype html><title>small</title>");
writeFileSync(".wrangler/dashboard/assets/main-small.js", "0;");
`;

export interface Project {
  root: string;
  write(path: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

export async function copyProject(): Promise<Project> {
  const root = await mkdtemp(join(tmpdir(), "crier-deploy-"));
  for (const name of COPIED) await cp(join(ROOT, name), join(root, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  const write = (path: string, text: string) => writeFile(join(root, path), text);
  await write("src/index.ts", SMALL_WORKER);
  await write("scripts/build-dashboard.ts", SMALL_DASHBOARD);
  return { root, write, remove: () => rm(root, { recursive: true, force: true }) };
}

interface Run {
  code: number | null;
  output: string;
}
export interface Running {
  ended: Promise<Run>;
  /** Kills the script and all processes that it has started, like a power cut. */
  kill(): void;
  child: ChildProcess;
}

/** Starts `npm run deploy -- args` in a project, against the stand-in. */
export const startDeploy = (root: string, standIn: StandIn, args: string[], env: NodeJS.ProcessEnv = {}): Running =>
  startScript(root, standIn, ["scripts/deploy.ts", ...args], env);

/** Starts a script of a project with its arguments. */
export function startScript(
  root: string,
  standIn: StandIn,
  [script = "", ...args]: string[],
  env: NodeJS.ProcessEnv = {},
): Running {
  const child = spawn(process.execPath, ["--import", PRELOAD, join(root, script), ...args], {
    cwd: root,
    env: {
      NODE_COMPILE_CACHE: join(tmpdir(), "crier-deploy-compiled"),
      PATH: process.env.PATH,
      // The home is a separate folder, because wrangler would store its sign-in in a .wrangler of the project.
      HOME: join(root, "home"),
      CLOUDFLARE_API_BASE_URL: standIn.url,
      CLOUDFLARE_API_TOKEN: TOKEN,
      // A deploy of this checkout without the gallery would replace the files that local runs serve meanwhile.
      CRIER_GALLERY: "1",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const ended = new Promise<Run>((resolve) =>
    child.once("close", (code) => resolve({ code, output: stripVTControlCharacters(output) })),
  );
  const kill = () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  return { ended, kill, child };
}

export const runDeploy = (root: string, standIn: StandIn, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  startDeploy(root, standIn, args, env).ended;
