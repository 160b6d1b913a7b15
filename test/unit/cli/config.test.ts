// The stored key: readable only by its owner, sent only to its address, and never half-written.
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { configFile, readConfig, removeConfig, requireKey, storeConfig } from "../../../cli/api/config.ts";

let home: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "crier-config-"));
  env = { HOME: home };
});
afterEach(() => rm(home, { recursive: true }));
const HERE = "https://crier.example.com";

it("the configuration is written for its owner only and read back", async () => {
  const file = configFile(env);
  expect(file).toBe(join(home, ".config/crier"));
  await storeConfig(file, { url: HERE, key: "k1" });
  await storeConfig(file, { url: HERE, key: "k2" });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(home, ".config"))).toEqual(["crier"]);
  expect(await readConfig(undefined, env)).toMatchObject({ url: HERE, key: "k2", keyFrom: file, warnings: [] });
  expect([await removeConfig(file), await removeConfig(file)]).toEqual([true, false]);
});

it("a home that cannot be written is said, with a way to do without", async () => {
  await writeFile(join(home, ".config"), "a file where the folder would be");
  await expect(storeConfig(configFile(env), { url: HERE, key: "k" })).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(".config/crier cannot be written"),
    hint: expect.stringContaining("XDG_CONFIG_HOME"),
  });
});

it("XDG_CONFIG_HOME is honoured", () => {
  expect(configFile({ ...env, XDG_CONFIG_HOME: "/elsewhere" })).toBe("/elsewhere/crier");
  expect(configFile({ ...env, XDG_CONFIG_HOME: "relative" })).toBe(join(home, ".config/crier"));
});

it("flags win over the environment and the file, and a stored key is sent only to its own address", async () => {
  await storeConfig(configFile(env), { url: HERE, key: "stored" });
  const otherUrl = "https://other.example.com";
  expect(await readConfig(otherUrl, env)).toMatchObject({ url: otherUrl, key: null });
  expect(await readConfig(undefined, { ...env, CRIER_URL: otherUrl })).toMatchObject({ url: otherUrl, key: null });
  expect(await readConfig(HERE, { ...env, CRIER_URL: otherUrl })).toMatchObject({ url: HERE, key: "stored" });
  expect(await readConfig(otherUrl, { ...env, CRIER_API_KEY: "env" })).toMatchObject({ url: otherUrl, key: "env" });
  const elsewhere = await readConfig(otherUrl, env);
  expect(() => requireKey(elsewhere)).toThrow(expect.objectContaining({ exitCode: 3 }));
});

it("a file that others can read is made private, with a warning", async () => {
  const file = configFile(env);
  await storeConfig(file, { url: HERE, key: "k" });
  await chmod(file, 0o644);
  const { warnings } = await readConfig(undefined, env);
  expect(warnings).toEqual([expect.stringContaining("could be read by other users")]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it.each(["", "{", "[]", '{"url":"nope","key":"k"}', '{"url":"https://x","key":"a b"}'])(
  "an invalid configuration file is reported and left unchanged: %j",
  async (text) => {
    const file = configFile(env);
    await storeConfig(file, { url: HERE, key: "k" });
    await writeFile(file, text);
    await expect(readConfig(undefined, env)).rejects.toMatchObject({ exitCode: 2 });
    expect(await readFile(file, "utf8")).toBe(text);
  },
);
