// The settings of a deployment, read in one place. docs/configuration.md describes each of them.

import { type AccountPlan, isAccountPlan } from "./domain/account-plan.ts";
import { type ApiVersions, VERSION_SETTINGS, type VersionSetting } from "./domain/api-version.ts";
import { RETENTION_MONTHS_MIN } from "./domain/limits.ts";
import { isJurisdiction, isLocation, JURISDICTIONS, LOCATIONS } from "./domain/place.ts";
import { isPlanName, type PlanName } from "./domain/plan.ts";
import { readAllSealKeys } from "./domain/seal-keys.ts";
import { SettingsError } from "./domain/settings-error.ts";

/** The settings that a deployment may have, as variables or secrets. */
export const SETTINGS = [
  "VERSION",
  "DEAD_LETTER_QUEUE",
  "LOCATION",
  "JURISDICTION",
  "BASE_URL",
  "MEDIA_URL",
  "DASHBOARD_URL",
  "PROVIDER",
  "SANDBOX_URL",
  "DEFAULT_PLAN",
  "ACCOUNT_PLAN",
  "SIGN_UP",
  "OPERATORS",
  "PAUSED",
  "RETENTION_MONTHS",
  "LINKEDIN_VERSION",
  "META_VERSION",
  "YOUTUBE_POSTS_PER_DAY",
  "SEAL_KEYS",
  "SEAL_KEYS_NEXT",
  "PASSWORD_PEPPER",
  "SIGNING_KEY",
  "MAIL_FROM",
  "SMTP_URL",
  "OIDC_NAME",
  "OIDC_ISSUER",
  "OIDC_CLIENT_ID",
  "OIDC_CLIENT_SECRET",
  "S3_ENDPOINT",
  "S3_BUCKET",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "ALLOW_PRIVATE_ADDRESSES",
  "FAST_PASSWORD_HASHES",
  "UPLOAD_CHUNKS_DIVISOR",
  "DEMO_EMAIL",
  "DEMO_PASSWORD",
] as const;

/** The credentials of our app at a network, by the platform's name in capitals. */
type AppSettings = Partial<Record<`${string}_CLIENT_ID` | `${string}_CLIENT_SECRET` | `${string}_SCOPES`, string>>;

export type SettingValues = AppSettings & Partial<Record<(typeof SETTINGS)[number], string>>;

export interface Settings {
  version: string;
  /** Without a trailing slash. */
  baseUrl: string;
  provider: "live" | "sandbox";
  /** The address of the simulators; only in the sandbox. */
  sandboxUrl: string | null;
  defaultPlan: PlanName;
  /** The addresses of the people who operate this deployment. They count once they are verified. */
  operators: readonly string[];
  /** Whether sign-up is open to everybody or, after the first account, by invitation only. */
  signUp: "open" | "invite";
  /** The plan of the Cloudflare account; `free` has lower limits for each invocation. */
  accountPlan: AccountPlan;
  /** How long finished posts stay in the database; null: forever. */
  retentionMonths: number | null;
  /** The API version of each network, for its calls. */
  apiVersions: ApiVersions;
  /** Our app's daily post limit at a network, by platform name, if the network granted more than usual. */
  appPostsPerDay: Readonly<Partial<Record<string, number>>>;
  /** Master keys by id; the last one is active. */
  sealKeys: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  passwordPepper: string;
  /** null if a part is missing, in which case uploads are unavailable. */
  bucket: {
    endpoint: string;
    bucket: string;
    accessKeyId: string;
    secretAccessKey: string;
    mediaUrl: string;
  } | null;
  /** Our app at a network; null if it is not configured. */
  appOf(platform: string): AppCredentials | null;
  allowPrivateAddresses: boolean;
  /** Uses a very cheap password hash; only in the sandbox. */
  fastPasswordHashes: boolean;
  /** Divides the size of upload chunks: 1, except in the sandbox. */
  uploadChunksDivisor: number;
  /** The account that the start page signs everybody in to; only in the sandbox. */
  demo: { email: string; password: string } | null;
  /** The address for links in mails and after signing in. Without a trailing slash. */
  dashboardUrl: string;
  /** null if not configured. `smtpUrl` null: Cloudflare's email binding sends the mail. */
  mail: { from: string; smtpUrl: URL | null } | null;
  /** null if not configured. */
  idp: { name: string; issuer: string; clientId: string; clientSecret: string; signingKey: string } | null;
}

/** Whether a setting is turned on. */
export const isOn = (value: string | undefined) => ["1", "true", "on"].includes(value ?? "");

const withoutSlash = (url: string) => url.replace(/\/+$/, "");

/** The key must be at least as long as the output of the hash (SHA-256). */
const SIGNING_KEY_BYTES_MIN = 32;

