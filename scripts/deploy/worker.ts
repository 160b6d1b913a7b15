// The Worker: its deployed state, its missing parts, and its health.
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type Cloudflare, DASHBOARD, Refused } from "./cloudflare.ts";
import { DeployFailure } from "./failure.ts";
import { type Configuration, getCodeVersion, type Installation } from "./installation.ts";
import { createNameConflict, found, listConsumers, type Queue } from "./resources.ts";

const Binding = z.looseObject({ name: z.string(), type: z.string(), text: z.string().optional() });
const Deployments = z.object({
  deployments: z.array(z.object({ versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })) })),
});
const Version = z.object({ resources: z.object({ bindings: z.array(Binding).nullish() }) });
const Schedules = z.object({ schedules: z.array(z.object({ cron: z.string() })) });
const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }));

/** The Worker that is deployed now. */
export interface Deployed {
  /** Settings that are not secret. */
  vars: ReadonlyMap<string, string>;
  secrets: ReadonlySet<string>;
  /** Whether it is already Crier, rather than a placeholder that only holds secrets. */
  isCrier: boolean;
  /** Whether Cloudflare's email binding is bound. */
  sendsMail: boolean;
  /** Whether a bucket is bound. */
  hasMedia: boolean;
  /** Whether Cloudflare's Images are bound. */
  hasImages: boolean;
  /** How many databases it is bound to. */
  databases: number;
  crons: string[];
  workersDev: boolean;
  domains: string[];
}

/** The state of a name without a deployed Worker. */
export const NOTHING: Deployed = {
  vars: new Map(),
  secrets: new Set(),
  isCrier: false,
  sendsMail: false,
  hasMedia: false,
  hasImages: false,
  databases: 0,
  crons: [],
  workersDev: false,
  domains: [],
};

/** The binding that identifies Crier. */
const OURS = "PUBLISHER";
/** The entire Worker that wrangler creates when secrets are set before the code. */
const DRAFT = "export default { fetch() {} }";

/** Throws if the name belongs to a different Worker. */
export async function readDeployed(cloudflare: Cloudflare, { name }: Installation): Promise<Deployed> {
  const script = `/workers/scripts/${name}`;
  const deployments = await found(cloudflare.call(Deployments, "GET", `${script}/deployments`));
  if (deployments === null) return NOTHING;
  const secrets = await cloudflare.call(z.array(z.object({ name: z.string() })), "GET", `${script}/secrets`);
  const [latest] = deployments.deployments;
  // During an unfinished rollout the newest version counts, because a deploy completes it.
  const version = latest?.versions[0]?.version_id;
  const { resources } =
    version === undefined
      ? { resources: { bindings: [] } }
      : await cloudflare.call(Version, "GET", `${script}/versions/${version}`);
  const bindings = resources.bindings ?? [];
  const isCrier = bindings.some((binding) => binding.name === OURS && binding.type === "durable_object_namespace");
  if (!isCrier && !(await cloudflare.text(script)).includes(DRAFT)) {
    throw createNameConflict(`The account has a Worker ${name} that is not Crier.`);
  }
  const { schedules } = await cloudflare.call(Schedules, "GET", `${script}/schedules`);
  const { enabled } = await cloudflare.call(z.object({ enabled: z.boolean() }), "GET", `${script}/subdomain`);
  const domains = await cloudflare.call(Domains, "GET", `/workers/domains?service=${name}`);
  return {
    vars: new Map(
      bindings.flatMap((binding) =>
        binding.type === "plain_text" ? [[binding.name, binding.text ?? ""] as const] : [],
      ),
    ),
    secrets: new Set(secrets.map((secret) => secret.name)),
    isCrier,
    sendsMail: bindings.some(({ name, type }) => name === "EMAIL" && type === "send_email"),
    hasMedia: bindings.some(({ name, type }) => name === "MEDIA" && type === "r2_bucket"),
    hasImages: bindings.some(({ name, type }) => name === "IMAGES" && type === "images"),
    databases: bindings.filter(({ name, type }) => type === "d1" && /^DB(_\d+)?$/.test(name)).length,
    crons: schedules.map(({ cron }) => cron),
    workersDev: enabled,
    domains: domains.map(({ hostname }) => hostname),
  };
}

