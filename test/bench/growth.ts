// `npm run bench:growth`: how many rows and bytes a delivery leaves in the database, and the cost of a full database
// compared with a fresh one in rows, round trips and processor time, which a busy machine hardly changes. Linux only.
//   --deliveries 3000000   deliveries that were published before, each of a separate post
import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { cpuMs } from "../../scripts/local/processes.ts";
import { whenStopped } from "../../scripts/local/when-stopped.ts";
import { DATABASE_BYTES_MAX } from "../../src/domain/limits.ts";
import type { DatabaseUse } from "../support/counted-db.ts";
import { type Engine, startEngine } from "./engine.ts";
import { type BenchWorkspace, createPosts, getShare, makeConnectedWorkspaces, type Planned } from "./world.ts";

const { values } = parseArgs({ options: { deliveries: { type: "string", default: "3000000" } } });
const DELIVERIES = Number(values.deliveries);
/** The number of posts in the fresh database, so that each of its pages is full. */
const DELIVERIES_FRESH = 2_000;
const WORKSPACES = 20;
const CHANNELS_EACH = 4;
const POSTS = 40;
const LISTS = 20;
const SWEEPS = 2;
const DAY_MS = 86_400_000;
const WAIT_MAX_MS = 300_000;

interface Cost extends DatabaseUse {
  name: string;
  cpuMs: number;
}

/** Rows and bytes per delivery in a table or index. */
interface Stored {
  name: string;
  rows: number;
  bytes: number;
}

let engine: Engine | undefined;
const stop = async () => {
  await engine?.stop();
  engine = undefined;
};
whenStopped(() => void stop().finally(() => process.exit(1)));

async function measureCosts(finished: number): Promise<{ costs: Cost[]; stored: Stored[]; bytes: number }> {
  engine = await startEngine(`growth ${finished}`);
  const { call } = engine;
  await engine.meters("off");
  const workspaces = await makeConnectedWorkspaces(call, "growth", WORKSPACES, WORKSPACES * CHANNELS_EACH);
  const storedBefore = storage(engine);
  for (const [i, { id: workspace, channels }] of workspaces.entries()) {
    const posts = getShare(finished, i, workspaces.length);
    if (posts > 0) await call("POST", "/_bench/history", null, { workspace, channels, posts });
    console.error(`${new Date().toISOString().slice(11, 19)} ${i + 1} of ${workspaces.length} workspaces filled`);
  }
  const { tables, bytes } = storage(engine);
  const stored = growth(storedBefore.tables, tables, finished);
  // Filling takes long, so some connections have ended. They are noticed now.
  await sleep(1_000);
  // The first reads come from the disk.
  for (const { key } of workspaces) await call("GET", "/v1/posts?limit=200", key);
  const costs = [
    await measure(engine, "create a post for four channels", POSTS, "http", (target) =>
      create(target, workspaces, DAY_MS),
    ),
    await measurePublishing(engine, workspaces),
    await measure(engine, "a page of 50 posts", LISTS, "http", (target) =>
      forEachWorkspace(workspaces, LISTS, ({ key }) => target.call("GET", "/v1/posts?limit=50", key)),
    ),
    await measure(engine, "a page of 50 published posts", LISTS, "http", (target) =>
      forEachWorkspace(workspaces, LISTS, ({ key }) => target.call("GET", "/v1/posts?status=published&limit=50", key)),
    ),
    await measure(engine, "a page of 50 events", LISTS, "http", (target) =>
      forEachWorkspace(workspaces, LISTS, ({ key }) => target.call("GET", "/v1/events?limit=50", key)),
    ),
    await measureSweeps(engine),
  ];
  await stop();
  return { costs, stored, bytes };
}

async function forEachWorkspace(
  workspaces: BenchWorkspace[],
  times: number,
  act: (workspace: BenchWorkspace) => Promise<unknown>,
) {
  for (let i = 0; i < times; i++) {
    const workspace = workspaces[i % workspaces.length];
    if (workspace !== undefined) await act(workspace);
  }
}

async function create({ call }: Engine, workspaces: BenchWorkspace[], inMs: number): Promise<Planned[]> {
  const firstAt = Date.now() + inMs;
  const planned = Array.from({ length: POSTS }, (_, i): Planned => {
    const workspace = workspaces[i % workspaces.length];
    if (workspace === undefined) throw new Error("there is no workspace");
    return {
      workspace,
      channels: workspace.channels.map(({ id }) => id),
      text: `growth ${firstAt} ${i}`,
      at: firstAt + i * 250,
    };
  });
  await createPosts(call, planned);
  return planned;
}

/** The cost of `act` per call for `times` calls, of the requests or of all work of objects and queues. */
async function measure(
  engine: Engine,
  name: string,
  times: number,
  scope: "http" | "engine",
  act: (engine: Engine) => Promise<unknown>,
): Promise<Cost> {
  await engine.meters(scope === "http" ? "all" : "engine");
  const before = await cpuMs(engine.runtimes);
  await act(engine);
  const spent = await engine.meters("off");
  const cpu = (await cpuMs(engine.runtimes)) - before;
  const uses = scope === "http" ? [spent.http] : listUses(spent.objects, (object) => object !== "Sweeper");
  return computeCost(name, uses, times, cpu);
}

const listUses = (objects: Awaited<ReturnType<Engine["meters"]>>["objects"], isIncluded: (name: string) => boolean) =>
  Object.entries(objects).flatMap(([name, { d1 }]) => (isIncluded(name) ? [d1] : []));

