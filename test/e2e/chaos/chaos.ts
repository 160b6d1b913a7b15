// A run of the whole product over HTTP whose worker is killed repeatedly. Afterwards, the promises to its callers are
// compared with the posts that the networks accepted. Both records are kept outside of the killed processes.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../scripts/local/ports.ts";
import { type Simulators, startSimulators } from "../../../simulators/server.ts";
import { Client } from "./client.ts";
import { type ArmedFault, chooseDelays, chooseFaults, metFaults } from "./faults.ts";
import { brokenInvariants, longestWait } from "./outage.ts";
import { Random } from "./random.ts";
import { judge, type PromisedPost, type ReportedDelivery, type ReportedEvent, type Verdict } from "./verdict.ts";
import { Victim } from "./victim.ts";
import {
  buildOrderBody,
  type Channel,
  chooseOrder,
  type Order,
  POSTS_PER_WORKSPACE,
  prepareWorkspace,
  type Workspace,
} from "./workload.ts";

export interface ChaosOptions {
  posts: number;
  kills: number;
  seed: number;
  /** The time after which the run stops waiting and judges the current state. It ends a minute later in any case. */
  seconds: number;
  /** Ends the run early. */
  stopped: AbortSignal;
  tell(line: string): void;
}
export interface ChaosResult {
  verdict: Verdict;
  kills: number;
  /** Sends that were in progress when the worker was killed. */
  sendsCutOff: number;
  faultsMet: number;
  /** Calls that were repeated after no answer or a 5xx. */
  repeatedCalls: number;
  /** Posts that exist without a promise, and wrong monthly counts. */
  miscounted: string[];
  /** The findings of the operator's audit in the final state. */
  brokenInvariants: string[];
  seconds: number;
}

const CONCURRENT_ORDERS = 4;
/** After this long without a change, no further change is expected. */
const QUIET_MS = 3_000;
/** Added to the wait itself, because the sweeper ignores work that is younger than 30 s. */
const GRACE_MS = 31_000;
/** No outage lasts longer, because reconciliation ends an hour after the send. */
const OUTAGE_MAX_MS = 65 * 60_000;
/** Outages while posts are ordered: a quick restart, one longer than every call, and one longer than most retries. */
const OUTAGES_MS = [0, 0, 6 * 60_000, 20 * 60_000];
/** How many seconds after the last wait everything is read and compared. */
const JUDGING_S = 60;
const FINISHED = new Set(["live", "failed", "removed", "cancelled"]);

interface Placed {
  order: Order;
  id: string;
  notBefore: number;
}

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const stateFolder = await mkdtemp(join(tmpdir(), "crier-chaos-"));
  const simulators = await startSimulators({ port: 0 });
  const port = await freePort();
  const run = new Run(options, simulators, stateFolder, port);
  try {
    return await run.go();
  } finally {
    await run.end();
    await simulators.close();
    await rm(stateFolder, { recursive: true, force: true });
  }
}

class Run {
  readonly #options: ChaosOptions;
  readonly #simulators: Simulators;
  readonly #stateFolder: string;
  readonly #victim: Victim;
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #stopped: AbortSignal;
  readonly #startedAt = Date.now();

  constructor(options: ChaosOptions, simulators: Simulators, stateFolder: string, port: number) {
    this.#options = options;
    this.#simulators = simulators;
    this.#stateFolder = stateFolder;
    this.#victim = new Victim({ port, sandboxUrl: simulators.url, stateFolder });
    const tooLong = AbortSignal.timeout((options.seconds + JUDGING_S) * 1_000);
    this.#stopped = AbortSignal.any([options.stopped, this.#stop.signal, tooLong]);
    this.#client = new Client(`http://127.0.0.1:${port}`, this.#stopped);
  }

