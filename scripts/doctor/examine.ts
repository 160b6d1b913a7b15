// Finds the problems of an installation, and suggests fixes. Changes nothing. Most checks run a step of a deploy as a plan:
// the step checks its resource first, and reports what it would create.
import * as z from "zod";
import { readHealth } from "../../src/contract/health.ts";
import { DATABASE_BYTES_MAX, DATABASE_FILLS_AT } from "../../src/domain/limits.ts";
import { SettingsError } from "../../src/domain/settings-error.ts";
import { readSettings } from "../../src/settings.ts";
import type { SignedIn } from "../deploy/account.ts";
import { DASHBOARD } from "../deploy/cloudflare.ts";
import { DeployFailure } from "../deploy/failure.ts";
import { buildConfiguration, databaseName, readInstallation } from "../deploy/installation.ts";
import { choosePlace } from "../deploy/place.ts";
import {
  ensureBucket,
  ensureCors,
  ensureDatabases,
  ensureQueues,
  missingMigrations,
  type Work,
} from "../deploy/resources.ts";
import { MADE_SECRETS } from "../deploy/secrets.ts";
import { toDo } from "../deploy/to-do.ts";
import { lacks, readDeployed } from "../deploy/worker.ts";
import { examineApps } from "./apps.ts";
import { examineMail } from "./mail.ts";
import { examineUploads } from "./uploads.ts";

export interface Finding {
  check: string;
  state: "ok" | "warning" | "failed";
  message: string;
  /** The suggested fix. */
  fix?: string;
}
type Tell = (finding: Finding) => void;

/** Queue messages only wake consumers, so a message older than this is stuck. */
const BACKLOG_AGE_MAX_MS = 300_000;
const SKEW_MAX_MS = 30_000;
const ANSWER_WITHIN_MS = 15_000;

interface About {
  /** The installation, as named with `npm run deploy -- --name`. */
  name: string | undefined;
  /** Secrets of which the operator has a copy. */
  known: Record<string, string | undefined>;
  /** The recipient of a test mail, which is sent with the installation's settings; undefined: send none. */
  mailTo: string | undefined;
}

