// `npm run bench`: how late deliveries start, how many go out a second, and what they cost, on this machine against the
// simulators, which answer at once. Everything is made anew in a folder that is removed in the end. Linux only.
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "../local/free-port.ts";
import { cpuMs, runtimesOf } from "../local/processes.ts";
import { startWorker } from "../local/worker-process.ts";
import { type Simulators, startSimulators } from "../simulators/server.ts";
import { billedEach, priceOfMillion } from "./prices.ts";
import type { Meters } from "./worker.ts";
import {
  type BenchWorkspace,
  type Call,
  callerOf,
  createPosts,
  makeWorkspaces,
  type Planned,
  shareOf,
} from "./world.ts";

const DAY_MS = 86_400_000;
const DRAIN_MAX_MS = 180_000;
/** What an object is billed for, whatever it holds: 128 MB. */
const OBJECT_GIGABYTES = 0.128;

const { values } = parseArgs({
  options: {
    deliveries: { type: "string", default: "2000" },
    channels: { type: "string", default: "200" },
    workspaces: { type: "string", default: "50" },
    /** Channels that a post goes to, so deliveries of one post. */
    "per-post": { type: "string", default: "4" },
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "20" },
    creates: { type: "string", default: "500" },
    /** Posts that were published before; with several numbers, a run for each. */
    finished: { type: "string", default: "0" },
    json: { type: "boolean", default: false },
  },
});
const options = {
  deliveries: Number(values.deliveries),
  channels: Number(values.channels),
  workspaces: Number(values.workspaces),
  perPost: Number(values["per-post"]),
  rate: Number(values.rate),
  seconds: Number(values.seconds),
  creates: Number(values.creates),
};

interface Lateness {
  p50: number;
  p99: number;
  max: number;
}