  async go(): Promise<ChaosResult> {
    const { posts, kills, seed, tell } = this.#options;
    const random = new Random(seed);
    await this.#victim.start();
    const workspaces: Workspace[] = [];
    for (let i = 0; i < Math.ceil(posts / POSTS_PER_WORKSPACE); i++) {
      workspaces.push(await prepareWorkspace(this.#client, this.#simulators.all, i));
    }
    const channels = workspaces.flatMap((workspace) => workspace.channels);
    const faults = chooseFaults(random, this.#simulators.all, channels, Math.ceil(posts / 4));
    await this.#arm([...faults, ...chooseDelays(random, this.#simulators.all)]);
    const orders = Array.from({ length: posts }, (_, number) => chooseOrder(random, workspaces, seed, number));
    const deaths = Array.from({ length: kills }, (_, i) => ({
      afterOrders: Math.floor(((i + random.next()) * posts) / kills),
      delayMs: random.between(0, 1_000),
      outageMs: random.one(OUTAGES_MS),
    }));
    tell(
      `${posts} posts on ${channels.length} channels, ${faults.length} faults scripted, ${kills} kills; seed ${seed}`,
    );

    const placed: Placed[] = [];
    let ordered = 0;
    const waiting = [...orders];
    const cancellations: Promise<void>[] = [];
    const worker = async () => {
      for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
        await this.#pause(order.pauseMs);
        ordered++;
        const placedOrder = await this.#place(order);
        placed.push(placedOrder);
        if (order.cancelAfterMs !== null) cancellations.push(this.#cancel(placedOrder, order.cancelAfterMs));
      }
    };
    const reaper = async () => {
      for (const { afterOrders, delayMs, outageMs } of deaths) {
        while (ordered < afterOrders) await this.#pause(20);
        await this.#pause(delayMs);
        await this.#outage(() => outageMs);
      }
    };
    await Promise.all([reaper(), ...Array.from({ length: CONCURRENT_ORDERS }, worker)]);
    await Promise.all(cancellations);
    tell(`${placed.length} posts acknowledged after ${this.#seconds()} s and ${this.#victim.kills} kills`);
    await this.#drain(placed);
    return this.#compare(placed, workspaces, faults);
  }

  /** Ends processes that are still running. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#victim.end();
  }

  async #outage(lasts: () => number | Promise<number>): Promise<void> {
    await this.#victim.outage(lasts);
    this.#stopped.throwIfAborted();
  }

  async #place(order: Order): Promise<Placed> {
    const orderedAt = Date.now();
    const { status, body } = await this.#client.call<{ id: string; error?: string }>("POST", "/v1/posts", {
      token: order.workspace.key,
      key: `${order.idempotencyKey}-${orderedAt}`,
      body: buildOrderBody(order, orderedAt),
    });
    // The network accepted no call for it before its time.
    if (body.error === "publish_at_in_past") return this.#place(order);
    if (status !== 201 && status !== 200) throw new Error(`${order.text}: ${status} ${JSON.stringify(body)}`);
    // By the machine's clock when it accepted the order, whose first call may be older than an outage.
    return { order, id: body.id, notBefore: orderedAt + this.#victim.passedBy(orderedAt) + (order.delayMs ?? 0) };
  }

  async #cancel({ order, id }: Placed, afterMs: number): Promise<void> {
    await this.#pause(afterMs);
    await this.#client.call("DELETE", `/v1/posts/${id}`, { token: order.workspace.key });
  }

  /** Causes outages until every delivery has ended or the time is over. */
  async #drain(placed: Placed[]): Promise<void> {
    const { tell, seconds } = this.#options;
    let openPosts = placed;
    let before = "";
    let quietSince = Date.now();
    while (Date.now() < this.#startedAt + seconds * 1_000) {
      const unfinished: string[] = [];
      const stillOpen: Placed[] = [];
      for (const post of openPosts) {
        const deliveries = await this.#read(post);
        const open = deliveries?.filter(({ status }) => !FINISHED.has(status)) ?? [];
        if (open.length > 0) stillOpen.push(post);
        unfinished.push(...open.map(({ account, status }) => `${post.id} ${account} ${status}`));
      }
      openPosts = stillOpen;
      if (unfinished.length === 0) return;
      const now = unfinished.join();
      if (now !== before) quietSince = Date.now();
      before = now;
      if (Date.now() - quietSince < QUIET_MS) {
        await this.#pause(300);
        continue;
      }
      tell(`waiting for a lost call, a retry or a recheck: ${unfinished.length}; time passes`);
      await this.#outage(async () => Math.min(OUTAGE_MAX_MS, (await longestWait(this.#stateFolder)) + GRACE_MS));
      quietSince = Date.now();
    }
  }

  async #read({ order, id }: Placed): Promise<ReportedDelivery[] | null> {
    const { status, body } = await this.#client.call<{
      deliveries: { channel: string; status: string; error: string | null }[];
    }>("GET", `/v1/posts/${id}`, { token: order.workspace.key });
    if (status === 404) return null;
    return order.channels.map(({ id: channel, platform, account }: Channel) => {
      const delivery = body.deliveries.find((delivery) => delivery.channel === channel);
      return { channel, platform, account, status: delivery?.status ?? "missing", error: delivery?.error ?? null };
    });
  }

