// The steps of a deploy, in order: migrations before the code that needs them, secrets before the code that reads them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AccountPlan, isAccountPlan } from "../../src/domain/account-plan.ts";
import { SettingsError } from "../../src/domain/settings-error.ts";
import { isOn, readSettings } from "../../src/settings.ts";
import type { SignedIn } from "./account.ts";
import { checkDeployment } from "./check-deployed.ts";
import { isAtLeast, unusedSince } from "./contract.ts";
import { DeployFailure } from "./failure.ts";
import {
  buildConfiguration,
  databaseName,
  getBindingName,
  type Installation,
  readInstallation,
  writeConfiguration,
} from "./installation.ts";
import { type Options, SET_BY_DEPLOY } from "./options.ts";
import { choosePlace } from "./place.ts";
import {
  ensureBucket,
  ensureCors,
  ensureDatabases,
  ensureQueues,
  ensureSubdomain,
  missingMigrations,
  type Work,
} from "./resources.ts";
import { ensureSecrets } from "./secrets.ts";
import { type Left, toDo } from "./to-do.ts";
import { type Deployed, lacks, readDeployed, refuseForeignDomains, untilHealthy } from "./worker.ts";
import { runWrangler } from "./wrangler.ts";

/** A placeholder for values that a plan cannot know yet. */
const PLANNED = "(planned)";

export interface Surroundings {
  signIn: () => Promise<SignedIn>;
  /** Asks the user for the account's plan; null: there is no user to ask. */
  askAccountPlan: () => Promise<AccountPlan | null>;
  print: (line: string) => void;
  signal: AbortSignal;
}

