import { expect, it } from "vitest";
import { type Env, readSettings } from "../../src/env.ts";

/** Bindings are not read for the settings. */
const env = (settings: Partial<Env>) => settings as Env;
const SANDBOX = { PROVIDER: "sandbox", SANDBOX_URL: "http://127.0.0.1:8788", BASE_URL: "http://127.0.0.1:8787" };

it("passwords are hashed fast only when that is asked for, on http and against simulators", () => {
  expect(readSettings(env({})).fastPasswordHashes).toBe(false);
  expect(readSettings(env(SANDBOX)).fastPasswordHashes).toBe(false);
  expect(readSettings(env({ ...SANDBOX, FAST_PASSWORD_HASHES: "1" })).fastPasswordHashes).toBe(true);
  const refused = "FAST_PASSWORD_HASHES is for tests";
  const { BASE_URL } = SANDBOX;
  expect(() => readSettings(env({ BASE_URL, FAST_PASSWORD_HASHES: "1" }))).toThrow(refused);
  expect(() => readSettings(env({ ...SANDBOX, BASE_URL: "https://crier.dev", FAST_PASSWORD_HASHES: "1" }))).toThrow(
    refused,
  );
});
