// What the worker's tests talk to, over real HTTP and SMTP: the networks, a mail server, sign-in providers,
// endpoints of webhooks, a host of files.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startSimulators } from "../../simulators/server.ts";
import { startFileHost } from "./file-host.ts";
import { startHostileProvider, startIdentityProvider } from "./identity-provider.ts";
import { startBrokenMailServers, startMailServer } from "./mail-server.ts";
import { PARTS_DIVISOR } from "./small-parts.ts";
import { startReceivers } from "./webhook-receivers.ts";

/** The folder of the dashboard's files, which wrangler.toml names. */
const DASHBOARD = join(import.meta.dirname, "../../.wrangler/dashboard");

/** The worker does not know a built dashboard from any other page. */
async function standInForDashboard(): Promise<void> {
  const page = join(DASHBOARD, "index.html");
  if (existsSync(page)) return;
  await mkdir(DASHBOARD, { recursive: true });
  await writeFile(page, `<!doctype html><title>Crier</title><div id="root"></div>`);
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await standInForDashboard();
  const simulators = await startSimulators({ port: 0, partsDivisor: PARTS_DIVISOR });
  const mail = await startMailServer();
  const brokenMail = await startBrokenMailServers();
  const provider = await startIdentityProvider("http://crier.test/v1/oauth/google/callback");
  const hostile = await startHostileProvider();
  const receivers = await startReceivers();
  const files = await startFileHost();
  project.provide("peers", {
    SIMULATORS: simulators.url,
    SMTP_URL: mail.smtpUrl,
    MAILS: mail.readUrl,
    BROKEN_SMTP_URLS: brokenMail.urls.join(" "),
    OIDC_ISSUER: provider.issuer,
    HOSTILE_ISSUER: hostile.issuer,
    RECEIVERS: receivers.url,
    FILE_HOST: files.url,
  });
  return async () => {
    const peers = [simulators, mail, brokenMail, provider, hostile, receivers, files];
    await Promise.all(peers.map((peer) => peer.close()));
  };
}

export interface Peers {
  SIMULATORS: string;
  SMTP_URL: string;
  MAILS: string;
  /** Of mail servers that break off (-> mail-server.ts), a space between. */
  BROKEN_SMTP_URLS: string;
  OIDC_ISSUER: string;
  HOSTILE_ISSUER: string;
  RECEIVERS: string;
  FILE_HOST: string;
}
declare module "vitest" {
  interface ProvidedContext {
    peers: Peers;
  }
}