const computeCost = (name: string, uses: DatabaseUse[], times: number, cpu: number): Cost => {
  const each = (field: keyof DatabaseUse) => uses.reduce((sum, use) => sum + use[field], 0) / times;
  const [roundTrips, rowsRead, rowsWritten] = [each("roundTrips"), each("rowsRead"), each("rowsWritten")];
  return { name, roundTrips, rowsRead, rowsWritten, cpuMs: cpu / times };
};

/** Posts that become due one after the other, so that none shares a round trip with another by chance. */
async function measurePublishing(engine: Engine, workspaces: BenchWorkspace[]): Promise<Cost> {
  const planned = await create(engine, workspaces, 30_000);
  const [first] = planned;
  if (first === undefined || Date.now() > first.at) throw new Error("not all posts were created before they were due");
  const texts = new Set(planned.map(({ text }) => text));
  return measure(engine, "publish one of its deliveries", POSTS, "engine", async ({ simulators }) => {
    const received = () => simulators.ledger.list().filter(({ text }) => texts.has(text)).length;
    await waitUntil(() => received() === POSTS * CHANNELS_EACH);
    // The last record is written after the network's receipt.
    await sleep(2_000);
  });
}

async function measureSweeps(engine: Engine): Promise<Cost> {
  await engine.meters("engine");
  const before = await cpuMs(engine.runtimes);
  let [sweeps, use] = [0, { roundTrips: 0, rowsRead: 0, rowsWritten: 0 }];
  await waitUntil(async () => {
    const { objects } = await engine.meters("engine");
    const { alarms = 0, d1 = use } = objects.Sweeper ?? {};
    if (objects.Sweeper !== undefined) {
      sweeps += alarms;
      use = {
        roundTrips: use.roundTrips + d1.roundTrips,
        rowsRead: use.rowsRead + d1.rowsRead,
        rowsWritten: use.rowsWritten + d1.rowsWritten,
      };
    }
    return sweeps >= SWEEPS;
  });
  await engine.meters("off");
  return computeCost("a sweep", [use], sweeps, (await cpuMs(engine.runtimes)) - before);
}

async function waitUntil(isDone: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + WAIT_MAX_MS; !(await isDone()); await sleep(500)) {
    if (Date.now() > deadline) throw new Error("the machine is too busy");
  }
}

/** The tables and indexes of the workspaces' database with their rows and bytes, and its total size. */
function storage({ stateFolder }: Engine): { tables: Map<string, Stored>; bytes: number } {
  for (const file of globSync(`${stateFolder}/**/d1/**/*.sqlite`)) {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const counted = database.prepare("SELECT COUNT(*) AS n FROM sqlite_schema WHERE name = 'deliveries'").get();
      if (counted?.n !== 1) continue;
      const rows = database
        .prepare("SELECT name, SUM(ncell) AS rows, SUM(pgsize) AS bytes FROM dbstat GROUP BY name")
        .all()
        .map(({ name, rows, bytes }) => ({ name: String(name), rows: Number(rows), bytes: Number(bytes) }));
      const { bytes } = database.prepare("SELECT SUM(pgsize) AS bytes FROM dbstat").get() ?? {};
      return { tables: new Map(rows.map((row) => [row.name, row])), bytes: Number(bytes) };
    } finally {
      database.close();
    }
  }
  throw new Error(`no database in ${stateFolder}`);
}

function growth(before: Map<string, Stored>, after: Map<string, Stored>, deliveries: number): Stored[] {
  return [...after.values()]
    .map(({ name, rows, bytes }) => ({
      name,
      rows: (rows - (before.get(name)?.rows ?? 0)) / deliveries,
      bytes: (bytes - (before.get(name)?.bytes ?? 0)) / deliveries,
    }))
    .filter(({ bytes }) => bytes >= 1)
    .sort((a, b) => b.bytes - a.bytes);
}

try {
  const fresh = await measureCosts(DELIVERIES_FRESH);
  const grown = await measureCosts(DELIVERIES);
  console.log(`| rows and bytes of a delivery of a separate post | rows | bytes |\n|---|---|---|`);
  for (const { name, rows, bytes } of grown.stored)
    console.log(`| \`${name}\` | ${rows.toFixed(2)} | ${bytes.toFixed(0)} |`);
  const each = grown.stored.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`| total | | ${each.toFixed(0)} |\n`);
  console.log(
    `${DELIVERIES} deliveries: ${(grown.bytes / 1024 ** 3).toFixed(2)} GB; the database is full at ${Math.floor(DATABASE_BYTES_MAX / each)}\n`,
  );
  console.log("| | round trips | rows read | rows written | processor time, ms |\n|---|---|---|---|---|");
  for (const [i, freshCost] of fresh.costs.entries()) {
    const grownCost = grown.costs[i] ?? freshCost;
    const pair = (getValue: (cost: Cost) => number) =>
      `${getValue(freshCost).toFixed(1)} / ${getValue(grownCost).toFixed(1)}`;
    console.log(
      `| ${freshCost.name} | ${pair(({ roundTrips }) => roundTrips)} | ${pair(({ rowsRead }) => rowsRead)} | ${pair(({ rowsWritten }) => rowsWritten)} | ${pair(({ cpuMs }) => cpuMs)} |`,
    );
  }
} finally {
  await stop();
}
