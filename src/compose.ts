// Builds a Context from the bindings, for one request, job, alarm or tool call.
import { createBucket } from "./adapters/bucket.ts";
import { ClientDocuments } from "./adapters/client-documents.ts";
import { type ClientSigner, createClientSigner } from "./adapters/client-signer.ts";
import { hashByObject } from "./adapters/hashing-object.ts";
import { createIdp } from "./adapters/idp.ts";
import { createImages } from "./adapters/images.ts";
import { limitBucket } from "./adapters/limited-bucket.ts";
import { limitDatabase } from "./adapters/limited-database.ts";
import { errorText, log } from "./adapters/log.ts";
import { createBindingMail, createSmtpMail, type Mail } from "./adapters/mail.ts";
import { callObject } from "./adapters/object-call.ts";
import { createOutbound, resolveHost } from "./adapters/outbound.ts";

import { pause } from "./adapters/pause.ts";
import { ProvenCredentials } from "./adapters/proven-credentials.ts";
import { createReceiptSigner, type ReceiptSigner } from "./adapters/receipt-signer.ts";
import { createSeal, type Seal } from "./adapters/seal.ts";
import { makeLimits } from "./compose/limits.ts";
import { limitCalls, makeNetworkIO, resolveUrl } from "./compose/network-io.ts";
import { makeOAuthClient } from "./compose/oauth-client.ts";
import type { Context } from "./context.ts";
import { offersListening, WORK_LIMITS } from "./domain/account-plan.ts";
import { type Entropy, getConnectionName } from "./domain/ids.ts";
import { isMaintenance } from "./domain/job.ts";
import type { LookUpAnswer } from "./domain/option-lookup.ts";
import { countedAddress } from "./domain/rate-limit.ts";
import { getRegistrableDomain } from "./domain/registrable-domain.ts";
import { RequestAllowance } from "./domain/request-allowance.ts";
import { SettingsError } from "./domain/settings-error.ts";
import { shortUserAgent } from "./domain/user-agent.ts";
import type { Allowance, WorkAllowance } from "./domain/work-allowance.ts";
import { type Env, furtherDatabases, getObject } from "./env.ts";
import type { NetworkIO, OAuthClient } from "./networks/network.ts";
import { readSettings, type Settings } from "./settings.ts";
import { findCredentialsInUse } from "./store/accounts/credentials-in-use.ts";
import { type Database, openDatabase } from "./store/db/db.ts";
import { patientBinding } from "./store/db/patient-binding.ts";
import { Homes } from "./store/homes.ts";

/** The maximum number of messages that a queue accepts in one batch. */
const QUEUE_BATCH_MAX = 100;

/** One object counts for the whole deployment. */
const OUTCOMES = "all";
/** One object hashes for the whole deployment. */
const HASHER = "all";
/** These caches are shared by all invocations in this isolate. */
const provenCredentials = new ProvenCredentials();
const clientDocuments = new ClientDocuments();
const entropy: Entropy = (length) => crypto.getRandomValues(new Uint8Array(length));

/** The values that are the same for every invocation. */
interface Deployment {
  settings: Settings;
  seal: Seal | null;
  receipts: ReceiptSigner | null;
  clientKeys: ClientSigner | null;
  client: OAuthClient | null;
  databases: Databases;
  /** The same databases for requests. They retry transient failures, because the caller of a request waits for the answer. */
  patientDatabases: Databases;
}
type Databases = readonly [Database, ...Database[]];

/**
 * The databases of an invocation. `allowance`: charged for the statements of a request; the statements of objects are
 * charged through `env`.
 */
function databasesFor(env: Env, deployment: Deployment, allowance: Allowance | null, isRequest: boolean): Databases {
  if (allowance !== null) return openDatabases(env, (binding) => patient(limitDatabase(binding, allowance)));
  return isRequest ? deployment.patientDatabases : deployment.databases;
}

const patient = (binding: D1Database) => patientBinding(binding, { pause, random: Math.random });

function openDatabases(env: Env, wrap: (binding: D1Database) => D1Database): Databases {
  return [openDatabase(wrap(env.DB)), ...furtherDatabases(env).map((binding) => openDatabase(wrap(binding)))];
}

const deployments = new WeakMap<Env, Deployment>();

