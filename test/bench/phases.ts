// The measurements of `npm run bench`, each on a running engine; run.ts decides which ones run and how often.
import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs } from "../../scripts/local/processes.ts";
import { computeCosts } from "./costs.ts";
import type { Engine } from "./engine.ts";
import { type Lateness, lateness } from "./lateness.ts";
import { mergeStatements } from "./merge-statements.ts";
import { type BenchWorkspace, createPosts, getShare, makeConnectedWorkspaces, type Planned } from "./world.ts";

const DAY_MS = 86_400_000;
const DRAIN_MAX_MS = 180_000;
/** How often a post of each workspace is rechecked. */
const RECHECK_ROUNDS = 3;
const noUse = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
/** The maximum channels of a post: src/domain/limits.ts. */
const CHANNELS_PER_POST_MAX = 100;

export interface Size {
  deliveries: number;
  channels: number;
  workspaces: number;
  perPost: number;
  rate: number;
  seconds: number;
  creates: number;
  /** Workspaces of one channel each; 0: none. */
  spread: number;
  /** Channels of one workspace; 0: none. */
  wide: number;
  /** Deliveries of each run that is priced. */
  priced: number;
  /** Used while costs are measured: the time of a call to a network, and the time that is added to a round trip to the database. */
  answerMs: number;
  roundTripMs: number;
  /** The time between two posts whose cost is measured. */
  pricedEveryMs: number;
}

export interface Timed extends Lateness {
  deliveries: number;
  perSecond: number;
  /** Processor time of the worker's processes per delivery, from the first instant on. A busy machine changes it least. */
  cpuMs: number;
}

export class Phases {
  readonly engine: Engine;
  readonly #size: Size;
  readonly #shared: BenchWorkspace[];
  readonly #spread: BenchWorkspace[];
  readonly #wide: BenchWorkspace[];
  #createsPerSecond = Number.NaN;
  #runs = 0;

  private constructor(
    engine: Engine,
    size: Size,
    shared: BenchWorkspace[],
    spread: BenchWorkspace[],
    wide: BenchWorkspace[],
  ) {
    this.engine = engine;
    this.#size = size;
    this.#shared = shared;
    this.#spread = spread;
    this.#wide = wide;
  }

  /** Connects all channels, and inserts posts that were published long ago. */
  static async prepare(engine: Engine, size: Size, finished: number): Promise<Phases> {
    const { call } = engine;
    await engine.meters("off");
    const shared = await makeConnectedWorkspaces(call, "bench", size.workspaces, size.channels);
    for (const [i, { id: workspace, channels }] of shared.entries()) {
      const posts = getShare(finished, i, shared.length);
      if (posts > 0) await call("POST", "/_bench/history", null, { workspace, channels, posts });
    }
    const spread = await makeConnectedWorkspaces(call, "spread", size.spread, size.spread);
    const wide = size.wide > 0 ? await makeConnectedWorkspaces(call, "wide", 1, size.wide) : [];
    return new Phases(engine, size, shared, spread, wide);
  }

  /** Posts per second over HTTP, for a day that is not measured. */
  async creates(): Promise<number> {
    const planned = this.#plan("create", this.#size.creates, () => Date.now() + DAY_MS, this.#size.perPost);
    this.#createsPerSecond = await createPosts(this.engine.call, planned);
    return this.#createsPerSecond;
  }

  /** A steady rate of posts, each for one channel at a different instant. */
  steady(): Promise<Timed> {
    const { rate, seconds } = this.#size;
    const start = this.#getTimeAfterCreation(rate * seconds);
    const getDueAt = (i: number) => start + Math.floor((i * 1000) / rate);
    return this.#measureTimes(this.#plan("steady", rate * seconds, getDueAt, 1));
  }