/**
 * Whether an address can only mean this machine or a test: a loopback address, `localhost`, or a name under `.localhost` or
 * `.test`, which are reserved and never assigned in the public domain name system (RFC 6761). Settings that would be unsafe
 * elsewhere (http, simulators, private addresses, weak password hashes) are accepted only for such addresses.
 */
function isLocalAddress(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(127(\.\d{1,3}){3}|\[::1\]|localhost|.+\.(localhost|test))$/.test(hostname);
}

function readAddress(name: string, url: string): string {
  const web = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!web) throw new SettingsError(`${name} must be an http or https address`);
  if (new URL(url).protocol === "http:" && !isLocalAddress(url)) {
    throw new SettingsError(
      `${name} must be an https address; http is for loopback and names under .localhost and .test`,
    );
  }
  return withoutSlash(url);
}

/** Reads the settings, and whether the bindings exist. Throws `SettingsError` that names the invalid setting. */
export function readSettings(env: SettingValues & { MEDIA?: unknown; EMAIL?: unknown }): Settings {
  if (isOn(env.PAUSED)) throw new SettingsError("PAUSED is set: nothing is answered and nothing is published");
  const baseUrl = readAddress("BASE_URL", env.BASE_URL ?? "http://localhost:8787");
  const isLocal = new URL(baseUrl).protocol === "http:";
  const provider = env.PROVIDER ?? "live";
  if (provider !== "live" && provider !== "sandbox") throw new SettingsError("PROVIDER must be `live` or `sandbox`");
  if (provider === "sandbox" && !env.SANDBOX_URL) throw new SettingsError("PROVIDER=sandbox needs SANDBOX_URL");
  if (provider === "sandbox" && !isLocal) {
    throw new SettingsError("PROVIDER=sandbox is for local runs and refused together with an https BASE_URL");
  }
  const defaultPlan = env.DEFAULT_PLAN ?? "unlimited";
  if (!isPlanName(defaultPlan)) throw new SettingsError("DEFAULT_PLAN must be `free`, `pro` or `unlimited`");
  const accountPlan = env.ACCOUNT_PLAN ?? "paid";
  if (!isAccountPlan(accountPlan)) throw new SettingsError("ACCOUNT_PLAN must be `free` or `paid`");
  const signUp = env.SIGN_UP ?? "open";
  if (signUp !== "open" && signUp !== "invite") throw new SettingsError("SIGN_UP must be `open` or `invite`");
  if (env.LOCATION && !isLocation(env.LOCATION))
    throw new SettingsError(`LOCATION must be one of ${LOCATIONS.join(", ")}`);
  // In another jurisdiction, the same names identify other Durable Objects, which lack the stored data.
  if (env.JURISDICTION && !isJurisdiction(env.JURISDICTION)) {
    throw new SettingsError(`JURISDICTION must be one of ${JURISDICTIONS.join(", ")}`);
  }
  const allowPrivateAddresses = isOn(env.ALLOW_PRIVATE_ADDRESSES);
  if (allowPrivateAddresses && !isLocal) {
    throw new SettingsError("ALLOW_PRIVATE_ADDRESSES is for local runs and refused together with an https BASE_URL");
  }
  const fastPasswordHashes = isOn(env.FAST_PASSWORD_HASHES);
  if (fastPasswordHashes && (provider !== "sandbox" || !isLocal)) {
    throw new SettingsError("FAST_PASSWORD_HASHES is for tests and needs PROVIDER=sandbox and an http BASE_URL");
  }
  const uploadChunksDivisor = Number(env.UPLOAD_CHUNKS_DIVISOR ?? "1");
  if (![1, 2, 4, 8, 16, 32, 64].includes(uploadChunksDivisor)) {
    throw new SettingsError("UPLOAD_CHUNKS_DIVISOR must be a power of 2 up to 64");
  }
  if (uploadChunksDivisor !== 1 && provider !== "sandbox") {
    throw new SettingsError("UPLOAD_CHUNKS_DIVISOR is for tests and needs PROVIDER=sandbox");
  }
  const { DEMO_EMAIL, DEMO_PASSWORD } = env;
  if (DEMO_PASSWORD && provider !== "sandbox") {
    throw new SettingsError("DEMO_PASSWORD lets anybody in and needs PROVIDER=sandbox");
  }
  if (env.SIGNING_KEY && new TextEncoder().encode(env.SIGNING_KEY).byteLength < SIGNING_KEY_BYTES_MIN) {
    throw new SettingsError(`SIGNING_KEY must have at least ${SIGNING_KEY_BYTES_MIN} bytes`);
  }
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, MEDIA_URL } = env;
  const bucket =
    env.MEDIA && S3_ENDPOINT && S3_BUCKET && S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY && MEDIA_URL
      ? {
          endpoint: readAddress("S3_ENDPOINT", S3_ENDPOINT),
          bucket: S3_BUCKET,
          accessKeyId: S3_ACCESS_KEY_ID,
          secretAccessKey: S3_SECRET_ACCESS_KEY,
          mediaUrl: readAddress("MEDIA_URL", MEDIA_URL),
        }
      : null;
  return {
    version: env.VERSION ?? "dev",
    baseUrl,
    provider,
    sandboxUrl: provider === "sandbox" && env.SANDBOX_URL ? withoutSlash(env.SANDBOX_URL) : null,
    defaultPlan,
    accountPlan,
    signUp,
    operators: (env.OPERATORS ?? "")
      .split(",")
      .map((email) => email.trim().toLowerCase())
      .filter((email) => email !== ""),
    retentionMonths: readRetention(env.RETENTION_MONTHS),
    apiVersions: readApiVersions(env),
    appPostsPerDay: readPostsPerDay(env.YOUTUBE_POSTS_PER_DAY),
    sealKeys: readAllSealKeys(env),
    passwordPepper: env.PASSWORD_PEPPER ?? "",
    bucket,
    appOf: (platform) => readApp(env, platform, provider === "sandbox"),
    allowPrivateAddresses,
    fastPasswordHashes,
    uploadChunksDivisor,
    demo: DEMO_EMAIL && DEMO_PASSWORD ? { email: DEMO_EMAIL, password: DEMO_PASSWORD } : null,
    dashboardUrl: readAddress("DASHBOARD_URL", env.DASHBOARD_URL ?? baseUrl),
    mail: readMail(env),
    idp: readIdp(env),
  };
}

