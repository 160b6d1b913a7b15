import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { startWorker } from "../../scripts/local/worker-process.ts";
import { networks } from "../../src/networks/index.ts";
import { readSettings } from "../../src/settings.ts";

const SANDBOX = { PROVIDER: "sandbox", SANDBOX_URL: "http://127.0.0.1:8788", BASE_URL: "http://127.0.0.1:8787" };
const DEPLOYED = { BASE_URL: "https://crier.dev" };

it("fast password hashes are allowed only by their setting, and only in local runs against simulators", () => {
  expect(readSettings({}).fastPasswordHashes).toBe(false);
  expect(readSettings(SANDBOX).fastPasswordHashes).toBe(false);
  expect(readSettings({ ...SANDBOX, FAST_PASSWORD_HASHES: "1" }).fastPasswordHashes).toBe(true);
  const refused = "FAST_PASSWORD_HASHES is for tests";
  const { BASE_URL } = SANDBOX;
  expect(() => readSettings({ BASE_URL, FAST_PASSWORD_HASHES: "1" })).toThrow(refused);
  expect(() => readSettings({ ...DEPLOYED, FAST_PASSWORD_HASHES: "1" })).toThrow(refused);
});

it("finished posts are kept without a limit, or for a whole number of months", () => {
  expect(readSettings({}).retentionMonths).toBeNull();
  expect(readSettings({ RETENTION_MONTHS: "" }).retentionMonths).toBeNull();
  expect(readSettings({ RETENTION_MONTHS: "12" }).retentionMonths).toBe(12);
  for (const RETENTION_MONTHS of ["0", "1", "-3", "2.5", "12 months", "99999", "1e3"])
    expect(() => readSettings({ RETENTION_MONTHS }), RETENTION_MONTHS).toThrow("RETENTION_MONTHS must be");
});

it.each(networks.filter(({ consent }) => consent !== undefined).map(({ rule }) => [rule.platform]))(
  "reads the scopes of %s, separated by spaces or commas",
  (platform) => {
    const name = platform.toUpperCase();
    const app = { [`${name}_CLIENT_ID`]: "id", [`${name}_CLIENT_SECRET`]: "secret" };
    const { appOf } = readSettings({ ...app, [`${name}_SCOPES`]: "one, two  three" });
    expect(appOf(platform)).toEqual({ clientId: "id", clientSecret: "secret", scopes: ["one", "two", "three"] });
    expect(readSettings(app).appOf(platform)).toMatchObject({ scopes: null });
  },
);

it("reads a network's daily limit of posts for the app, if the network granted more than its default", () => {
  expect(readSettings({ YOUTUBE_POSTS_PER_DAY: "" }).appPostsPerDay).toEqual({});
  expect(readSettings({ YOUTUBE_POSTS_PER_DAY: "10000" }).appPostsPerDay).toEqual({ youtube: 10_000 });
  for (const YOUTUBE_POSTS_PER_DAY of ["0", "-1", "1.5", "many", "1e3"])
    expect(() => readSettings({ YOUTUBE_POSTS_PER_DAY }), YOUTUBE_POSTS_PER_DAY).toThrow("YOUTUBE_POSTS_PER_DAY");
});

it("the version of a network's API is the built-in one unless a setting names another", () => {
  expect(readSettings({ META_VERSION: "" }).apiVersions).toEqual({ LINKEDIN_VERSION: null, META_VERSION: null });
  const versions = { LINKEDIN_VERSION: "202610", META_VERSION: "v26.0" };
  expect(readSettings(versions).apiVersions).toEqual(versions);
});

it("parts of uploads are smaller only by their setting, and only against simulators", () => {
  expect(readSettings({}).uploadChunksDivisor).toBe(1);
  expect(readSettings(SANDBOX).uploadChunksDivisor).toBe(1);
  expect(readSettings({ ...SANDBOX, UPLOAD_CHUNKS_DIVISOR: "64" }).uploadChunksDivisor).toBe(64);
  for (const UPLOAD_CHUNKS_DIVISOR of ["0", "3", "128", "-1", "", "x"])
    expect(() => readSettings({ ...SANDBOX, UPLOAD_CHUNKS_DIVISOR })).toThrow("UPLOAD_CHUNKS_DIVISOR must be");
  expect(() => readSettings({ ...DEPLOYED, UPLOAD_CHUNKS_DIVISOR: "2" })).toThrow("UPLOAD_CHUNKS_DIVISOR is for tests");
});