  /** All deliveries of many workspaces due at one instant. */
  burst(): Promise<Timed> {
    const posts = Math.ceil(this.#size.deliveries / this.#size.perPost);
    const dueAt = this.#getTimeAfterCreation(posts);
    return this.#measureTimes(this.#plan("burst", posts, () => dueAt, this.#size.perPost));
  }

  /** Posts due at one instant, each in a different workspace. */
  spreadBurst(): Promise<Timed> {
    const dueAt = this.#getTimeAfterCreation(this.#spread.length);
    return this.#measureTimes(this.#plan("spread", this.#spread.length, () => dueAt, 1, this.#spread));
  }

  /** One workspace, each of whose channels has one delivery, all due at one instant. */
  wideBurst(): Promise<Timed> {
    const [workspace] = this.#wide;
    if (workspace === undefined) throw new Error("there is no wide workspace");
    const dueAt = this.#getTimeAfterCreation(Math.ceil(this.#size.wide / CHANNELS_PER_POST_MAX) * 20);
    const planned: Planned[] = [];
    const name = this.#name("wide");
    for (let from = 0; from < workspace.channels.length; from += CHANNELS_PER_POST_MAX) {
      const channels = workspace.channels.slice(from, from + CHANNELS_PER_POST_MAX).map(({ id }) => id);
      planned.push({ workspace, channels, text: `${name} ${from}`, at: dueAt });
    }
    return this.#measureTimes(planned);
  }

  /** The cost of a delivery of posts for this many channels, each at a different instant, so that nothing is shared by chance. */
  async priced(perPost: number) {
    const { engine } = this;
    const posts = Math.ceil(this.#size.priced / perPost);
    const start = this.#getTimeAfterCreation(posts);
    const getDueAt = (i: number) => start + i * this.#size.pricedEveryMs;
    const planned = this.#plan("priced", posts, getDueAt, perPost);
    await engine.meters("all");
    const cpuBefore = await cpuMs(engine.runtimes);
    await createPosts(engine.call, planned);
    this.#checkCreatedBefore(start);
    const creation = await engine.meters("engine", this.#size.roundTripMs);
    engine.simulators.conditions.answerMs = this.#size.answerMs;
    const late = await this.#waitForReceipts(planned);
    engine.simulators.conditions.answerMs = 0;
    const cpu = (await cpuMs(engine.runtimes)) - cpuBefore;
    await this.#waitUntilPublished(planned);
    await this.#waitForHibernation();
    const spent = await engine.meters("off");
    const count = late.length;
    const { logsInvocations } = engine;
    const costs = computeCosts({ creation, spent, cpuMs: cpu, logsInvocations }, { posts, deliveries: count });
    const statements = mergeStatements([creation.statements, spent.statements]).map(([sql, use]) => ({
      sql,
      count: use.count / count,
      rowsRead: use.rowsRead / count,
      rowsWritten: use.rowsWritten / count,
    }));
    return { perPost, deliveries: count, ...costs, statements };
  }

  /** Waits until no object is kept from hibernating, because objects are billed until then. */
  async #waitForHibernation(): Promise<void> {
    for (;;) {
      const { resident } = await this.engine.call<{ resident: number }>("GET", "/_bench/resident", null);
      if (resident === 0) return;
      await sleep(100);
    }
  }

  /** The cost of one recheck of a published post: the sweeper finds it, and its publisher asks the network. */
  async rechecked() {
    const { engine } = this;
    const cpuBefore = await cpuMs(engine.runtimes);
    await engine.meters("engine", this.#size.roundTripMs);
    engine.simulators.conditions.answerMs = this.#size.answerMs;
    let rechecked = 0;
    for (let round = 0; round < RECHECK_ROUNDS; round++) {
      const { due } = await engine.call<{ due: number }>("POST", "/_bench/recheck-now", null, {});
      if (due === 0) throw new Error("no live post is due for a recheck");
      await engine.call("POST", "/_bench/sweep-now", null);
      for (const deadline = Date.now() + DRAIN_MAX_MS; ; await sleep(200)) {
        const remaining = await engine.call<{ due: number }>("GET", "/_bench/rechecks", null);
        if (remaining.due === 0) break;
        if (Date.now() > deadline) throw new Error(`${remaining.due} of ${due} deliveries were not rechecked`);
      }
      rechecked += due;
    }
    engine.simulators.conditions.answerMs = 0;
    const cpu = (await cpuMs(engine.runtimes)) - cpuBefore;
    await this.#waitForHibernation();
    const spent = await engine.meters("off");
    const { logsInvocations } = engine;
    const creation = {
      ...spent,
      objects: {},
      http: noUse,
      queue: noUse,
      requests: 0,
      batches: 0,
      messages: 0,
      logLines: 0,
      logBytes: 0,
      bucket: { a: 0, b: 0 },
    };
    return {
      rechecks: rechecked,
      ...computeCosts({ creation, spent, cpuMs: cpu, logsInvocations }, { posts: 0, deliveries: rechecked }),
    };
  }

  async #measureTimes(planned: Planned[]): Promise<Timed> {
    await createPosts(this.engine.call, planned);
    this.#checkCreatedBefore(Math.min(...planned.map(({ at }) => at)));
    const cpuBefore = await cpuMs(this.engine.runtimes);
    const late = await this.#waitForReceipts(planned);
    const cpu = (await cpuMs(this.engine.runtimes)) - cpuBefore;
    await this.#waitUntilPublished(planned);
    const perSecond = (late.length / Math.max(...late)) * 1000;
    return { deliveries: late.length, ...lateness(late), perSecond, cpuMs: cpu / late.length };
  }

  /** An instant after the creation of this many posts, even if each takes twice as long as before. */
  #getTimeAfterCreation(posts: number): number {
    return Math.ceil(Date.now() + 5_000 + (posts / this.#createsPerSecond) * 2_000);
  }

  #checkCreatedBefore(dueAt: number): void {
    if (Date.now() > dueAt) throw new Error("not all posts were created before they were due: the machine is too busy");
  }

  /** A name that is unique in this run. */
  #name(phase: string): string {
    return `${phase} ${++this.#runs}`;
  }

  #plan(
    phase: string,
    posts: number,
    getDueAt: (i: number) => number,
    perPost: number,
    among = this.#shared,
  ): Planned[] {
    const name = this.#name(phase);
    const planned: Planned[] = [];
    for (let i = 0; i < posts; i++) {
      const workspace = among[i % among.length];
      if (workspace === undefined) throw new Error("there is no workspace");
      const first = Math.floor(i / among.length);
      const { channels } = workspace;
      const chosen = Array.from({ length: Math.min(perPost, channels.length) }, (_, c) => {
        return channels[(first + c) % channels.length]?.id ?? "";
      });
      planned.push({ workspace, channels: chosen, text: `${name} ${i}`, at: getDueAt(i) });
    }
    return planned;
  }