function getDeployment(env: Env): Deployment {
  const knownDeployment = deployments.get(env);
  if (knownDeployment !== undefined) return knownDeployment;
  const settings = readSettings(env);
  const activeKey = [...settings.sealKeys.keys()].at(-1);
  const seal = activeKey === undefined ? null : createSeal(settings.sealKeys, activeKey);
  const receipts = activeKey === undefined ? null : createReceiptSigner(settings.sealKeys, activeKey);
  const clientKeys = activeKey === undefined ? null : createClientSigner(settings.sealKeys, activeKey, entropy);
  const deployment = {
    settings,
    seal,
    receipts,
    clientKeys,
    client: makeOAuthClient(settings, clientKeys),
    databases: openDatabases(env, (binding) => binding),
    patientDatabases: openDatabases(env, patient),
  };
  deployments.set(env, deployment);
  return deployment;
}

/** The invalid setting that prevents this deployment from answering anything; null: all settings are valid. */
export function whyMisconfigured(env: Env): string | null {
  try {
    getDeployment(env);
    return null;
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
}

export interface Invocation {
  /** The caller's address, null if unknown; omitted outside of requests. */
  address?: string | null;
  userAgent?: string | null;
  /** Charged for calls to other hosts; null: they are not limited. The databases of `env` charge for statements. */
  allowance?: WorkAllowance | null;
}

/** `waitUntil` keeps the invocation alive for work that continues after the answer. */
export function compose(
  env: Env,
  waitUntil: (work: Promise<unknown>) => void,
  { address, userAgent = null, allowance = null }: Invocation = {},
): Context {
  const deployment = getDeployment(env);
  const { settings, seal, receipts, clientKeys, client } = deployment;
  const isRequest = address !== undefined;
  const limits = WORK_LIMITS[settings.accountPlan];
  const limited = isRequest && limits !== null ? new RequestAllowance(limits) : allowance;
  const databases = databasesFor(env, deployment, isRequest ? limited : null, isRequest);
  const homes = new Homes(databases);
  const parseHost = (url: string) => (URL.canParse(url) ? new URL(url).hostname : "");
  const ownHosts = [settings.baseUrl, settings.bucket?.mediaUrl ?? "", settings.bucket?.endpoint ?? ""].map(parseHost);
  const networkIOs = new Map<string, NetworkIO>();
  const call = limitCalls(limited);
  const outbound = createOutbound(
    { allowPrivate: settings.allowPrivateAddresses, ownHosts },
    (host) => resolveHost(host, call),
    call,
  );
  return {
    settings,
    accounts: databases[0],
    homes,
    databaseOf: (workspaceId) => homes.databaseOf(workspaceId),
    databases,
    now: Date.now,
    pause,
    entropy,
    publishers: {
      async arm(workspaceId, entries) {
        const earliest = new Map<number, number>();
        for (const { lane, at } of entries) earliest.set(lane, Math.min(at, earliest.get(lane) ?? at));
        await Promise.all(
          [...earliest].map(([lane, dueAt]) =>
            callObject(() => getPublisher(env, workspaceId, lane).arm({ workspaceId, lane }, dueAt)),
          ),
        );
      },
      followUp: (workspaceId, lane, ...tasks) =>
        callObject(() => getPublisher(env, workspaceId, lane).followUp({ workspaceId, lane }, ...tasks)),
      lookUp: (workspaceId, lane, request, mode) =>
        callObject<LookUpAnswer | null>(async () =>
          getPublisher(env, workspaceId, lane).lookUp({ workspaceId, lane }, request, mode),
        ),
      async clear(workspaceId, lanes) {
        const clear = (lane: number) => callObject(() => getPublisher(env, workspaceId, lane).clear());
        await Promise.all(Array.from({ length: lanes }, (_, lane) => clear(lane)));
      },
    },
    webhooks: {
      async wake(workspaceId, webhookIds) {
        const wake = (id: string) =>
          callObject(() => getObject(env, env.WEBHOOKS, `${workspaceId}:${id}`).wake(workspaceId, id));
        const lost = (error: unknown) => log("error", "wake_failed", { error: errorText(error) });
        await Promise.all(webhookIds.map((id) => wake(id).catch(lost)));
      },
    },
    mcp: {
      async end(connections) {
        const lost = (error: unknown) => log("error", "mcp_end_failed", { error: errorText(error) });
        await Promise.all(connections.map((name) => callObject(() => getObject(env, env.MCP, name).end()).catch(lost)));
      },
      async announceChannels(workspaceId) {
        if (!offersListening(settings.accountPlan)) return;
        const announce = (name: string) => callObject(() => getObject(env, env.MCP, name).announceChannels());
        const lost = (error: unknown) => log("warn", "mcp_announce_failed", { error: errorText(error) });
        try {
          const credentials = await findCredentialsInUse(databases[0], workspaceId);
          await Promise.all(credentials.map((credential) => announce(getConnectionName(credential)).catch(lost)));
        } catch (error) {
          lost(error);
        }
      },
    },
    queue: {
      async send(jobs) {
        await sendAll(
          env.QUEUE,
          jobs.filter((job) => !isMaintenance(job)),
        );
        await sendAll(env.MAINTENANCE, jobs.filter(isMaintenance));
      },
    },
    bucket: openBucket(env, settings, limited),
    images: env.IMAGES === undefined ? null : createImages(env.IMAGES, limited),
    seal,
    receipts,
    clientKeys,
    oauthClient: client,
    provenCredentials,
    clientDocuments,
    passwords: hashByObject(() => getObject(env, env.PASSWORDS, HASHER), { fast: settings.fastPasswordHashes }),
    outbound,
    mail: createMail(env, settings),
    idp:
      settings.idp &&
      createIdp(
        settings.idp,
        `${settings.baseUrl}/v1/oauth/${settings.idp.name}/callback`,
        settings.allowPrivateAddresses,
      ),
    address:
      address == null || (settings.allowPrivateAddresses && LOOPBACK.test(address)) ? null : countedAddress(address),
    clientAddress: address ?? null,
    userAgent: shortUserAgent(userAgent),
    limits: makeLimits(env),
    outcomes: {
      // Not retried, because a repeat would add the counts twice. A lost call loses one minute of one publisher.
      add: (counts) => getObject(env, env.OUTCOMES, OUTCOMES).add(counts),
      read: () => callObject(() => getObject(env, env.OUTCOMES, OUTCOMES).read()),
    },
    // An address that will not be called at all is not counted.
    takeHost: async (workspaceId, url) =>
      typeof outbound.check(url) === "string" ? 0 : takeHost(env, settings, workspaceId, url),
    networkIO(platform) {
      const io = networkIOs.get(platform) ?? makeNetworkIO(platform, settings, { outbound, call, client });
      networkIOs.set(platform, io);
      return io;
    },
    addressOf: (platform, url) => resolveUrl(platform, settings, url),
    later: (work) => waitUntil(work.catch((error) => log("error", "later_failed", { error: errorText(error) }))),
  };
}

function openBucket({ MEDIA }: Env, { bucket }: Settings, allowance: Allowance | null): Context["bucket"] {
  if (!MEDIA || bucket === null) return null;
  return createBucket(allowance === null ? MEDIA : limitBucket(MEDIA, allowance), bucket);
}

const getPublisher = (env: Env, workspaceId: string, lane: number) =>
  getObject(env, env.PUBLISHER, `${workspaceId}:${lane}`);

async function sendAll<Body>(queue: Queue<Body>, bodies: Body[]): Promise<void> {
  for (let i = 0; i < bodies.length; i += QUEUE_BATCH_MAX) {
    await queue.sendBatch(bodies.slice(i, i + QUEUE_BATCH_MAX).map((body) => ({ body })));
  }
}

/** In a local run every caller has this machine's address, so counting it could lock out the only user. */
const LOOPBACK = /^(127\.|::1$)/;

async function takeHost(env: Env, settings: Settings, workspaceId: string, url: string): Promise<number> {
  const host = new URL(url).hostname;
  if (settings.allowPrivateAddresses && LOOPBACK.test(host.replace(/^\[|\]$/g, ""))) return 0;
  return callObject(() =>
    getObject(env, env.COUNTER, `calls:${workspaceId}`).takeHost(workspaceId, getRegistrableDomain(host)),
  );
}

function createMail(env: Env, { mail }: Settings): Mail | null {
  if (mail === null) return null;
  if (mail.smtpUrl !== null) return createSmtpMail(mail.smtpUrl, mail.from);
  const { EMAIL } = env;
  return EMAIL ? createBindingMail((letter) => EMAIL.send(letter), mail.from) : null;
}