export async function deploy(options: Options, { signIn, askAccountPlan, print, signal }: Surroundings): Promise<void> {
  const { plan } = options;
  const { cloudflare, wranglerEnv: env } = await step("sign-in", signal, signIn);
  const { accountId } = cloudflare;
  print(`account      ${accountId}`);
  const installation = readInstallation(options.name, process.env);
  const deployed = await step("worker", signal, () => readDeployed(cloudflare, installation));
  const place = await step("place", signal, async () => choosePlace(options, deployed));
  const work = (name: string): Work => {
    const tell = (text: string) => print(`${name.padEnd(12)} ${text}`);
    return { cloudflare, installation, place, plan, tell, tellPlanned: tell };
  };
  const does = <Result>(name: string, doing: (work: Work) => Promise<Result>) =>
    step(name, signal, () => doing(work(name)));

  const workersDevHost = await does("address", async (stepWork) => {
    const configuredHost = options.domain ?? parseHost(deployed.vars.get("BASE_URL"));
    if (configuredHost !== null && !configuredHost.endsWith(".workers.dev")) return null;
    return `${installation.name}.${(await ensureSubdomain(stepWork)) ?? PLANNED}.workers.dev`;
  });
  const hasMedia = options.media ?? (!deployed.isCrier || deployed.hasMedia);
  const hasImages = options.images ?? (!deployed.isCrier || deployed.hasImages);
  const accountPlan = await chooseAccountPlan(options, deployed, askAccountPlan);
  print(`plan         ${accountPlan}`);
  const vars = mergeSettings(installation, { ...options, accountPlan, hasMedia }, deployed, {
    s3Endpoint: `https://${accountId}${place.jurisdiction === null ? "" : `.${place.jurisdiction}`}.r2.cloudflarestorage.com`,
    workersDevHost,
  });
  const address = vars.BASE_URL ?? "";
  const customDomains = [options.domain, options.mediaDomain].flatMap((host) => host ?? []);

  const databaseIds = await does("database", (stepWork) =>
    ensureDatabases(stepWork, resolveDatabaseCount(options, deployed)),
  );
  const [databaseId = null] = databaseIds;
  if (hasMedia) await does("bucket", ensureBucket);
  const queues = await does("queues", ensureQueues);

  const { version, configuration } = buildConfiguration(installation, {
    databaseIds: databaseIds.map((id) => id ?? PLANNED),
    vars,
    domains: customDomains.length === 0 ? [] : [...new Set([...deployed.domains, ...customDomains])],
    workersDev: parseHost(address) === workersDevHost,
    hasMedia,
    hasImages,
    place,
  });
  const file = plan ? "" : await writeConfiguration(configuration);
  const wrangler = (args: string[], input?: string) => runWrangler([...args, "--config", file], { env, input, signal });

  await does("migrations", async (stepWork) => {
    const failures: unknown[] = [];
    for (const [home, id] of databaseIds.entries()) {
      const where = databaseIds.length === 1 ? "" : ` to ${databaseName(installation.database, home)}`;
      try {
        const missing = await missingMigrations(stepWork, id, home);
        refuseTooEarly(installation, missing, deployed);
        if (missing.length === 0) stepWork.tell(`all applied${where}`);
        else if (plan) stepWork.tellPlanned(`${missing.join(", ")} would be applied${where}`);
        else {
          await wrangler(["d1", "migrations", "apply", getBindingName(home), "--remote"]);
          stepWork.tell(`${missing.join(", ")} applied${where}`);
        }
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
      }
    }
    // The other databases are migrated; the code waits until all of them are.
    if (failures.length > 0) throw failures[0];
  });
  const secrets = await does("secrets", (stepWork) =>
    ensureSecrets(stepWork, {
      present: deployed.secrets,
      databaseId,
      file: options.secretsFile,
      put: (json) => wrangler(["secret", "bulk"], json),
    }),
  );
  const uploadOutput = await does("upload", async (stepWork) => {
    const reasons = lacks(deployed, configuration, queues);
    if (reasons.length === 0) stepWork.tell(`${version} is deployed`);
    else if (plan) stepWork.tellPlanned(`${version} would be uploaded: ${reasons.join(", ")}`);
    if (reasons.length === 0 || plan) return null;
    if (customDomains.length > 0) await refuseForeignDomains(cloudflare, installation.name, customDomains);
    const output = await wrangler(["deploy"]);
    stepWork.tell(`${version} uploaded: ${reasons.join(", ")}`);
    return output;
  });
  // Only now are the pages at their new address, which the bucket has to allow.
  if (hasMedia) await does("bucket", (stepWork) => ensureCors(stepWork, new URL(vars.DASHBOARD_URL ?? address).origin));
  if (plan) return print("\nNothing was changed.");
  await does("health", async (stepWork) => {
    if (isOn(vars.PAUSED)) return stepWork.tell("not checked, because PAUSED is set");
    // Without an upload the Worker keeps its current version.
    const running = uploadOutput === null ? (deployed.vars.get("VERSION") ?? version) : version;
    await untilHealthy(address, running, signal);
    stepWork.tell(`${address}/healthz answers`);
  });
  await does("check", (stepWork) => checkDeployment(stepWork, { configuration, databaseIds, uploadOutput }));

  print(`\nCrier is at ${address}   (API: ${address}/docs)`);
  const again = options.name === undefined ? "npm run deploy --" : `npm run deploy -- --name ${options.name}`;
  const remainingTasks = toDo({
    has: (name) => secrets.has(name) || vars[name] !== undefined,
    sendsMail: deployed.sendsMail,
    name: installation.name,
    bucket: hasMedia ? installation.bucket : null,
    hasImages,
    accountId,
    baseUrl: address,
    provider: vars.OIDC_NAME ?? "google",
    again,
  });
  if (!deployed.isCrier && vars.SIGN_UP === "invite") {
    print(
      `Sign up now at ${address}/auth/sign-up. Only the first account can sign up by itself; later ones need an invitation.`,
    );
  }
  tellLeft(remainingTasks, options.toDo || !deployed.isCrier, again, print);
}

/** The plan from the flag, else from the previous deploy, else from the user. */
async function chooseAccountPlan(
  { accountPlan, settings }: Options,
  { vars }: Deployed,
  ask: Surroundings["askAccountPlan"],
): Promise<AccountPlan> {
  const planName = accountPlan ?? settings.ACCOUNT_PLAN ?? vars.get("ACCOUNT_PLAN") ?? (await ask()) ?? "paid";
  if (!isAccountPlan(planName))
    throw new DeployFailure(`ACCOUNT_PLAN is ${planName}.`, "Use --account-plan free or --account-plan paid.");
  return planName;
}

