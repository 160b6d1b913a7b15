// Generated secrets. They are created once, passed to wrangler on standard input, and never printed or changed.
import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import * as z from "zod";
import { DeployFailure } from "./failure.ts";
import { query, type Work } from "./resources.ts";

const KEY_BYTES = 32;
const random = () => randomBytes(KEY_BYTES).toString("base64");

const MADE: Record<string, () => string> = {
  SEAL_KEYS: () => JSON.stringify({ [new Date().toISOString().slice(0, 10)]: random() }),
  PASSWORD_PEPPER: random,
  SIGNING_KEY: random,
};

/** The secrets that a deploy generates if they are missing. */
export const MADE_SECRETS = Object.keys(MADE);

/** Secrets without which stored data cannot be read. */
const IRREPLACEABLE = ["SEAL_KEYS", "PASSWORD_PEPPER"];

interface Secrets {
  /** The names of the Worker's secrets. */
  present: ReadonlySet<string>;
  /** null if the database is only planned. */
  databaseId: string | null;
  /** The file that provides secrets and stores generated ones. */
  file: string | undefined;
  /** Sets secrets of the Worker, which need not exist yet. */
  put(json: string): Promise<unknown>;
}

/**
 * Sets the secrets that the Worker lacks: all of those in `file`, and generated ones for the rest. Returns the resulting
 * names.
 */
export async function ensureSecrets(work: Work, { present, databaseId, file, put }: Secrets): Promise<Set<string>> {
  const fileSecrets = file === undefined ? {} : await readSecrets(file);
  const generatedNames = MADE_SECRETS.filter((name) => !present.has(name) && !(name in fileSecrets));
  const fromFile = Object.keys(fileSecrets).filter((name) => !present.has(name));
  if (generatedNames.length + fromFile.length === 0) {
    work.tell(`${MADE_SECRETS.join(", ")} are set`);
    return new Set(present);
  }
  if (work.plan) {
    if (fromFile.length > 0) work.tellPlanned(`${fromFile.join(", ")} would be set from ${file}`);
    if (generatedNames.length > 0) work.tellPlanned(`${generatedNames.join(", ")} would be generated`);
    return new Set([...present, ...fromFile, ...generatedNames]);
  }
  if (generatedNames.some((name) => IRREPLACEABLE.includes(name)) && databaseId !== null) {
    await refuseWithAccounts(work, databaseId, generatedNames);
  }
  const values = { ...fileSecrets, ...Object.fromEntries(generatedNames.map((name) => [name, MADE[name]?.() ?? ""])) };
  // Saved first, because a secret that is set but not saved can never be read again.
  if (file !== undefined && generatedNames.length > 0) await keepSecrets(file, values);
  const lacking = [...fromFile, ...generatedNames];
  await put(JSON.stringify(Object.fromEntries(lacking.map((name) => [name, values[name]]))));
  work.tell(`${lacking.join(", ")} set`);
  return new Set([...present, ...lacking]);
}

/** New keys would make data sealed with the old keys permanently unreadable. */
async function refuseWithAccounts({ cloudflare, installation }: Work, databaseId: string, generatedNames: string[]) {
  const rows = await query(cloudflare, databaseId, "SELECT 1 AS one FROM users LIMIT 1");
  if (rows.length === 0) return;
  const lost = generatedNames.filter((name) => IRREPLACEABLE.includes(name));
  throw new DeployFailure(
    `The database has accounts, but the Worker has no ${lost.join(" and no ")}. New secrets could not open data that was sealed with the old ones.`,
    `Set the old secrets: ${lost.map((name) => `npx wrangler secret put ${name} --name ${installation.name}`).join(" and ")}`,
  );
}

const Kept = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string().min(1));

/** The secrets in a file; empty if there is no file. */
export async function readSecrets(file: string): Promise<Record<string, string>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message would quote the file.
    throw unreadable(file, "it is not JSON");
  }
  const { data } = Kept.safeParse(value);
  if (data === undefined) throw unreadable(file, "it is not a JSON object that maps capitalized names to strings");
  return data;
}

const unreadable = (file: string, reason: string) =>
  new DeployFailure(`The secrets cannot be read from ${file}: ${reason}.`, 'Write them as { "NAME": "value" }.');

async function keepSecrets(file: string, values: Record<string, string>): Promise<void> {
  const path = resolve(file);
  const half = `${path}.new`;
  await writeFile(half, `${JSON.stringify(values, null, 2)}\n`, { mode: 0o600 });
  await rename(half, path);
}