describe("insecure settings", () => {
  it.each([
    "http://127.0.0.1:8787",
    "http://127.1.2.3",
    "http://[::1]:8787",
    "http://localhost:8787",
    "http://crier.localhost",
    "http://crier.test",
  ])("insecure settings are accepted at the local address %s", (BASE_URL) => {
    const { baseUrl } = readSettings({ ...SANDBOX, BASE_URL, ALLOW_PRIVATE_ADDRESSES: "1" });
    expect(baseUrl).toBe(BASE_URL);
  });

  it.each([
    "http://crier.dev",
    "http://127.0.0.1.crier.dev",
    "http://localhost.crier.dev",
    "http://test",
    "http://crier.tests",
    "http://192.168.0.1",
    "http://[::ffff:127.0.0.1]",
  ])("the http address %s is refused", (address) => {
    expect(() => readSettings({ BASE_URL: address })).toThrow("BASE_URL must be an https address");
    expect(() => readSettings({ ...DEPLOYED, DASHBOARD_URL: address })).toThrow(
      "DASHBOARD_URL must be an https address",
    );
  });
});

it.each<[string, Record<string, string>, string]>([
  ["a pause", { PAUSED: "1" }, "PAUSED is set: nothing is answered and nothing is published"],
  ["an invalid address", { BASE_URL: "crier.dev" }, "BASE_URL must be an http or https address"],
  [
    "a script as the dashboard's address",
    { DASHBOARD_URL: "javascript:alert(1)" },
    "DASHBOARD_URL must be an http or https",
  ],
  ["a short signing key", { SIGNING_KEY: "x".repeat(31) }, "SIGNING_KEY must have at least 32 bytes"],
  ["simulators in a deployment", { ...SANDBOX, ...DEPLOYED }, "PROVIDER=sandbox is for local runs"],
  [
    "a version whose month does not exist",
    { LINKEDIN_VERSION: "202613" },
    "LINKEDIN_VERSION must be a year and a month",
  ],
  ["a version without its v", { META_VERSION: "25.0" }, "META_VERSION must be a version of the Graph API"],
  ["private addresses", { ...DEPLOYED, ALLOW_PRIVATE_ADDRESSES: "1" }, "ALLOW_PRIVATE_ADDRESSES is for local runs"],
])("%s is refused with the name of the setting, and without its value", (_setting, settings, reason) => {
  expect(() => readSettings(settings)).toThrow(reason);
});

describe("a sealing key in SEAL_KEYS_NEXT", () => {
  const key = (byte: string) => btoa(byte.repeat(32));
  const keys = (value: object) => JSON.stringify(value);
  const sealKeys = (SEAL_KEYS: object, SEAL_KEYS_NEXT: object) => [
    ...readSettings({ SEAL_KEYS: keys(SEAL_KEYS), SEAL_KEYS_NEXT: keys(SEAL_KEYS_NEXT) }).sealKeys.keys(),
  ];

  it("the key of SEAL_KEYS_NEXT is the last key, with which values are sealed", () => {
    expect(sealKeys({ first: key("1"), second: key("2") }, { third: key("3") })).toEqual(["first", "second", "third"]);
  });

  it("a sealing key may be in both settings while it moves from one to the other, with the same value", () => {
    expect(sealKeys({ third: key("3"), first: key("1") }, { third: key("3") })).toEqual(["first", "third"]);
    expect(() => sealKeys({ third: key("3") }, { third: key("4") })).toThrow("under the same id with another value");
  });

  it("invalid JSON in SEAL_KEYS_NEXT is refused with the name of that setting", () => {
    expect(() => readSettings({ SEAL_KEYS_NEXT: "{" })).toThrow("SEAL_KEYS_NEXT must be JSON");
  });
});

it("the length of a signing key is measured in bytes", () => {
  expect(() => readSettings({ SIGNING_KEY: "ü".repeat(16) })).not.toThrow();
});

it("a local run with an invalid setting does not start, and gives the reason", async () => {
  const stateFolder = await mkdtemp(join(tmpdir(), "crier-settings-"));
  vi.stubEnv("BASE_URL", "http://crier.dev");
  try {
    const start = startWorker({ port: 8787, sandboxUrl: SANDBOX.SANDBOX_URL, stateFolder });
    await expect(start).rejects.toThrow("BASE_URL must be an https address");
  } finally {
    vi.unstubAllEnvs();
    await rm(stateFolder, { recursive: true });
  }
});

it("a demo account is allowed only against simulators", () => {
  const demo = { DEMO_EMAIL: "demo@crier.example", DEMO_PASSWORD: "open to all" };
  expect(readSettings(SANDBOX).demo).toBeNull();
  expect(readSettings({ ...SANDBOX, ...demo }).demo).toEqual({ email: "demo@crier.example", password: "open to all" });
  expect(() => readSettings({ ...DEPLOYED, ...demo })).toThrow("DEMO_PASSWORD lets anybody in");
});
