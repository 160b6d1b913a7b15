// What a test of the deploy has at hand, and how it looks at what was deployed.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { ROOT } from "../documents/markdown.ts";
import { copyProject, type Project } from "./project.ts";
import { type StandIn, startStandIn } from "./server.ts";
import type { Account } from "./state.ts";

export async function cloud({ onTestFinished }: TestContext): Promise<StandIn> {
  const standIn = await startStandIn();
  onTestFinished(() => standIn.close());
  return standIn;
}
export async function project({ onTestFinished }: TestContext): Promise<Project> {
  const copy = await copyProject();
  onTestFinished(() => copy.remove());
  return copy;
}

export const MIGRATIONS = readdirSync(join(ROOT, "migrations")).sort();
export const SECRETS = ["PASSWORD_PEPPER", "SEAL_KEYS", "SIGNING_KEY"];

export const secretsOf = (account: Account, name = "crier") =>
  Object.fromEntries(
    (account.answering(name)?.bindings ?? []).flatMap(({ name, type, text = "" }) =>
      type === "secret_text" ? [[name, text]] : [],
    ),
  );
export const settingsOf = (account: Account, name = "crier") =>
  Object.fromEntries(
    (account.answering(name)?.bindings ?? []).flatMap(({ name, type, text = "" }) =>
      type === "plain_text" ? [[name, text]] : [],
    ),
  );

/** An installation without what differs between two that are the same: ids, secrets, and how often was uploaded. */
export function essence(account: Account) {
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
        .answering(name)
        ?.bindings.map(({ id, text, ...one }) => ({ ...one, text: one.type === "secret_text" ? "" : text }))
        .map((one) => JSON.stringify(one, Object.keys(one).sort()))
        .map((text) => text.replace(/"text":"[^"]*\+[0-9a-f]{12}\.[0-9a-f]{6}"/, '"text":"version"'))
        .sort(),
    })),
    domains: account.domains,
  };
}