/** The reasons for an upload; empty if the deployed Worker is up to date. */
export function lacks(deployed: Deployed, configuration: Configuration, queues: Queue[]): string[] {
  if (!deployed.isCrier) return ["first deployment"];
  const reasons: string[] = [];
  for (const [name, value] of Object.entries(configuration.vars)) {
    const present = deployed.vars.get(name);
    if (name !== "VERSION") {
      if (present !== value) reasons.push(`${name} has changed`);
    } else if (getCodeVersion(present ?? "") !== getCodeVersion(value)) {
      reasons.push("the code or its configuration has changed");
    }
  }
  if (deployed.hasImages !== (configuration.images !== undefined)) {
    reasons.push(deployed.hasImages ? "the Images binding is still present" : "the Images binding is missing");
  }
  const crons = configuration.triggers.crons.filter((cron) => !deployed.crons.includes(cron));
  if (crons.length > 0) reasons.push("the cron trigger is missing");
  for (const { queue } of configuration.queues.consumers) {
    const readers = queues.filter(({ queue_name }) => queue_name === queue).flatMap(listConsumers);
    if (!readers.includes(configuration.name)) reasons.push(`the Worker does not consume the queue ${queue}`);
  }
  if (deployed.workersDev !== configuration.workers_dev) {
    reasons.push(configuration.workers_dev ? "workers.dev is not routed to it" : "workers.dev is still routed to it");
  }
  for (const { pattern } of configuration.routes ?? []) {
    if (!deployed.domains.includes(pattern)) reasons.push(`${pattern} is not routed to it`);
  }
  return reasons;
}

const Changeset = z.object({ conflicting: z.array(z.object({ hostname: z.string() })).nullish() });

/** Throws if a host leads elsewhere, because wrangler would reassign it without asking. */
export async function refuseForeignDomains(cloudflare: Cloudflare, name: string, hosts: string[]): Promise<void> {
  for (const host of hosts) {
    const domains = await cloudflare.call(Domains, "GET", `/workers/domains?hostname=${encodeURIComponent(host)}`);
    const conflictingDomain = domains.find(({ hostname, service }) => hostname === host && service !== name);
    if (conflictingDomain !== undefined) throw foreignDomain(host, `the Worker ${conflictingDomain.service}`);
  }
  const path = `/workers/scripts/${name}/domains/changeset?replace_state=true`;
  const origins = hosts.map((hostname) => ({ hostname }));
  const { conflicting } = await cloudflare.call(Changeset, "POST", path, origins).catch((error) => {
    if (!(error instanceof Refused)) throw error;
    throw new DeployFailure(error.message, `Is ${hosts.join(" or ")} in a zone of this account? ${error.fix}`);
  });
  const [first] = conflicting ?? [];
  if (first !== undefined) throw foreignDomain(first.hostname, "the target of its DNS record");
}

const foreignDomain = (host: string, where: string) =>
  new DeployFailure(
    `${host} is routed to ${where}.`,
    "Choose another host, or delete that record in the dashboard first.",
  );

const Health = z.object({ version: z.string() });
const LOOK_AGAIN_MS = 1_000;
/** A new name on workers.dev, or a new domain, gets its certificate after some minutes. */
const HEALTHY_WITHIN_MS = 300_000;
const ANSWER_WITHIN_MS = 15_000;

/** Resolves once `version` answers at `address`. */
export async function untilHealthy(address: string, version: string, signal: AbortSignal): Promise<void> {
  const until = Date.now() + HEALTHY_WITHIN_MS;
  for (;;) {
    const answer = await fetchHealth(address);
    if (answer.version === version) return;
    if (Date.now() >= until) {
      throw new DeployFailure(
        `${version} was uploaded, but ${address}/healthz does not show it: ${answer.said}`,
        `Open ${address}/healthz in a few minutes, and check the Worker's log for the reason: ${DASHBOARD}/?to=/:account/workers`,
      );
    }
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
}

async function fetchHealth(address: string): Promise<{ version: string | null; said: string }> {
  try {
    const response = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const text = await response.text();
    const responseSummary = `${response.status} ${text.slice(0, 500)}`;
    return {
      version: response.ok ? (Health.safeParse(JSON.parse(text)).data?.version ?? null) : null,
      said: responseSummary,
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { version: null, said: cause instanceof Error ? cause.message : String(cause) };
  }
}
