// Starts that fail, end early or are repeated: used ports, early signals, and kept state.
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/local/ports.ts";
import { startWorker } from "../../../scripts/local/worker-process.ts";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { end, exit, json, listCommands, makeFolder, type Run, spawnRun, start, stopAll } from "./running.ts";

afterAll(stopAll);

describe("a port that another server has", () => {
  let otherServer: Server;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    // A simple check would take this server for the worker.
    otherServer = createServer((_request, answer) => answer.end("ok")).listen(port, "127.0.0.1");
  });
  afterAll(() => new Promise((resolve) => otherServer.close(resolve)));

  it.each(["PORT", "SIM_PORT"])("is named if it is %s", async (name) => {
    const run = await spawnRun({ [name]: String(port) });
    expect(await exit(run)).toBe(1);
    expect(run.output()).toContain(`Port ${port} (${name}) is used by another program.`);
  });

  it("leads to a message with a working command", async () => {
    const run = await spawnRun({ PORT: String(port), SIM_PORT: String(port) });
    expect(await exit(run)).toBe(1);
    const command = /^ {2}(.*) npm start$/m.exec(run.output())?.[1] ?? "";
    const settings = Object.fromEntries(command.split(" ").map((setting) => setting.split("=")));
    expect(Object.keys(settings)).toEqual(["PORT", "SIM_PORT", "CRIER_STATE"]);
    expect(settings.CRIER_STATE).toBe(run.state);
    const again = await start({ ...settings, DEMO: "0" });
    expect((await fetch(`${again.url}/healthz`)).status).toBe(200);
    expect(await end(again)).toBe(0);
  });

  it("is never mistaken for the worker", async () => {
    const { state } = await spawnRun({ PORT: "none" });
    // Vitest has a BASE_URL of its own.
    vi.stubEnv("BASE_URL", undefined);
    const starting = startWorker({ port, sandboxUrl: "http://127.0.0.1:9", stateFolder: state });
    await expect(starting).rejects.toThrow("Address already in use");
  });

  it("must be a valid number", async () => {
    const run = await spawnRun({ PORT: "80 80" });
    expect(await exit(run)).toBe(1);
    expect(run.output()).toContain('PORT must be a number from 1 to 65535, not "80 80".');
  });
});

// The test reads /proc.
describe.runIf(process.platform === "linux")("a signal before the run is ready", () => {
  it.each([
    ["SIGINT", "while migrations are applied", /migrate\.ts /],
    ["SIGTERM", "while migrations are applied", /migrate\.ts /],
    ["SIGINT", "while the worker starts", /wrangler\.js dev /],
    ["SIGTERM", "while the worker starts", /workerd serve /],
  ] as const)("%s %s ends all processes", async (signal, _when, command) => {
    const run = await spawnRun({ CRIER_STATE: await makeFolder() });
    await vi.waitFor(async () => expect((await listCommands(run)).join("\n")).toMatch(command), {
      timeout: 60_000,
      interval: 20,
    });
    expect(run.output()).not.toContain("ready after");
    expect(await end(run, signal)).toBe(0);
    expect(await listCommands(run)).toEqual([]);
  });
});

describe("a second start with the same state", () => {
  const accountIn = (run: Run) => ({
    password: / password (\S+)/.exec(run.output())?.[1],
    key: /^Key +(crier_live_\w+)$/m.exec(run.output())?.[1],
  });
  const readLedger = async ({ simulators }: Run) =>
    (await json<{ ledger: LedgerEntry[] }>(`${simulators}/_sim/ledger`)).ledger;

  it("prints the same password and key, creates no account, and finds its posts on the networks", async () => {
    const first = await start({ CRIER_STATE: await makeFolder() });
    await vi.waitFor(() => expect(first.output()).toMatch(/youtube +live/), { timeout: 60_000, interval: 100 });
    const account = accountIn(first);
    const published = await readLedger(first);
    expect(published).toHaveLength(25);

    const beside = await spawnRun({ CRIER_STATE: first.state });
    expect(await exit(beside)).toBe(1);
    expect(beside.output()).toContain(`Crier is already running with the state in ${first.state}: ${first.url}`);
    expect(await end(first)).toBe(0);

    const { port } = new URL(first.url);
    const { port: simulatorPort } = new URL(first.simulators);
    const second = await start({ PORT: port, SIM_PORT: simulatorPort, CRIER_STATE: first.state });
    await vi.waitFor(() => expect(second.output()).toContain("demo.json"), { timeout: 10_000, interval: 100 });
    expect(accountIn(second)).toEqual(account);
    expect(second.output()).not.toContain("Published");
    expect(await readLedger(second)).toEqual(published);
    const { channels } = await json<{ channels: { state: string }[] }>(`${second.url}/v1/channels`, account.key);
    expect(channels.map(({ state }) => state)).toEqual(Array(10).fill("connected"));
    const { posts } = await json<{ posts: { status: string }[] }>(`${second.url}/v1/posts`, account.key);
    expect(posts.map(({ status }) => status)).toEqual(Array(3).fill("published"));
    await json(`${second.url}/v1/auth/login`, undefined, { email: "demo@crier.example", password: account.password });
  });
});