  async #compare(placed: Placed[], workspaces: Workspace[], faults: ArmedFault[]): Promise<ChaosResult> {
    const promised: PromisedPost[] = [];
    for (const post of placed) {
      const { order, id, notBefore } = post;
      const files = order.files.map(({ sha256 }) => sha256);
      promised.push({ id, text: order.text, files, notBefore, deliveries: await this.#read(post) });
    }
    const { faults: remainingFaults } = await this.#simulated<{ faults: ArmedFault[] }>("/_sim/faults");
    const unanswered = metFaults(faults, remainingFaults);
    const faultsMet = [...unanswered.values()].reduce((sum, count) => sum + count, 0);
    for (const place of this.#victim.sendsCutOff.values()) unanswered.set(place, (unanswered.get(place) ?? 0) + 1);
    const { ledger } = await this.#simulated<{ ledger: Parameters<typeof judge>[0]["ledger"] }>("/_sim/ledger");
    const events: ReportedEvent[] = [];
    const miscounted: string[] = [];
    for (const workspace of workspaces) {
      events.push(...(await this.#pages<ReportedEvent>(workspace, "events", "&order=oldest")));
      const existingPosts = await this.#pages<{ id: string; status: string }>(workspace, "posts", "");
      const orderedIds = new Set(placed.filter(({ order }) => order.workspace === workspace).map(({ id }) => id));
      const unasked = existingPosts.filter(({ id }) => !orderedIds.has(id));
      if (unasked.length > 0) miscounted.push(`${unasked.length} posts that no call was answered with`);
      const { posts } = await this.#client.done<{ posts: { used: number } }>("GET", "/v1/usage", {
        token: workspace.key,
      });
      const cancelled = existingPosts.filter(({ status }) => status === "cancelled").length;
      // A post that was cancelled after the start of its first delivery is still counted.
      if (posts.used > existingPosts.length || posts.used < existingPosts.length - cancelled)
        miscounted.push(`${posts.used} counted of ${existingPosts.length} posts, ${cancelled} of them cancelled`);
    }
    const toMachineTime = (atMs: number) => atMs + this.#victim.passedBy(atMs);
    await this.#victim.kill();
    const verdict = judge({ promised, events, ledger, toMachineTime, unanswered });
    const repeatedCalls = this.#client.repeated;
    return {
      verdict,
      kills: this.#victim.kills,
      sendsCutOff: this.#victim.sendsCutOff.size,
      faultsMet,
      repeatedCalls,
      miscounted,
      brokenInvariants: await brokenInvariants(this.#stateFolder),
      seconds: this.#seconds(),
    };
  }

  async #pages<Row>(workspace: Workspace, name: string, filter: string): Promise<Row[]> {
    const rows: Row[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `limit=200${filter}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page: Record<string, Row[]> & { next?: never } = await this.#client.done("GET", `/v1/${name}?${query}`, {
        token: workspace.key,
      });
      const pageRows = page[name] ?? [];
      if (pageRows.length === 0) break;
      rows.push(...pageRows);
      cursor = page.next ?? null;
    } while (cursor !== null);
    return rows;
  }

  async #arm(faults: ArmedFault[]): Promise<void> {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(faults) };
    const answer = await fetch(`${this.#simulators.url}/_sim/faults`, init);
    if (answer.status !== 201) throw new Error(await answer.text());
  }

  async #simulated<Body>(path: string): Promise<Body> {
    return (await fetch(this.#simulators.url + path)).json() as Promise<Body>;
  }

  #seconds(): number {
    return Math.round((Date.now() - this.#startedAt) / 1_000);
  }

  async #pause(ms: number): Promise<void> {
    this.#stopped.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
