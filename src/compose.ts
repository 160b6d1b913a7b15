// Bindings become a Context, for one request, job, alarm or tool call.
import { createBucket } from "./adapters/bucket.ts";
import { createIdp } from "./adapters/idp.ts";
import { errorText, log } from "./adapters/log.ts";
import { createBindingMail, createSmtpMail, type Mail } from "./adapters/mail.ts";
import { createOutbound, type Outbound, resolveHost } from "./adapters/outbound.ts";
import { createPasswords } from "./adapters/password.ts";
import { createSeal, type Seal } from "./adapters/seal.ts";
import type { Context } from "./context.ts";
import type { Entropy } from "./domain/ids.ts";
import { countedAddress } from "./domain/rate-limit.ts";
import { type Env, readSettings, type Settings } from "./env.ts";
import type { Wire } from "./networks/network.ts";
import { openDatabase } from "./store/db.ts";

/** A batch of messages that a queue takes at once. */
const QUEUE_BATCH_MAX = 100;

const entropy: Entropy = (length) => crypto.getRandomValues(new Uint8Array(length));

/** What is the same for every invocation. */
interface Deployment {
  settings: Settings;
  seal: Seal | null;
}

const deployments = new WeakMap<Env, Deployment>();

function deploymentOf(env: Env): Deployment {
  const known = deployments.get(env);
  if (known !== undefined) return known;
  const settings = readSettings(env);
  const activeKey = [...settings.sealKeys.keys()].at(-1);
  const seal = activeKey === undefined ? null : createSeal(settings.sealKeys, activeKey);
  const deployment = { settings, seal };
  deployments.set(env, deployment);
  return deployment;
}

/** `address`: whose request this is, where it is one. `waitUntil` keeps the invocation alive for work that the answer does not wait for. */
export function compose(env: Env, waitUntil: (work: Promise<unknown>) => void, address: string | null = null): Context {
  const { settings, seal } = deploymentOf(env);
  const database = openDatabase(env.DB);
  const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : "");
  const ownHosts = [settings.baseUrl, settings.bucket?.mediaUrl ?? "", settings.bucket?.endpoint ?? ""].map(hostOf);
  const outbound = createOutbound({ allowPrivate: settings.allowPrivateAddresses, ownHosts }, resolveHost);
  return {
    settings,
    accounts: database,
    databaseOf: () => database,
    databases: [database],
    now: Date.now,
    pause: (ms) => new Promise((end) => setTimeout(end, ms)),
    entropy,
    clock: {
      arm: (workspaceId, entries) => env.CLOCK.getByName(workspaceId).arm(workspaceId, entries),
      clear: (workspaceId) => env.CLOCK.getByName(workspaceId).clear(),
    },
    webhooks: {
      async wake(workspaceId, webhookIds) {
        const wake = (id: string) => env.WEBHOOKS.getByName(`${workspaceId}:${id}`).wake(workspaceId, id);
        const lost = (error: unknown) => log("error", "wake_failed", { error: errorText(error) });
        await Promise.all(webhookIds.map((id) => wake(id).catch(lost)));
      },
    },
    mcp: {
      async end(connections) {
        const lost = (error: unknown) => log("error", "mcp_end_failed", { error: errorText(error) });
        await Promise.all(connections.map((name) => env.MCP.getByName(name).end().catch(lost)));
      },
    },
    queue: {
      async send(jobs) {
        for (let i = 0; i < jobs.length; i += QUEUE_BATCH_MAX) {
          await env.QUEUE.sendBatch(jobs.slice(i, i + QUEUE_BATCH_MAX).map((body) => ({ body })));
        }
      },
    },
    bucket: env.MEDIA && settings.bucket ? createBucket(env.MEDIA, settings.bucket) : null,
    seal,
    passwords: createPasswords(settings.passwordPepper),
    outbound,
    mail: mailOf(env, settings),
    idp:
      settings.idp &&
      createIdp(
        settings.idp,
        `${settings.baseUrl}/v1/oauth/${settings.idp.name}/callback`,
        settings.allowPrivateAddresses,
      ),
    address:
      address === null || (settings.allowPrivateAddresses && LOOPBACK.test(address)) ? null : countedAddress(address),
    limits: {
      take: (limit, who) => env.COUNTER.getByName(`${limit}:${who}`).take(limit),
      clear: (limit, who) => env.COUNTER.getByName(`${limit}:${who}`).clear(),
    },
    wire: (platform) => wireTo(platform, settings, outbound),
    addressOf: (platform, url) => addressOf(platform, settings, url),
    later: (work) => waitUntil(work.catch((error) => log("error", "later_failed", { error: errorText(error) }))),
  };
}

/** In a local run everybody is this machine: counting its address would lock out its only user. */
const LOOPBACK = /^(127\.|::1$)/;

function mailOf(env: Env, { mail }: Settings): Mail | null {
  if (mail === null) return null;
  if (mail.smtpUrl !== null) return createSmtpMail(mail.smtpUrl, mail.from);
  const { EMAIL } = env;
  return EMAIL ? createBindingMail((letter) => EMAIL.send(letter), mail.from) : null;
}

/** In the sandbox every host of a network is its simulator; an address that the simulator itself names stays as it is. */
function addressOf(platform: string, { sandboxUrl }: Settings, url: string): string {
  if (sandboxUrl === null || url.startsWith(`${sandboxUrl}/${platform}/`)) return url;
  const { pathname, search } = new URL(url);
  return `${sandboxUrl}/${platform}${pathname}${search}`;
}

function wireTo(platform: string, settings: Settings, outbound: Outbound): Wire {
  const sandbox = settings.sandboxUrl === null ? null : `${settings.sandboxUrl}/${platform}`;
  return {
    app: settings.appOf(platform),
    fetch: (url, init) => fetch(addressOf(platform, settings, url), { ...init, redirect: "manual" }),
    fetchPublic: (url, init) =>
      sandbox !== null && url.startsWith(`${sandbox}/`)
        ? fetch(url, { ...init, redirect: "manual" })
        : outbound.fetch(url, init),
    now: Date.now,
    random: entropy,
    sized(stream, bytes) {
      const { readable, writable } = new FixedLengthStream(bytes);
      // A source that breaks or has another length breaks the request too; the answer to it says so.
      stream.pipeTo(writable).catch(() => {});
      return readable;
    },
  };
}