function readRetention(text: string | undefined): number | null {
  if (!text) return null;
  const months = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (months < RETENTION_MONTHS_MIN) {
    throw new SettingsError(`RETENTION_MONTHS must be a whole number from ${RETENTION_MONTHS_MIN} on`);
  }
  return months;
}

function readApiVersions(env: SettingValues): ApiVersions {
  const read = (name: VersionSetting): string | null => {
    const version = env[name];
    if (!version) return null;
    const { shape, description } = VERSION_SETTINGS[name];
    if (!shape.test(version)) throw new SettingsError(`${name} must be ${description}`);
    return version;
  };
  return { LINKEDIN_VERSION: read("LINKEDIN_VERSION"), META_VERSION: read("META_VERSION") };
}

function readPostsPerDay(text: string | undefined): Settings["appPostsPerDay"] {
  if (!text) return {};
  const setting = "YOUTUBE_POSTS_PER_DAY";
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new SettingsError(`${setting} must be a whole number from 1 on`);
  const [platform = ""] = setting.toLowerCase().split("_");
  return { [platform]: Number(text) };
}

interface AppCredentials {
  clientId: string;
  clientSecret: string;
  /** null: the default scopes. */
  scopes: string[] | null;
}

/** The simulators accept any app, so the sandbox needs no configuration. */
function readApp(env: SettingValues, platform: string, sandbox: boolean): AppCredentials | null {
  const clientId = env[`${platform.toUpperCase()}_CLIENT_ID`];
  const clientSecret = env[`${platform.toUpperCase()}_CLIENT_SECRET`];
  const scopes = env[`${platform.toUpperCase()}_SCOPES`]?.split(/[\s,]+/).filter((scope) => scope !== "") ?? null;
  if (clientId && clientSecret) return { clientId, clientSecret, scopes };
  return sandbox ? { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes } : null;
}

function readMail(env: SettingValues & { EMAIL?: unknown }): Settings["mail"] {
  const { MAIL_FROM, SMTP_URL, EMAIL } = env;
  if (!MAIL_FROM || (!SMTP_URL && !EMAIL)) return null;
  if (!SMTP_URL) return { from: MAIL_FROM, smtpUrl: null };
  const smtpUrl = URL.canParse(SMTP_URL) ? new URL(SMTP_URL) : null;
  if (smtpUrl === null || !/^smtps?:$/.test(smtpUrl.protocol)) {
    throw new SettingsError("SMTP_URL must be smtp://user:password@host:port, or smtps:// for TLS from the start");
  }
  return { from: MAIL_FROM, smtpUrl };
}

function readIdp(env: SettingValues): Settings["idp"] {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    SIGNING_KEY: signingKey,
  } = env;
  if (!issuer || !clientId || !clientSecret || !signingKey) return null;
  return { name: env.OIDC_NAME ?? "google", issuer, clientId, clientSecret, signingKey };
}
