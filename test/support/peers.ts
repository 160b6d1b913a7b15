// Starts the services that the worker's tests talk to over real HTTP and SMTP: the networks, mail servers, sign-in providers,
// webhook endpoints and a host of files.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { TestProject } from "vitest/node";

/** The folder of the dashboard's files in wrangler.toml. */
const DASHBOARD = join(import.meta.dirname, "../../.wrangler/dashboard");

/** Writes a page that stands in for the dashboard if it has not been built. The worker serves any page. */
async function standInForDashboard(): Promise<void> {
  const page = join(DASHBOARD, "index.html");
  if (existsSync(page)) return;
  await mkdir(DASHBOARD, { recursive: true });
  await writeFile(page, `<!doctype html><title>Crier</title><div id="root"></div>`);
}

export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  await standInForDashboard();
  const thread = new Worker(join(import.meta.dirname, "peers-thread.ts"));
  const peers = await new Promise<Peers>((resolve, reject) => thread.once("message", resolve).once("error", reject));
  project.provide("peers", peers);
  return () => thread.terminate();
}

export interface Peers {
  SIMULATORS: string;
  SMTP_URL: string;
  MAILS: string;
  /** The addresses of mail servers that break off (-> mail-server.ts), separated by spaces. */
  BROKEN_SMTP_URLS: string;
  OIDC_ISSUER: string;
  LYING_ISSUER: string;
  RECEIVERS: string;
  FILE_HOST: string;
}
declare module "vitest" {
  interface ProvidedContext {
    peers: Peers;
  }
}