function lateness(all: number[]): Lateness {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** One run on a state of its own, with so many finished posts. */
async function run(finished: number) {
  const folder = await mkdtemp(join(tmpdir(), "crier-bench-"));
  const simulators = await startSimulators({ port: 0 });
  const script = "test/bench/worker.ts";
  const worker = await startWorker({
    port: await freePort(),
    sandboxUrl: simulators.url,
    stateFolder: folder,
    script,
  }).catch(async (error: unknown) => {
    await simulators.close();
    throw error;
  });
  try {
    const call = callerOf(worker.url);
    const runtimes = await runtimesOf(worker.pid);
    const workspaces = await makeWorkspaces(call, options.workspaces, options.channels);
    await fill(call, workspaces, finished);
    const bench = new Bench(call, simulators, workspaces, runtimes);
    const createsPerSecond = await bench.creates();
    const steady = options.rate > 0 ? await bench.steady(createsPerSecond) : null;
    if (steady !== null && !values.json) console.log(steadyLine(steady));
    const burst = await bench.burst(createsPerSecond);
    if (!values.json) console.log(burstLines(finished, createsPerSecond, burst));
    return { finished, createsPerSecond, burst, steady };
  } finally {
    await worker.stop();
    await simulators.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(call: Call, workspaces: BenchWorkspace[], finished: number): Promise<void> {
  for (const [i, { id: workspace, channels }] of workspaces.entries()) {
    const posts = shareOf(finished, i, workspaces.length);
    if (posts > 0) await call("POST", "/_bench/history", null, { workspace, channels, posts });
  }
}

class Bench {
  readonly #call: Call;
  readonly #simulators: Simulators;
  readonly #workspaces: BenchWorkspace[];
  readonly #runtimes: number[];

  constructor(call: Call, simulators: Simulators, workspaces: BenchWorkspace[], runtimes: number[]) {
    this.#call = call;
    this.#simulators = simulators;
    this.#workspaces = workspaces;
    this.#runtimes = runtimes;
  }

  /** Posts a second through HTTP, for a day that is not measured. */
  creates(): Promise<number> {
    return createPosts(
      this.#call,
      this.#plan("create", options.creates, () => Date.now() + DAY_MS),
    );
  }

  /** All deliveries due at one instant. */
  async burst(createsPerSecond: number) {
    const posts = Math.ceil(options.deliveries / options.perPost);
    await this.#meters(true);
    const cpuBefore = await cpuMs(this.#runtimes);
    const at = behindCreation(posts, createsPerSecond);
    const planned = this.#plan("burst", posts, () => at);
    await createPosts(this.#call, planned);
    if (Date.now() > at) throw new Error("the posts were not all there at their time: the machine is too busy");
    const made = await this.#meters(false);
    const cpuAtDue = await cpuMs(this.#runtimes);
    const late = await this.#drained(planned);
    const cpu = { create: cpuAtDue - cpuBefore, publish: (await cpuMs(this.#runtimes)) - cpuAtDue };
    await this.#published(planned);
    const spent = await this.#meters(false);
    const count = late.length;
    const seconds = Math.max(...late) / 1000;
    return {
      deliveries: count,
      ...lateness(late),
      perSecond: count / seconds,
      cpuMs: { create: cpu.create / count, publish: cpu.publish / count },
      ...costs(made, spent, cpu.create + cpu.publish, count, posts),
    };
  }

  /** So many a second, each post for one channel at an instant of its own. */
  async steady(createsPerSecond: number) {
    const count = options.rate * options.seconds;
    const start = behindCreation(count, createsPerSecond);
    const planned = this.#plan("steady", count, (i) => start + Math.floor((i * 1000) / options.rate), 1);
    await createPosts(this.#call, planned);
    if (Date.now() > start) throw new Error("the posts were not all there at their time: the machine is too busy");
    await this.#meters(false);
    const late = await this.#drained(planned);
    await this.#published(planned);
    const spent = await this.#meters(false);
    return {
      deliveries: late.length,
      ...lateness(late),
      tripsPerDelivery: spent.queue.trips / late.length,
      rowsWrittenPerDelivery: spent.queue.rowsWritten / late.length,
    };
  }

  #plan(name: string, posts: number, at: (i: number) => number, perPost = options.perPost): Planned[] {
    const planned: Planned[] = [];
    for (let i = 0; i < posts; i++) {
      const workspace = this.#workspaces[i % this.#workspaces.length];
      if (workspace === undefined) throw new Error("there is no workspace");
      const turn = Math.floor(i / this.#workspaces.length);
      const { channels } = workspace;
      const chosen = Array.from({ length: Math.min(perPost, channels.length) }, (_, c) => {
        return channels[(turn + c) % channels.length]?.id ?? "";
      });
      planned.push({ workspace, channels: chosen, text: `${name} ${i}`, at: at(i) });
    }
    return planned;
  }

  /** Milliseconds from the promised instant to the network's receipt, once all of them are there; each must be once. */
  async #drained(planned: Planned[]): Promise<number[]> {
    const expected = planned.reduce((sum, { channels }) => sum + channels.length, 0);
    const dueAt = new Map(planned.map(({ text, at }) => [text, at]));
    const last = Math.max(...planned.map(({ at }) => at));
    const received = () => this.#simulators.ledger.list().filter(({ text }) => dueAt.has(text));
    await sleep(Math.max(0, last - Date.now()));
    while (received().length < expected && Date.now() < last + DRAIN_MAX_MS) await sleep(100);
    const entries = received();
    const different = new Set(entries.map(({ platform, account, text }) => `${platform} ${account} ${text}`));
    if (entries.length !== expected || different.size !== expected) {
      const states = await this.#unfinished(planned);
      throw new Error(
        `${entries.length} receipts of ${different.size} of ${expected} deliveries\n${states.join("\n")}`,
      );
    }
    return entries.map(({ text, at_ms }) => at_ms - (dueAt.get(text) ?? Number.NaN));
  }

  /** What the API says of planned posts that are not published. */
  async #unfinished(planned: Planned[]): Promise<string[]> {
    const lines: string[] = [];
    for (const { key } of new Set(planned.map(({ workspace }) => workspace))) {
      for (const status of ["queued", "publishing", "failed", "partially_published"]) {
        const { posts } = await this.#call<{ posts: object[] }>("GET", `/v1/posts?status=${status}&limit=50`, key);
        lines.push(...posts.map((post) => JSON.stringify(post)));
      }
    }
    return lines;
  }

  /** Resolves when the API calls every planned post published. */
  async #published(planned: Planned[]): Promise<void> {
    const byWorkspace = Map.groupBy(planned, ({ workspace }) => workspace);
    for (const [{ key }, own] of byWorkspace) {
      const texts = new Set(own.map(({ text }) => text));
      for (const deadline = Date.now() + DRAIN_MAX_MS; ; await sleep(200)) {
        const path = "/v1/posts?status=published&limit=200";
        const { posts } = await this.#call<{ posts: { text: string }[] }>("GET", path, key);
        if (posts.filter(({ text }) => texts.has(text)).length === texts.size) break;
        if (Date.now() > deadline) throw new Error("a post was received and is not published");
      }
    }
  }

  /** What was used since the last call; from now on the database's work for requests is counted, or not. */
  #meters(countsRequests: boolean): Promise<Meters> {
    return this.#call<Meters>("POST", "/_bench/meters", null, { countsRequests });
  }
}

/** An instant behind the creation of so many posts, also when each takes twice as long as it did. */
function behindCreation(posts: number, createsPerSecond: number): number {
  return Math.ceil(Date.now() + 5_000 + (posts / createsPerSecond) * 2_000);
}

/** What one delivery used, its share of creating the post included. */
function costs(made: Meters, spent: Meters, cpu: number, deliveries: number, posts: number) {
  const share = (count: number) => count / deliveries;
  const use = {
    requests: share(posts + spent.batches),
    cpuMs: share(cpu),
    d1RowsRead: share(made.http.rowsRead + spent.queue.rowsRead),
    d1RowsWritten: share(made.http.rowsWritten + spent.queue.rowsWritten),
    queueOperations: share(3 * spent.messages),
    objectRequests: share(made.arms + spent.arms + spent.alarms),
    objectRowsWritten: share(made.clockRows + spent.clockRows),
    objectGigabyteSeconds: share(((made.clockMs + spent.clockMs) / 1000) * OBJECT_GIGABYTES),
    // Each invocation is a line too.
    logEvents: share(made.logLines + spent.logLines + posts + spent.batches + made.arms + spent.arms + spent.alarms),
  };
  return {
    trips: { create: share(made.http.trips), publish: share(spent.queue.trips) },
    rowsRead: { create: share(made.http.rowsRead), publish: share(spent.queue.rowsRead) },
    rowsWritten: { create: share(made.http.rowsWritten), publish: share(spent.queue.rowsWritten) },
    use,
    price: {
      ...priceOfMillion(use),
      billed: [1, 10, 30].map((millions) => ({ millions, each: billedEach(use, millions) })),
    },
  };
}

const ms = (value: number) => `${Math.round(value)} ms`;
const late = ({ p50, p99, max }: Lateness) => `p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(max)}`;
const both = ({ create, publish }: { create: number; publish: number }) =>
  `${(create + publish).toFixed(2)} (creating ${create.toFixed(2)}, publishing ${publish.toFixed(2)})`;
const dollars = (value: number) => `$${value.toFixed(2)}`;

type Burst = Awaited<ReturnType<Bench["burst"]>>;
type Steady = Awaited<ReturnType<Bench["steady"]>>;

function burstLines(finished: number, createsPerSecond: number, burst: Burst): string {
  const { byMeter, total, billed } = burst.price;
  const { channels, workspaces, perPost } = options;
  const meters = Object.entries(byMeter).map(([meter, value]) => `${meter} ${dollars(value)}`);
  return [
    `create    ${Math.round(createsPerSecond)} posts a second through HTTP, each for ${perPost} channels`,
    `burst     ${burst.deliveries} deliveries at one instant, ${channels} channels, ${workspaces} workspaces, ${finished} finished posts`,
    `          ${late(burst)}; ${Math.round(burst.perSecond)} a second until drained`,
    `          processor time of the worker and its local database, a delivery: ${both(burst.cpuMs)} ms`,
    `D1        a delivery: round trips ${both(burst.trips)}`,
    `          rows read ${both(burst.rowsRead)}, rows written ${both(burst.rowsWritten)}`,
    `price     a million deliveries more: ${dollars(total)}; a million as billed, the plan of $5 and what it includes`,
    `          counted: ${billed.map(({ millions, each }) => `${dollars(each)} at ${millions} million a month`).join(", ")}`,
    `          ${meters.join(", ")}`,
  ].join("\n");
}

const steadyLine = (steady: Steady) =>
  [
    `steady    ${options.rate} a second for ${options.seconds} s, each post for one channel: ${late(steady)}`,
    `          D1, publishing a delivery: round trips ${steady.tripsPerDelivery.toFixed(2)}, rows written ${steady.rowsWrittenPerDelivery.toFixed(2)}`,
  ].join("\n");

const results: Awaited<ReturnType<typeof run>>[] = [];
const [processor] = cpus();
if (!values.json)
  console.log(`${availableParallelism()} processors (${processor?.model.trim()}), load ${loadavg()[0]?.toFixed(1)}`);
for (const finished of values.finished.split(",").map(Number)) {
  results.push(await run(finished));
}
if (values.json) console.log(JSON.stringify({ options, results }, null, 2));
