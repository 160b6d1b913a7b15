// The fixtures of deploy tests, and functions that read what was deployed.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { ROOT } from "../documents/markdown.ts";
import { copyProject, type Project } from "./project.ts";
import { type StandIn, startStandIn } from "./server.ts";
import type { Account } from "./state.ts";

export async function startCloud({ onTestFinished }: TestContext): Promise<StandIn> {
  const standIn = await startStandIn();
  onTestFinished(() => standIn.close());
  return standIn;
}
export async function makeProject({ onTestFinished }: TestContext): Promise<Project> {
  const copy = await copyProject();
  onTestFinished(() => copy.remove());
  return copy;
}

export const MIGRATIONS = readdirSync(join(ROOT, "migrations")).sort();
export const SECRETS = ["PASSWORD_PEPPER", "SEAL_KEYS", "SIGNING_KEY"];

export const readDeployedSecrets = (account: Account, name = "crier") =>
  Object.fromEntries(
    (account.getDeployed(name)?.bindings ?? []).flatMap(({ name, type, text = "" }) =>
      type === "secret_text" ? [[name, text]] : [],
    ),
  );
export const readDeployedSettings = (account: Account, name = "crier") =>
  Object.fromEntries(
    (account.getDeployed(name)?.bindings ?? []).flatMap(({ name, type, text = "" }) =>
      type === "plain_text" ? [[name, text]] : [],
    ),
  );

/** Summarizes an installation without ids, secrets and the number of uploads, which differ between equal installations. */
export function summarize(account: Account) {
  return {
    subdomain: account.subdomain,
    databases: account.databases.map(({ name, sqlite }) => ({
      name,
      tables: sqlite.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all(),
      migrations: sqlite.prepare("SELECT name FROM d1_migrations ORDER BY id").all(),
    })),
    buckets: [...account.buckets],
    queues: account.queues.map(({ queue_name, consumers }) => ({
      queue_name,
      consumers: consumers.map(({ consumer_id, ...consumer }) => consumer),
    })),
    workers: [...account.workers].map(([name, { crons, subdomain, migrationTag }]) => ({
      name,
      crons,
      subdomain,
      migrationTag,
      bindings: account
        .getDeployed(name)
        ?.bindings.map(({ id, text, ...binding }) => ({ ...binding, text: binding.type === "secret_text" ? "" : text }))
        .map((binding) => JSON.stringify(binding, Object.keys(binding).sort()))
        .map((text) => text.replace(/"text":"[^"]*\+[0-9a-f]{12}\.[0-9a-f]{6}"/, '"text":"version"'))
        .sort(),
    })),
    domains: account.domains,
  };
}
