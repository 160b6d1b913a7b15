// Bindings and settings, read in one place. The README lists what each setting turns on.
import type { Job } from "./domain/job.ts";
import { isPlanName, type PlanName } from "./domain/plan.ts";

/** The calls that a clock object answers. */
export interface ClockRpc extends Rpc.DurableObjectBranded {
  arm(workspace: string, entries: ClockEntry[]): Promise<void>;
}
/** A channel that has work at an instant (epoch milliseconds). */
export interface ClockEntry {
  at: number;
  channel: string;
}
/** The calls that the sweeper object answers. */
export interface SweeperRpc extends Rpc.DurableObjectBranded {
  ensure(): Promise<void>;
}

/** The settings that a deployment may have, as variables or secrets. */
export const SETTINGS = [
  "VERSION",
  "BASE_URL",
  "MEDIA_URL",
  "PROVIDER",
  "SANDBOX_URL",
  "DEFAULT_PLAN",
  "SEAL_KEYS",
  "PASSWORD_PEPPER",
  "S3_ENDPOINT",
  "S3_BUCKET",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "ALLOW_PRIVATE_ADDRESSES",
] as const;

export interface Env extends Partial<Record<(typeof SETTINGS)[number], string>> {
  DB: D1Database;
  MEDIA?: R2Bucket;
  QUEUE: Queue<Job>;
  CLOCK: DurableObjectNamespace<ClockRpc>;
  SWEEPER: DurableObjectNamespace<SweeperRpc>;
}

export interface Settings {
  version: string;
  /** No slash at the end. */
  baseUrl: string;
  provider: "live" | "sandbox";
  /** Where the simulators answer; only in the sandbox. */
  sandboxUrl: string | null;
  defaultPlan: PlanName;
  /** Master keys by id; the last one is active. */
  sealKeys: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  passwordPepper: string;
  /** null when a part is missing: then nothing can be uploaded. */
  bucket: {
    endpoint: string;
    bucket: string;
    accessKeyId: string;
    secretAccessKey: string;
    mediaUrl: string;
  } | null;
  allowPrivateAddresses: boolean;
}

/** A setting that makes no sense: the deployment answers nothing until it is mended. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

const withoutSlash = (url: string) => url.replace(/\/+$/, "");

/** Reads the settings. Throws `SettingsError` naming the setting that makes no sense. */
export function readSettings(env: Env): Settings {
  const baseUrl = withoutSlash(env.BASE_URL ?? "http://localhost:8787");
  const provider = env.PROVIDER ?? "live";
  if (provider !== "live" && provider !== "sandbox") throw new SettingsError("PROVIDER must be `live` or `sandbox`");
  if (provider === "sandbox" && !env.SANDBOX_URL) throw new SettingsError("PROVIDER=sandbox needs SANDBOX_URL");
  const defaultPlan = env.DEFAULT_PLAN ?? "unlimited";
  if (!isPlanName(defaultPlan)) throw new SettingsError("DEFAULT_PLAN must be `free`, `pro` or `unlimited`");
  const allowPrivateAddresses = ["1", "true", "on"].includes(env.ALLOW_PRIVATE_ADDRESSES ?? "");
  if (allowPrivateAddresses && baseUrl.startsWith("https:")) {
    throw new SettingsError("ALLOW_PRIVATE_ADDRESSES is for local runs and refused together with an https BASE_URL");
  }
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, MEDIA_URL } = env;
  const bucket =
    env.MEDIA && S3_ENDPOINT && S3_BUCKET && S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY && MEDIA_URL
      ? {
          endpoint: withoutSlash(S3_ENDPOINT),
          bucket: S3_BUCKET,
          accessKeyId: S3_ACCESS_KEY_ID,
          secretAccessKey: S3_SECRET_ACCESS_KEY,
          mediaUrl: withoutSlash(MEDIA_URL),
        }
      : null;
  return {
    version: env.VERSION ?? "dev",
    baseUrl,
    provider,
    sandboxUrl: provider === "sandbox" && env.SANDBOX_URL ? withoutSlash(env.SANDBOX_URL) : null,
    defaultPlan,
    sealKeys: readSealKeys(env.SEAL_KEYS),
    passwordPepper: env.PASSWORD_PEPPER ?? "",
    bucket,
    allowPrivateAddresses,
  };
}

function readSealKeys(text: string | undefined): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const keys = new Map<string, Uint8Array<ArrayBuffer>>();
  if (!text) return keys;
  const wrong = () => new SettingsError('SEAL_KEYS must be JSON: { "<key id>": "<base64 of 32 bytes>" }');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong();
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw wrong();
  for (const [kid, base64] of Object.entries(parsed)) {
    if (!/^[A-Za-z0-9_-]{1,40}$/.test(kid) || typeof base64 !== "string" || !/^[A-Za-z0-9+/]{43}=$/.test(base64))
      throw wrong();
    keys.set(
      kid,
      Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
    );
  }
  return keys;
}