export async function examine(
  { name, known, mailTo }: About,
  signIn: () => Promise<SignedIn>,
  tell: Tell,
): Promise<void> {
  const again = name === undefined ? "npm run deploy" : `npm run deploy -- --name ${name}`;
  /** Runs a check. If it throws a `DeployFailure`, reports that as a finding. */
  const check = async <Result>(title: string, doing: () => Promise<Result>): Promise<Result | null> => {
    try {
      return await doing();
    } catch (error) {
      if (!(error instanceof DeployFailure)) throw error;
      tell({ check: title, state: "failed", message: error.message, fix: error.fix });
      return null;
    }
  };
  const signedIn = await check("sign-in", signIn);
  if (signedIn === null) return;
  const { cloudflare } = signedIn;
  const { accountId } = cloudflare;
  const installation = readInstallation(name, process.env);
  const deployed = await check("worker", () => readDeployed(cloudflare, installation));
  if (deployed === null) return;
  if (!deployed.isCrier) {
    const message = `Crier is not deployed as ${installation.name} on the account ${accountId}.`;
    return tell({ check: "worker", state: "failed", message, fix: again });
  }
  const vars = Object.fromEntries(deployed.vars);
  const place = choosePlace({}, deployed);
  const baseUrl = vars.BASE_URL ?? "";
  const hasSetting = (settingName: string) => deployed.secrets.has(settingName) || deployed.vars.has(settingName);

  settings(vars, tell);
  const missing = MADE_SECRETS.filter((secretName) => !hasSetting(secretName));
  if (missing.length === 0) tell({ check: "secrets", state: "ok", message: `${MADE_SECRETS.join(", ")} are set.` });
  else tell({ check: "secrets", state: "failed", message: `${missing.join(", ")} missing.`, fix: again });

  /** Runs a step as a plan: anything that it would create is missing. */
  const planned = async <Result>(title: string, doing: (work: Work) => Promise<Result>): Promise<Result | null> => {
    const findings: Finding[] = [];
    const work: Work = {
      cloudflare,
      installation,
      place,
      plan: true,
      tell: (text) => findings.push({ check: title, state: "ok", message: `${text}.` }),
      tellPlanned: (text) => findings.push({ check: title, state: "failed", message: `Missing: ${text}.`, fix: again }),
    };
    const result = await check(title, () => doing(work));
    for (const finding of findings) tell(finding);
    return result;
  };
  const count = Math.max(1, deployed.databases);
  const databaseIds = (await planned("database", (work) => ensureDatabases(work, count))) ?? [];
  for (const [home, id] of databaseIds.entries()) {
    const database = databaseName(installation.database, home);
    const where = count === 1 ? "" : `${database}: `;
    if (id !== null) await check("database", () => databaseSize(signedIn, id, where, tell));
    const late = await planned("migrations", (work) => missingMigrations(work, id, home));
    if (late !== null && late.length > 0) {
      const message = `Not applied${count === 1 ? "" : ` to ${database}`}: ${late.join(", ")}.`;
      tell({ check: "migrations", state: "warning", message, fix: again });
    }
  }
  if (deployed.hasMedia) await planned("bucket", ensureBucket);
  const pages = URL.canParse(vars.DASHBOARD_URL ?? baseUrl) ? new URL(vars.DASHBOARD_URL ?? baseUrl).origin : null;
  if (pages !== null && deployed.hasMedia) await planned("bucket", (work) => ensureCors(work, pages));
  if (deployed.hasImages)
    tell({ check: "images", state: "ok", message: "The Images binding is present: images can be adapted." });
  const queues = (await planned("queues", ensureQueues)) ?? [];
  for (const { queue_id, queue_name } of queues) {
    await check("queues", () => backlog(signedIn, queue_id, queue_name, tell));
  }
  const { configuration } = buildConfiguration(installation, {
    databaseIds: databaseIds.map((id) => id ?? ""),
    vars,
    domains: deployed.domains,
    workersDev: deployed.workersDev,
    hasMedia: deployed.hasMedia,
    hasImages: deployed.hasImages,
    place,
  });
  for (const reason of lacks(deployed, configuration, queues)) {
    const isOld = reason.startsWith("the code");
    const message = isOld ? "The deployed version differs from this checkout." : `${reason}.`;
    tell({ check: "worker", state: isOld ? "warning" : "failed", message, fix: again });
  }
  await health(baseUrl, tell);
  const deployCommand = name === undefined ? `${again} --` : again;
  await examineUploads(
    { vars, has: hasSetting, bucket: installation.bucket, pages, known, again: deployCommand },
    tell,
  );
  if (mailTo !== undefined) {
    const { sendsMail } = deployed;
    await examineMail(
      { to: mailTo, vars, has: hasSetting, sendsMail, name: installation.name, baseUrl, known, again: deployCommand },
      tell,
    );
  }
  if (vars.SIGN_UP !== "invite" && (vars.DEFAULT_PLAN ?? "unlimited") === "unlimited") {
    const message = "Anyone can sign up, on a plan without limits: strangers can fill the bucket and spend your money.";
    tell({ check: "settings", state: "warning", message, fix: `${deployCommand} --set SIGN_UP=invite` });
  }
  await examineApps({ vars, has: hasSetting, name: installation.name, baseUrl, known }, tell);
  for (const { what, how, commands } of toDo({
    has: hasSetting,
    sendsMail: deployed.sendsMail,
    name: installation.name,
    bucket: deployed.hasMedia ? installation.bucket : null,
    hasImages: deployed.hasImages,
    accountId,
    baseUrl,
    provider: vars.OIDC_NAME ?? "google",
    again: deployCommand,
  })) {
    tell({ check: what, state: "warning", message: `Not set up: ${how}.`, fix: commands.join("\n") });
  }
}

/** Applies the Worker's own rules. Secrets cannot be read, so only their presence is checked. */
function settings(vars: Record<string, string>, tell: Tell): void {
  try {
    readSettings(vars);
    tell({ check: "settings", state: "ok", message: "The settings are valid." });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const fix = "npm run deploy -- --set NAME=value; docs/configuration.md lists the settings";
    tell({ check: "settings", state: "failed", message: `${error.message}.`, fix });
  }
}