  /** Milliseconds from the promised instant to the network's receipt. Waits for all posts, each of which must arrive once. */
  async #waitForReceipts(planned: Planned[]): Promise<number[]> {
    const expected = planned.reduce((sum, { channels }) => sum + channels.length, 0);
    const dueAt = new Map(planned.map(({ text, at }) => [text, at]));
    const last = Math.max(...planned.map(({ at }) => at));
    const received = () => this.engine.simulators.ledger.list().filter(({ text }) => dueAt.has(text));
    await sleep(Math.max(0, last - Date.now()));
    while (received().length < expected && Date.now() < last + DRAIN_MAX_MS) await sleep(200);
    const entries = received();
    const different = new Set(entries.map(({ platform, account, text }) => `${platform} ${account} ${text}`));
    if (entries.length !== expected || different.size !== expected) {
      const states = await this.#listUnfinished(planned);
      throw new Error(
        `${entries.length} receipts of ${different.size} of ${expected} deliveries\n${states.join("\n")}`,
      );
    }
    return entries.map(({ text, at_ms }) => at_ms - (dueAt.get(text) ?? Number.NaN));
  }

  /** The API's statuses of planned posts that are not published. */
  async #listUnfinished(planned: Planned[]): Promise<string[]> {
    const lines: string[] = [];
    for (const { key } of new Set(planned.map(({ workspace }) => workspace))) {
      for (const status of ["queued", "publishing", "failed", "partially_published"]) {
        const { posts } = await this.engine.call<{ posts: object[] }>(
          "GET",
          `/v1/posts?status=${status}&limit=50`,
          key,
        );
        lines.push(...posts.map((post) => JSON.stringify(post)));
        if (lines.length > 100) return lines;
      }
    }
    return lines;
  }

  /** Resolves when the API calls every planned post published. */
  async #waitUntilPublished(planned: Planned[]): Promise<void> {
    const byWorkspace = Map.groupBy(planned, ({ workspace }) => workspace);
    for (const [{ key }, ownPosts] of byWorkspace) {
      const texts = new Set(ownPosts.map(({ text }) => text));
      for (const deadline = Date.now() + DRAIN_MAX_MS; ; await sleep(200)) {
        const path = `/v1/posts?status=published&limit=${Math.min(200, texts.size + 10)}`;
        const { posts } = await this.engine.call<{ posts: { text: string }[] }>("GET", path, key);
        if (posts.filter(({ text }) => texts.has(text)).length === texts.size) break;
        if (Date.now() > deadline) throw new Error("a post was received but is not reported as published");
      }
    }
  }
}
