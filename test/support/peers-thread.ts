// Starts the services that the worker's tests talk to, in a thread of its own, so that Node loads them without vitest's transforms.
import { parentPort } from "node:worker_threads";
import { startSimulators } from "../../simulators/server.ts";
import { startFileHost } from "./file-host.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { startLyingProvider } from "./lying-provider.ts";
import { startBrokenMailServers, startMailServer } from "./mail-server.ts";
import type { Peers } from "./peers.ts";
import { CHUNKS_DIVISOR } from "./small-chunks.ts";
import { startReceivers } from "./webhook-receivers.ts";

const simulators = await startSimulators({ port: 0, chunksDivisor: CHUNKS_DIVISOR });
const mail = await startMailServer();
const brokenMail = await startBrokenMailServers();
const provider = await startIdentityProvider("http://crier.test/v1/oauth/google/callback");
const lying = await startLyingProvider();
const receivers = await startReceivers();
const files = await startFileHost();
parentPort?.postMessage({
  SIMULATORS: simulators.url,
  SMTP_URL: mail.smtpUrl,
  MAILS: mail.readUrl,
  BROKEN_SMTP_URLS: brokenMail.urls.join(" "),
  OIDC_ISSUER: provider.issuer,
  LYING_ISSUER: lying.issuer,
  RECEIVERS: receivers.url,
  FILE_HOST: files.url,
} satisfies Peers);