const DATABASE_FIX = "docs/operations.md, When D1 is full";

async function databaseSize({ cloudflare }: SignedIn, id: string, where: string, tell: Tell): Promise<void> {
  const { file_size: bytes } = await cloudflare.call(z.object({ file_size: z.number() }), "GET", `/d1/database/${id}`);
  const usedFraction = bytes / DATABASE_BYTES_MAX;
  const message = `${where}${(bytes / 1024 ** 2).toFixed(1)} MB, ${Math.round(usedFraction * 100)} % of a database's maximum size.`;
  if (usedFraction < DATABASE_FILLS_AT) tell({ check: "database", state: "ok", message });
  else tell({ check: "database", state: "warning", message, fix: DATABASE_FIX });
}

/** Fixes for the service's own warnings. */
const FIXES = { database_fills: DATABASE_FIX };

const Metrics = z.object({ backlog_count: z.number(), oldest_message_timestamp_ms: z.number().nullish() });

async function backlog({ cloudflare }: SignedIn, id: string, name: string, tell: Tell): Promise<void> {
  const metrics = await cloudflare.call(Metrics, "GET", `/queues/${id}/metrics`);
  const { backlog_count: count, oldest_message_timestamp_ms: oldest } = metrics;
  // 0: the queue is empty.
  const ageMs = count === 0 || !oldest ? 0 : Date.now() - oldest;
  const message = `${name}: ${count} waiting${ageMs > 0 ? `, the oldest for ${Math.round(ageMs / 60_000)} min` : ""}.`;
  if (ageMs < BACKLOG_AGE_MAX_MS) tell({ check: "queues", state: "ok", message });
  else tell({ check: "queues", state: "warning", message, fix: "docs/operations.md, When a queue is stuck" });
}

/** The previous release sent no warnings. */
const Health = readHealth.result.partial({ warnings: true, unavailable_databases: true });

async function health(baseUrl: string, tell: Tell): Promise<void> {
  const failed = (message: string) =>
    tell({
      check: "health",
      state: "failed",
      message,
      fix: `Check the Worker's log: ${DASHBOARD}/?to=/:account/workers`,
    });
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    text = await answer.text();
  } catch (error) {
    return failed(`${baseUrl} does not answer: ${error instanceof Error ? error.message : error}`);
  }
  const body = answer.ok ? Health.safeParse(JSON.parse(text)).data : undefined;
  if (body === undefined) return failed(`${baseUrl}/healthz answered ${answer.status} ${text.slice(0, 500)}`);
  const { version, scheduler, warnings } = body;
  tell({ check: "health", state: "ok", message: `${baseUrl} answers, version ${version}.` });
  for (const { code, message } of warnings ?? []) {
    tell({ check: "health", state: "warning", message, fix: FIXES[code] });
  }
  if (body.unavailable_databases !== undefined && body.unavailable_databases.length > 0) {
    failed(`${body.unavailable_databases.join(", ")} does not answer, so its workspaces have to wait.`);
  }
  if (scheduler.overdue > 0) {
    const message = `${scheduler.overdue} deliveries are overdue, the oldest by ${scheduler.oldest_overdue_seconds} s.`;
    tell({
      check: "health",
      state: "warning",
      message,
      fix: "run npm run audit -- --remote, and check the Worker's log in the Cloudflare dashboard",
    });
  }
  const skewMs = Date.now() - Date.parse(answer.headers.get("date") ?? "");
  if (Math.abs(skewMs) > SKEW_MAX_MS) {
    const message = `This machine's clock is ${Math.round(skewMs / 1_000)} s off the service's.`;
    tell({
      check: "clock",
      state: "warning",
      message,
      fix: "Set the clock: npm run after-restore -- --until depends on it.",
    });
  } else if (!Number.isNaN(skewMs))
    tell({ check: "clock", state: "ok", message: "This machine's clock agrees with the service's." });
}
