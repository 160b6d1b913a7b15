// The service's address and the key: from a flag, else the environment, else the file. The key is never printed.
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { notSignedIn, usage } from "../failure.ts";

interface Stored {
  url: string;
  key: string;
}

export interface Config {
  file: string;
  /** null: none was given. */
  url: string | null;
  urlFrom: string | null;
  /** null: no key is stored for this address. */
  key: string | null;
  keyFrom: string | null;
  /** Problems with the file that were found and fixed. */
  warnings: string[];
}

/** `$XDG_CONFIG_HOME/crier`, or `~/.config/crier`. */
export function configFile(env: NodeJS.ProcessEnv): string {
  const folder = env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : join(env.HOME ?? homedir(), ".config");
  return join(folder, "crier");
}

/** Reads the service's address: http or https, without query, fragment and trailing slashes. */
export function readAddress(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usage(`${from} is not an http or https address.`, "write it like https://crier.example.com");
  }
  if (url.username !== "" || url.password !== "") throw usage(`${from} must not contain a user name or a password.`);
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** A key from the file is sent only to the address that it was stored with. */
export async function readConfig(flagUrl: string | undefined, env: NodeJS.ProcessEnv): Promise<Config> {
  const file = configFile(env);
  const warnings: string[] = [];
  const stored = await readStored(file, warnings);
  const envUrl = env.CRIER_URL || undefined;
  const [url, urlFrom] =
    flagUrl !== undefined
      ? [readAddress(flagUrl, "--url"), "--url"]
      : envUrl !== undefined
        ? [readAddress(envUrl, "CRIER_URL"), "CRIER_URL"]
        : [stored?.url ?? null, stored === null ? null : file];
  const envKey = env.CRIER_API_KEY || undefined;
  if (envKey !== undefined) return { file, url, urlFrom, key: checkKey(envKey), keyFrom: "CRIER_API_KEY", warnings };
  const isForHere = stored !== null && stored.url === url;
  return { file, url, urlFrom, key: isForHere ? stored.key : null, keyFrom: isForHere ? file : null, warnings };
}

/** Checks that a key can be sent in a header. Only the service can say whether it is valid. */
export function checkKey(text: string): string {
  const key = text.trim();
  if (key === "") throw usage("The key is empty.");
  if (!/^[\x21-\x7e]{1,500}$/.test(key)) throw usage("The key contains invalid characters.");
  return key;
}

export function requireUrl({ url }: Config): string {
  if (url !== null) return url;
  throw usage(
    "The address of the service is not set.",
    "crier login --url https://crier.example.com, or set CRIER_URL",
  );
}

export function requireKey(config: Config): string {
  if (config.key !== null) return config.key;
  throw notSignedIn(config.url === null ? "Not signed in." : `Not signed in at ${config.url}.`);
}

/** The file is readable by its owner only, and never half-written. */
export async function storeConfig(file: string, stored: Stored): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw usage(
      `${file} cannot be written: ${error instanceof Error ? error.message : error}`,
      "set XDG_CONFIG_HOME to a folder that can be written, or set CRIER_API_KEY and CRIER_URL and do not sign in",
    );
  }
}

/** Returns whether there was a file. */
export async function removeConfig(file: string): Promise<boolean> {
  const existed = (await stat(file).catch(() => null)) !== null;
  await rm(file, { force: true });
  return existed;
}

async function readStored(file: string, warnings: string[]): Promise<Stored | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return null;
    throw usage(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const { mode } = await stat(file);
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    const mended = await chmod(file, 0o600).then(
      () => true,
      () => false,
    );
    warnings.push(
      mended
        ? `${file} could be read by other users; its mode is now 600. If other people use this machine, rotate the key.`
        : `${file} can be read by other users, and its mode cannot be changed.`,
    );
  }
  try {
    const stored: unknown = JSON.parse(text);
    if (typeof stored === "object" && stored !== null && "url" in stored && "key" in stored) {
      const { url, key } = stored;
      if (typeof url === "string" && typeof key === "string")
        return { url: readAddress(url, file), key: checkKey(key) };
    }
  } catch {
    // Not JSON, or no valid address or key: the error is thrown below.
  }
  throw usage(`${file} is not a crier configuration file.`, `crier logout removes it; crier login writes a new one`);
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
