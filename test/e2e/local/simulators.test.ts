// `npm run simulators`: the networks without Crier.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";

const started: ChildProcess[] = [];
function simulators(...names: string[]) {
  const child = spawn(process.execPath, ["scripts/local/simulators.ts", ...names], {
    cwd: join(import.meta.dirname, "../../.."),
    env: { ...process.env, SIM_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  return { output: () => output, ended: new Promise<number | null>((resolve) => child.once("exit", resolve)), child };
}
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

it("one simulator runs alone, and ends on a signal", async () => {
  const { output, ended, child } = simulators("pinterest");
  const url = await vi.waitFor(() => /http:\S+(?=\/_sim\/demo)/.exec(output())?.[0] ?? expect.fail(output()), {
    timeout: 60_000,
    interval: 100,
  });
  expect((await fetch(`${url}/pinterest/v5/user_account`)).status).toBe(401);
  expect((await fetch(`${url}/x/2/users/me`)).status).toBe(503);
  expect(await (await fetch(url)).text()).not.toContain("Back to Crier");
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

it("an unknown network is named in the error, together with the known ones", async () => {
  const { output, ended } = simulators("myspace");
  expect(await ended).toBe(2);
  expect(output()).toMatch(/myspace.*pinterest/);
});
