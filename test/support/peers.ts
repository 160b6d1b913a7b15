// What the worker's tests talk to, over real HTTP and SMTP: the networks, a mail server, sign-in providers,
// endpoints of webhooks, a host of files.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { TestProject } from "vitest/node";

/** The folder of the dashboard's files, which wrangler.toml names. */
const DASHBOARD = join(import.meta.dirname, "../../.wrangler/dashboard");

/** The worker does not know a built dashboard from any other page. */
async function standInForDashboard(): Promise<void> {
  const page = join(DASHBOARD, "index.html");
  if (existsSync(page)) return;
  await mkdir(DASHBOARD, { recursive: true });
  await writeFile(page, `<!doctype html><title>Crier</title><div id="root"></div>`);
}

export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  await standInForDashboard();
  const thread = new Worker(join(import.meta.dirname, "peers-thread.ts"));
  const peers = await new Promise<Peers>((settle, reject) => thread.once("message", settle).once("error", reject));
  project.provide("peers", peers);
  return () => thread.terminate();
}

export interface Peers {
  SIMULATORS: string;
  SMTP_URL: string;
  MAILS: string;
  /** Of mail servers that break off (-> mail-server.ts), a space between. */
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
