// All simulators on one port, with the ledger, the faults and the page that shows published posts.
import { readdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { mountAvatars } from "./avatar.ts";
import { mountControls } from "./controls.ts";
import { Faults } from "./faults.ts";
import { PublicFiles } from "./files.ts";
import { Ledger } from "./ledger.ts";
import type { Simulator, SimulatorEnv, SimulatorModule, World } from "./simulator.ts";
import { State } from "./state.ts";

/** Files in this folder that are not networks. */
const NOT_NETWORKS = new Set([
  "altered.ts",
  "avatar.ts",
  "consent-page.ts",
  "controls.ts",
  "faults.ts",
  "files.ts",
  "ledger.ts",
  "marks.ts",
  "oauth.ts",
  "page-style.ts",
  "page.ts",
  "personas.ts",
  "poll.ts",
  "server.ts",
  "simulator.ts",
  "sniff.ts",
  "state.ts",
]);

export interface Simulators {
  url: string;
  port: number;
  all: Simulator[];
  ledger: Ledger;
  /** See `startSimulators`. */
  chunksDivisor: number;
  /** May be changed at any time. */
  conditions: Conditions;
  close(): Promise<void>;
}

export interface Conditions {
  /** The response time of every call on every network, in milliseconds. */
  answerMs: number;
  /** The platforms whose simulators answer 503 to every call. */
  down: Set<string>;
}

/**
 * Starts the simulators on loopback; port 0 means any free port. `others`: simulators in addition to those of this folder.
 * `stateFolder`: where they store their state; null: they lose it when they end. `home`: the address of the Crier that
 * publishes to them, for the link on their page; null: they run alone. `chunksDivisor` divides the sizes of chunks that the
 * simulators require and accept, so that a test of several chunks needs no large file.
 */
export async function startSimulators({
  port,
  host = "127.0.0.1",
  others = [],
  stateFolder = null,
  home = null,
  chunksDivisor = 1,
}: {
  port: number;
  host?: string;
  others?: SimulatorModule[];
  stateFolder?: string | null;
  home?: string | null;
  chunksDivisor?: number;
}): Promise<Simulators> {
  let origin = "";
  const state = new State(stateFolder);
  const ledger = new Ledger(state);
  const world: World = {
    ledger,
    faults: new Faults(),
    files: new PublicFiles(ledger),
    state,
    chunksDivisor,
    origin: () => origin,
  };
  const simulators = [...(await loadSimulators(world)), ...others.map(({ createSimulator }) => createSimulator(world))];
  const conditions: Conditions = { answerMs: 0, down: new Set() };
  const app = new Hono<SimulatorEnv>();
  app.use(async (_c, next) => {
    await next();
    state.touch();
  });
  for (const { platform } of simulators) {
    app.use(`/${platform}/*`, async (c, next) => {
      if (conditions.answerMs > 0) await sleep(conditions.answerMs);
      if (conditions.down.has(platform)) return c.text("Service Unavailable", 503);
      return next();
    });
  }
  mountAvatars(app, simulators);
  for (const { platform, app: network } of simulators) app.route(`/${platform}`, network);
  app.get("/_sim/state", (c) => c.json({ folder: stateFolder }));
  mountControls(app, world, simulators, home);
  const server = createServer(getRequestListener(app.fetch));
  // Longer than the runtime keeps an idle connection (5 s). Otherwise a call could use a connection that is being closed.
  server.keepAliveTimeout = 60_000;
  // A caller that disconnects early, or does not speak HTTP, is normal here.
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  origin = `http://${host}:${bound}`;
  const close = () => closeServer(server, state);
  return { url: origin, port: bound, all: simulators, ledger, chunksDivisor, conditions, close };
}

async function loadSimulators(world: World): Promise<Simulator[]> {
  const files = (await readdir(import.meta.dirname)).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !NOT_NETWORKS.has(file),
  );
  return Promise.all(
    files.sort().map(async (file) => {
      const address = pathToFileURL(`${import.meta.dirname}/${file}`).href;
      const module: SimulatorModule = await import(/* @vite-ignore */ address);
      return module.createSimulator(world);
    }),
  );
}

/** Ends everything at once, including calls that hang. */
async function closeServer(server: Server, state: State): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  state.close();
}