/** The number of databases for the Worker. */
function resolveDatabaseCount({ databases }: Options, deployed: Deployed): number {
  if (databases !== undefined && databases < deployed.databases) {
    throw new DeployFailure(
      `The Worker has ${deployed.databases} databases, and each of them may contain workspaces.`,
      `Omit --databases, or use ${deployed.databases} or more.`,
    );
  }
  return Math.max(databases ?? 1, deployed.databases);
}

/** The running Worker must not read columns or tables that a migration removes. */
function refuseTooEarly({ migrationsFolder }: Installation, missing: string[], { isCrier, vars }: Deployed): void {
  if (!isCrier) return;
  const running = vars.get("VERSION") ?? "";
  for (const file of missing) {
    const since = unusedSince(readFileSync(join(migrationsFolder, file), "utf8"));
    if (since === null || isAtLeast(running, since)) continue;
    throw new DeployFailure(
      `${file} removes data that versions before ${since} read, and ${running || "an unknown version"} is deployed.`,
      `Deploy version ${since} first: git checkout v${since}, npm install, npm run deploy.`,
    );
  }
}

function tellLeft(remainingTasks: Left[], inFull: boolean, again: string, print: Surroundings["print"]): void {
  if (remainingTasks.length === 0) return;
  if (!inFull) {
    print(`Not set up yet: ${remainingTasks.map(({ what }) => what).join(", ")}. For instructions: ${again} --to-do`);
    return;
  }
  print("Bluesky and Telegram work without further setup. Set up the rest yourself, in any order:");
  for (const { what, how, commands } of remainingTasks) {
    print(`\n${what}: ${how}`);
    for (const command of commands) print(`  ${command}`);
  }
}

/** Runs a step, and adds its name to the message of its failure. */
async function step<Result>(name: string, signal: AbortSignal, doing: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  try {
    return await doing();
  } catch (error) {
    if (!(error instanceof DeployFailure)) throw error;
    throw new DeployFailure(`Stopped at ${name}. ${error.message}`, error.fix);
  }
}

const parseHost = (url: string | undefined) => (url !== undefined && URL.canParse(url) ? new URL(url).host : null);

/**
 * The resulting settings: from wrangler.toml, the created resources, the deployed Worker, and the flags. Later sources win.
 */
function mergeSettings(
  installation: Installation,
  { domain, mediaDomain, settings, accountPlan, hasMedia }: Options & { accountPlan: AccountPlan; hasMedia: boolean },
  deployed: Deployed,
  { s3Endpoint, workersDevHost }: { s3Endpoint: string; workersDevHost: string | null },
): Record<string, string> {
  const before = Object.fromEntries(deployed.vars);
  const baseUrl = settings.BASE_URL ?? (domain === undefined ? before.BASE_URL : `https://${domain}`);
  // Files are served at the same address until they have one of their own.
  if (before.MEDIA_URL === before.BASE_URL) delete before.MEDIA_URL;
  const base = baseUrl ?? `https://${workersDevHost}`;
  const allVars: Record<string, string> = {
    ...installation.template.vars,
    ...(hasMedia
      ? {
          MEDIA_URL: base,
          S3_ENDPOINT: s3Endpoint,
          S3_BUCKET: installation.bucket,
        }
      : {}),
    ...before,
    ACCOUNT_PLAN: accountPlan,
    BASE_URL: base,
    ...(mediaDomain === undefined ? {} : { MEDIA_URL: `https://${mediaDomain}` }),
    ...settings,
  };
  for (const name of SET_BY_DEPLOY) delete allVars[name];
  const secret = Object.keys(settings).find((name) => deployed.secrets.has(name));
  if (secret !== undefined) {
    throw new DeployFailure(
      `${secret} is a secret of the Worker, so --set cannot set it.`,
      `Remove it first: npx wrangler secret delete ${secret} --name ${installation.name}`,
    );
  }
  for (const name of deployed.secrets) delete allVars[name];
  try {
    readSettings({ ...allVars, PAUSED: undefined });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new DeployFailure(
      `Crier cannot run with these settings: ${error.message}.`,
      "Change the setting with --set.",
    );
  }
  return allVars;
}
