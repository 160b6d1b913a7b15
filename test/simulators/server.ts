// All simulators on one port, with the ledger, the faults and the page that shows what was published.
import { readdir } from "node:fs/promises";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import * as z from "zod";
import { Fault, Faults } from "./faults.ts";
import { Ledger } from "./ledger.ts";
import { page } from "./page.ts";
import type { Simulator, SimulatorEnv, SimulatorModule, World } from "./simulator.ts";

/** Files of this folder that are no network. */
const NOT_NETWORKS = new Set(["faults.ts", "ledger.ts", "page.ts", "server.ts", "simulator.ts"]);

export interface Simulators {
  url: string;
  port: number;
  all: Simulator[];
  close(): Promise<void>;
}

/** Starts the simulators on loopback; port 0 is any free one. */
export async function startSimulators({
  port,
  host = "127.0.0.1",
}: {
  port: number;
  host?: string;
}): Promise<Simulators> {
  let origin = "";
  const world: World = { ledger: new Ledger(), faults: new Faults(), origin: () => origin };
  const all = await loadSimulators(world);
  const app = new Hono<SimulatorEnv>();
  for (const { platform, app: network } of all) app.route(`/${platform}`, network);
  mountControls(app, world, all);
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((settle, fail) => {
    server.once("error", fail);
    server.listen(port, host, () => settle());
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  origin = `http://${host}:${bound}`;
  return { url: origin, port: bound, all, close: () => closeServer(server as Server) };
}

async function loadSimulators(world: World): Promise<Simulator[]> {
  const files = (await readdir(import.meta.dirname)).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !NOT_NETWORKS.has(file),
  );
  return Promise.all(
    files.sort().map(async (file) => {
      const address = `file://${import.meta.dirname}/${file}`;
      const module: SimulatorModule = await import(/* @vite-ignore */ address);
      return module.createSimulator(world);
    }),
  );
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((settle) => server.close(() => settle()));
}

const ArmedFault = z.union([
  Fault,
  z.strictObject({ platform: z.string(), account: z.string(), expire_token: z.literal(true) }),
]);
const Scope = z.strictObject({ platform: z.string().optional(), account: z.string().optional() });

function mountControls(app: Hono<SimulatorEnv>, { ledger, faults }: World, all: Simulator[]): void {
  app.get("/", (c) => c.html(page(ledger.list())));
  app.get("/_sim/ledger", (c) =>
    c.json({ ledger: ledger.list({ platform: c.req.query("platform"), account: c.req.query("account") }) }),
  );
  app.get("/_sim/demo", (c) => c.json({ accounts: all.map(({ platform, demo }) => ({ platform, ...demo })) }));
  app.get("/_sim/faults", (c) => c.json({ faults: faults.list() }));
  app.post("/_sim/faults", async (c) => {
    const body: unknown = await c.req.json().catch(() => null);
    const parsed = z.array(ArmedFault).safeParse(Array.isArray(body) ? body : [body]);
    if (!parsed.success) return c.json({ error: "invalid_fault", message: z.prettifyError(parsed.error) }, 422);
    for (const fault of parsed.data) {
      if ("expire_token" in fault) all.find(({ platform }) => platform === fault.platform)?.expireToken(fault.account);
      else faults.arm([fault]);
    }
    return c.json({ faults: faults.list() }, 201);
  });
  app.delete("/_sim/faults", (c) => {
    faults.clear();
    return c.body(null, 204);
  });
  app.post("/_sim/reset", async (c) => {
    const scope = Scope.safeParse(await c.req.json().catch(() => ({})));
    if (!scope.success) return c.json({ error: "invalid_scope", message: z.prettifyError(scope.error) }, 422);
    ledger.forget(scope.data);
    if (scope.data.account === undefined) {
      for (const simulator of all)
        if (simulator.platform === (scope.data.platform ?? simulator.platform)) simulator.reset();
      if (scope.data.platform === undefined) faults.clear();
    }
    return c.body(null, 204);
  });
  app.delete("/_sim/posts/:platform/:id{.+}", (c) => {
    const { platform, id } = c.req.param();
    const entry = ledger.find(platform, decodeURIComponent(id));
    if (entry === undefined) return c.json({ error: "not_found" }, 404);
    entry.deleted = true;
    all.find((simulator) => simulator.platform === platform)?.remove(entry.id);
    return c.body(null, 204);
  });
  app.get("/_sim/media/:sha256", (c) => {
    const file = ledger.bytesOf(c.req.param("sha256"));
    if (file === undefined) return c.json({ error: "not_found" }, 404);
    return new Response(Uint8Array.from(file.bytes), { headers: { "content-type": file.type } });
  });
  app.notFound((c) => c.json({ error: "not_found", path: c.req.path }, 404));
  app.onError((error, c) => {
    // A caller that goes away half-way is ordinary here.
    if (c.env.incoming.destroyed) return c.body(null, 499 as 400);
    console.error(error);
    return c.json({ error: "simulator_bug", message: error.message }, 500);
  });
}
