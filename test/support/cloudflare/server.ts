// A stand-in for Cloudflare's API at `CLOUDFLARE_API_BASE_URL`, and for the Workers on workers.dev.
import type { AddressInfo } from "node:net";
import { type HttpBindings, serve } from "@hono/node-server";
import { Hono } from "hono";
import { serveAnalytics } from "./analytics.ts";
import { ok, refuse } from "./answers.ts";
import { serveBuckets } from "./buckets.ts";
import { Account } from "./state.ts";
import { serveStorage } from "./storage.ts";
import { serveWorkers, UPLOADING } from "./workers.ts";

export const TOKEN = "token-of-the-tests";

interface Call {
  method: string;
  path: string;
  body: string;
}
export interface Fault {
  /** The beginning of the call that fails, such as `POST /queues`. */
  call: string;
  /** A text in the body of the call that fails. */
  containing?: string;
  /** Breaks the connection before or after the call is carried out, or refuses the call. */
  does: "drop before" | "drop after" | { status: 401 | 403 | 409 | 429 | 500; code?: number; message?: string };
  /** How often the fault occurs; by default once. */
  times?: number;
  /** Called when the fault occurs: before the call is carried out, or, with "drop after", afterwards. */
  struck?: () => void;
}

export interface StandIn {
  url: string;
  account: Account;
  /** All calls that were answered. */
  calls: Call[];
  /** Lists the calls that change something. */
  writes(): string[];
  faults: Fault[];
  /** The number of overdue deliveries that the Workers report. */
  overdue: number;
  /** The warnings that the Workers report. */
  warnings: { code: "database_fills"; message: string }[];
  /** The unavailable databases that the Workers report, or null for a release that does not report databases. */
  unavailable: string[] | null;
  /** How many further calls of `GET /healthz` reach a location with the previous version of the Worker. */
  staleAnswers: number;
  close(): Promise<void>;
}

export async function startStandIn(): Promise<StandIn> {
  const account = new Account();
  const calls: Call[] = [];
  const faults: Fault[] = [];
  const app = new Hono<{ Bindings: HttpBindings }>();
  const below = `/accounts/${account.id}`;

  app.use(async (c, next) => {
    const path = c.req.path.replace(below, "");
    if (path.startsWith("/dev/")) return next();
    const name = `${c.req.method} ${path}`;
    const body = await c.req.raw.clone().text();
    const fault = faults.find(
      ({ call, containing = "", times = 1 }) => times > 0 && name.startsWith(call) && body.includes(containing),
    );
    if (fault !== undefined) {
      fault.times = (fault.times ?? 1) - 1;
      if (fault.does !== "drop after") fault.struck?.();
      if (typeof fault.does === "object") {
        const { status, code = 10_000, message = "As the test wants it" } = fault.does;
        c.header("retry-after", "0");
        return refuse(c, status, code, message);
      }
      if (fault.does === "drop before") {
        c.env.incoming.socket.destroy();
        return c.body(null);
      }
    }
    const token = path.startsWith("/workers/assets/") ? UPLOADING : TOKEN;
    if (c.req.header("authorization") !== `Bearer ${token}`) return refuse(c, 401, 1000, "Invalid API Token");
    calls.push({ method: c.req.method, path, body });
    await next();
    if (fault?.does !== "drop after") return;
    fault.struck?.();
    c.env.incoming.socket.destroy();
  });
  app.get("/accounts", (c) => ok(c, [{ id: account.id, name: "A" }]));
  app.route("/", serveAnalytics(account));
  app.route(below, serveStorage(account));
  app.route(below, serveWorkers(account));
  // The preload sends calls of a Worker's own host to this path.
  app.get("/dev/:host/healthz", (c) => {
    const name = workerAt(account, c.req.param("host")) ?? "";
    const isStale = standIn.staleAnswers > 0;
    if (isStale) standIn.staleAnswers -= 1;
    const version = isStale ? account.workers.get(name)?.versions.at(-2) : account.getDeployed(name);
    const versionName = version?.bindings.find(({ name }) => name === "VERSION")?.text;
    if (versionName === undefined) return c.text("not found", 404);
    const scheduler = { overdue: standIn.overdue, oldest_overdue_seconds: 60 * standIn.overdue };
    const { warnings } = standIn;
    const databases = standIn.unavailable === null ? {} : { unavailable_databases: standIn.unavailable };
    return c.json({
      status: "ok",
      provider: "live",
      version: versionName,
      publishes: ["bluesky"],
      scheduler,
      warnings,
      ...databases,
    });
  });
  app.route("/dev", serveBuckets(account));
  app.notFound((c) => refuse(c, 404, 7000, `No route for ${c.req.method} ${c.req.path}`));

  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise<void>((resolve) => server.once("listening", () => resolve()));
  const { port } = server.address() as AddressInfo;
  const standIn: StandIn = {
    url: `http://127.0.0.1:${port}`,
    account,
    calls,
    writes: () => calls.flatMap(({ method, path }) => (isWrite(method, path) ? [`${method} ${path}`] : [])),
    faults,
    overdue: 0,
    warnings: [],
    unavailable: null,
    staleAnswers: 0,
    async close() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      account.close();
    },
  };
  return standIn;
}

/** Some calls that only read use POST. */
const isWrite = (method: string, path: string) => method !== "GET" && !/\/(query|changeset)$/.test(path);

function workerAt({ workers, domains, subdomain }: Account, host: string): string | undefined {
  const domain = domains.find(({ hostname }) => hostname === host);
  if (domain !== undefined) return domain.service;
  return [...workers.keys()].find(
    (name) => host === `${name}.${subdomain}.workers.dev` && workers.get(name)?.subdomain.enabled,
  );
}
