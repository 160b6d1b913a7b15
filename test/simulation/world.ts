// One simulated deployment: processes of the real code over simulated ports, a queue and alarms that keep no promise they
// did not make, and a trace of all that happened.
import type { Bucket } from "../../src/adapters/bucket.ts";
import { createSeal } from "../../src/adapters/seal.ts";
import type { Caller, Context } from "../../src/context.ts";
import { Refusal } from "../../src/domain/refusal.ts";
import type { Settings } from "../../src/env.ts";
import type { Wire } from "../../src/networks/network.ts";
import { bound } from "../../src/operations/index.ts";
import type { RawInput } from "../../src/operations/run.ts";
import { consume } from "../../src/publishing/consume.ts";
import { sweep } from "../../src/publishing/sweep.ts";
import { type Database, openDatabase } from "../../src/store/db.ts";
import { SimulatedClock } from "./clock.ts";
import type { Change, SimulatedDatabase } from "./database.ts";
import type { Plan } from "./faults.ts";
import type { Ground } from "./ground.ts";
import type { Networks } from "./networks.ts";
import type { Chance } from "./prng.ts";
import { HOOK, Receiver, Voice } from "./receiver.ts";
import { type Point, type Process, Scheduler, type Verdict } from "./scheduler.ts";

const MINUTE = 60_000;
const SWEEP_EVERY_MS = MINUTE;
const SPAN_MS = 5 * MINUTE;
/** As in wrangler.toml: deliveries of a message after the first. */
const QUEUE_RETRIES = 3;
const BATCH_MAX = 50;
const MEDIA_URL = "https://media.crier.test";

/** A fault that struck. */
export interface Injected {
  kind: string;
  /** Of the scheduler. */
  step: number;
  platform: string | null;
  process: Process["kind"] | null;
}

interface Message {
  id: string;
  body: unknown;
  attempts: number;
}

interface Opened {
  process: Process | null;
  database: Database;
}

export type Answer = { is: "answer"; status: number; body: unknown } | { is: "lost" };

export interface StoredObject {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  etag: string;
}

export interface Parts {
  database: SimulatedDatabase;
  networks: Networks;
  chance: Chance;
  startsAt: number;
  /** Points come in order, and nothing takes time of its own. */
  inOrder: boolean;
}

const MASTER = new Map([["sim", new Uint8Array(32).fill(7)]]);

export class World implements Ground {
  readonly scheduler: Scheduler;
  readonly database: SimulatedDatabase;
  readonly networks: Networks;
  readonly chance: Chance;
  readonly objects = new Map<string, StoredObject>();
  readonly trace: string[] = [];
  readonly injected: Injected[] = [];
  /** Of all that was noted. */
  digest = 0;
  plan: Plan;
  /** False while the world is set up or judged: then calls are answered at once. */
  running = false;
  /** Who makes the call that is being carried out. */
  acting: Process | null = null;
  /** Told of what is committed, with whose hand. */
  committed: (changes: Change[]) => void = () => {};
  /** Told after each call that a network carried out. */
  carriedOut: (platform: string) => void = () => {};
  /** Calls that are still on their way to a network though nobody waits for them. */
  underway = 0;
  /** The most calls in any five minutes. */
  busiest = 0;
  #span = 0;
  #inSpan = 0;
  /** Until then nothing that nobody waits for is run: no queue, no alarm, no sweep. */
  outageUntil = 0;
  readonly #inOrder: boolean;
  readonly #seal = createSeal(MASTER, "sim");
  readonly #processes = new Map<Process, (how: "done" | "killed") => void>();
  readonly #clocks = new Map<string, SimulatedClock>();
  /** The endpoint of every webhook. */
  readonly receiver = new Receiver();
  readonly #voices = new Map<string, Voice>();
  /** Opening a database costs more than what most processes do with it; the next process takes that of one that is done. */
  readonly #opened: Opened[] = [];
  readonly #openedBy = new WeakMap<Process, Opened>();
  #processCount = 0;
  #messageCount = 0;
  #inbox: Message[] = [];
  #underwayMessages = 0;
  #sweepAt = Number.POSITIVE_INFINITY;
  #unfinished: boolean | null = null;

  constructor({ database, networks, chance, startsAt, inOrder }: Parts, plan: Plan) {
    this.database = database;
    this.networks = networks;
    this.chance = chance;
    this.plan = plan;
    this.#inOrder = inOrder;
    this.scheduler = new Scheduler(startsAt, chance, (point, index) => this.#work(point, index), inOrder);
    database.now = () => this.scheduler.now;
    database.committed = (changes) => {
      this.#unfinished = null;
      this.committed(changes);
      this.#planSweep();
    };
  }

  now(): number {
    return this.scheduler.now;
  }
  after(ms: number, then: () => unknown): void {
    this.scheduler.after(ms, then);
  }
  logged(line: string): void {
    this.note(`  log ${line}`);
  }
  note(line: string): void {
    for (let i = 0; i < line.length; i++) this.digest = (Math.imul(this.digest, 31) + line.charCodeAt(i)) | 0;
    this.trace.push(`${new Date(this.scheduler.now).toISOString().slice(5, 23)} ${line}`);
  }

  /** Whether nobody is at work and no call is on its way to a network. */
  get isIdle(): boolean {
    return this.underway === 0 && ![...this.#processes.keys()].some(({ kind }) => kind === "consumer");
  }

  /** Whether nothing is left that anybody would do. */
  get isQuiet(): boolean {
    if (this.#processes.size > 0 || this.#underwayMessages > 0 || this.underway > 0) return false;
    this.#unfinished ??=
      this.database.rows(
        `SELECT 1 FROM deliveries WHERE next_at IS NOT NULL UNION ALL SELECT 1 FROM clearances
         UNION ALL SELECT 1 FROM webhook_messages WHERE state = 'pending' LIMIT 1`,
      ).length > 0;
    return !this.#unfinished;
  }

  // Points ----------------------------------------------------------------------------------------------------------

  async #work(point: Point, index: number): Promise<void> {
    const { process } = point;
    const span = Math.floor(this.scheduler.now / SPAN_MS);
    this.#inSpan = span === this.#span ? this.#inSpan + 1 : 1;
    this.#span = span;
    this.busiest = Math.max(this.busiest, this.#inSpan);
    const { kind, verdict } = this.plan.decide(point, index);
    const name = `#${index} ${process.kind}${process.id} ${point.port} ${point.what}`;
    this.note(verdict.is === "fine" ? name : `${name}  << ${kind}`);
    if (verdict.is !== "fine") this.inject(kind, point.platform ?? null, process);
    await this.#carryOut(point, verdict);
  }

  /** Whether a fault strikes where no call is at stake; noted when it does. */
  strikes(kind: string): boolean {
    const struck = this.plan.strikes(kind);
    if (struck) this.inject(kind);
    return struck;
  }

  inject(kind: string, platform: string | null = null, process: Process | null = null): void {
    this.injected.push({ kind, step: this.scheduler.count, platform, process: process?.kind ?? null });
  }

  async #act(point: Point): Promise<() => void> {
    this.acting = point.process;
    const hand = await point.act();
    this.acting = null;
    return hand;
  }

  async #carryOut(point: Point, verdict: Verdict): Promise<void> {
    const { process } = point;
    const alive = (hand: () => void) => () => {
      if (!process.dead) hand();
    };
    const lost = () => new Error(point.port === "wire" ? "fetch failed" : "Network connection lost.");
    switch (verdict.is) {
      case "expired":
        if (point.platform !== undefined) this.networks.expire(point.platform);
        return this.#carryOut(point, { is: "fine" });
      case "fine": {
        const hand = await this.#act(point);
        // Half of the answers come at once, so that what is slow meets what is quick.
        if (this.#inOrder || this.chance.happens(0.5)) hand();
        else this.after(this.chance.between(1, point.port === "wire" ? 4_000 : 300), alive(hand));
        return;
      }
      case "kill":
        if (verdict.when === "after") await this.#act(point);
        return this.kill(process);
      case "lost":
        if (verdict.when === "after") await this.#act(point);
        return point.fail(lost());
      case "pause": {
        if (verdict.when === "after") return this.after(verdict.ms, alive(await this.#act(point)));
        return this.after(verdict.ms, () => this.scheduler.add(point));
      }
      case "answer":
      case "hang":
      case "missing":
        return point.misbehave(verdict);
    }
  }

  /** Carries `act` out when its turn comes. */
  #gate<Result>(
    point: Pick<Point, "process" | "port" | "what" | "platform">,
    act: () => Result | Promise<Result>,
    misbehave?: (verdict: Verdict, done: (result: Result) => void, fail: (error: Error) => void) => Promise<void>,
  ): Promise<Result> {
    if (!this.running) return (async () => act())();
    return new Promise<Result>((done, reject) => {
      const fail = (error: unknown) => reject(error);
      this.scheduler.add({
        ...point,
        fail,
        async act() {
          try {
            const result = await act();
            return () => done(result);
          } catch (error) {
            return () => fail(error);
          }
        },
        misbehave: async (verdict) => misbehave?.(verdict, done, fail),
      });
    });
  }

  // Processes -------------------------------------------------------------------------------------------------------

  /** Starts a process. `ended` hears of its end, whichever it is. */
  spawn(
    kind: Process["kind"],
    body: (ctx: Context) => Promise<void>,
    ended: (how: "done" | "killed") => void,
  ): Process {
    const skewMs = this.#inOrder || this.chance.happens(0.8) ? 0 : this.chance.between(-10 * MINUTE, 10 * MINUTE);
    const process: Process = { id: ++this.#processCount, kind, skewMs, dead: false };
    this.#processes.set(process, ended);
    const background: Promise<unknown>[] = [];
    const ctx = this.context(process, background);
    const whole = async () => {
      try {
        await body(ctx);
      } catch (error) {
        this.note(`${kind}${process.id} threw ${String(error)}`);
      }
      for (const work of background) await work;
    };
    void whole().then(() => this.#end(process, "done"));
    return process;
  }

  #end(process: Process, how: "done" | "killed"): void {
    const ended = this.#processes.get(process);
    if (ended === undefined) return;
    this.#processes.delete(process);
    const opened = this.#openedBy.get(process);
    if (opened !== undefined && how === "done") {
      opened.process = null;
      this.#opened.push(opened);
    }
    this.scheduler.kill(process);
    ended(how);
  }

  kill(process: Process): void {
    this.#end(process, "killed");
  }

  /** A deploy, or the end of the machine. */
  restart(): void {
    this.note("restart");
    for (const process of [...this.#processes.keys()]) {
      this.inject("restart", null, process);
      this.kill(process);
    }
  }

  /** A caller's request. `answered` hears what the caller hears, once. */
  request(name: keyof typeof bound, raw: Partial<RawInput>, caller: Caller, answered: (answer: Answer) => void): void {
    const input: RawInput = { params: {}, query: {}, body: undefined, idempotencyKey: null, ...raw };
    let isOver = false;
    const hear = (answer: Answer) => {
      if (isOver) return;
      isOver = true;
      const heard =
        answer.is === "lost" ? "nothing" : `${answer.status}${answer.status < 300 ? "" : ` ${answer.body}`}`;
      this.note(`client hears ${heard} of ${name}`);
      answered(answer);
    };
    this.spawn(
      "api",
      async (ctx) => {
        const answer = await perform(ctx, name, caller, input);
        // The answer leaves before the work that it does not wait for is done.
        hear(this.strikes("client_unheard") ? { is: "lost" } : answer);
      },
      () => hear({ is: "lost" }),
    );
  }

  /** An operation carried out at once, before or after everything. */
  async perform(name: keyof typeof bound, raw: Partial<RawInput>, caller: Caller): Promise<Answer> {
    const process: Process = { id: 0, kind: "api", skewMs: 0, dead: false };
    const input: RawInput = { params: {}, query: {}, body: undefined, idempotencyKey: null, ...raw };
    return perform(this.context(process, []), name, caller, input);
  }

  // Queue -----------------------------------------------------------------------------------------------------------

  #send(jobs: unknown[]): void {
    for (const body of jobs) this.post({ id: `m${++this.#messageCount}`, body, attempts: 0 });
    if (this.strikes("queue_strange")) {
      const body = this.chance.pick<unknown>([null, "x", { kind: "delivery", id: "dlv_1" }, { kind: "channel" }, 7]);
      this.post({ id: `m${++this.#messageCount}`, body, attempts: 0 });
    }
  }

  post(message: Message): void {
    const { chance } = this;
    if (this.strikes("queue_lost")) return;
    const usual = () =>
      this.#inOrder ? 0 : chance.pick([0, 0, 0, chance.between(1, 500), chance.between(500, 20_000)]);
    this.#deliverLater(message, usual());
    if (this.strikes("queue_twice")) this.#deliverLater({ ...message }, usual());
    if (this.strikes("queue_much_later")) this.#deliverLater({ ...message }, chance.between(MINUTE, 5 * 60 * MINUTE));
  }

  #deliverLater(message: Message, ms: number): void {
    this.#underwayMessages++;
    this.after(ms, () => {
      this.#inbox.push(message);
      if (this.#inbox.length === 1) this.after(0, () => this.#deliver());
    });
  }

  #deliver(): void {
    if (this.now() < this.outageUntil) {
      this.scheduler.at(this.outageUntil, () => this.#deliver());
      return;
    }
    const size = this.#inOrder ? BATCH_MAX : this.chance.between(1, Math.min(BATCH_MAX, this.#inbox.length));
    const messages = this.#inbox.splice(0, size);
    if (this.#inbox.length > 0) this.after(0, () => this.#deliver());
    const left = new Set(messages);
    const over = (message: Message, again: number | null) => {
      if (!left.delete(message)) return;
      this.#underwayMessages--;
      if (again !== null && message.attempts < QUEUE_RETRIES)
        this.#deliverLater({ ...message, attempts: message.attempts + 1 }, again);
    };
    const batch = {
      queue: "crier",
      metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
      messages: messages.map((message) => ({
        id: message.id,
        timestamp: new Date(),
        body: message.body,
        attempts: message.attempts + 1,
        ack: () => over(message, this.strikes("queue_unheard") ? 1_000 : null),
        retry: ({ delaySeconds = 0 } = {}) => over(message, delaySeconds * 1_000),
      })),
      ackAll() {},
      retryAll() {},
    };
    this.note(`queue delivers ${messages.map(({ id, body }) => `${id} ${JSON.stringify(body)}`).join(", ")}`);
    this.spawn(
      "consumer",
      (ctx) => consume(ctx, batch),
      () => {
        for (const message of [...left]) over(message, this.#inOrder ? 1_000 : this.chance.between(0, 2 * MINUTE));
      },
    );
  }

  // Clocks and sweeper ----------------------------------------------------------------------------------------------

  #clock(workspace: string): SimulatedClock {
    const clock = this.#clocks.get(workspace) ?? new SimulatedClock(this);
    this.#clocks.set(workspace, clock);
    return clock;
  }

  /** Sends what a clock rings for, on behalf of its process. */
  sendFrom(ctx: Context, jobs: Parameters<Context["queue"]["send"]>[0]): Promise<void> {
    return ctx.queue.send(jobs);
  }

  /** Sweeps that would find nothing are left out: they change nothing. */
  #planSweep(): void {
    const [row] = this.database.rows(`SELECT MIN(
      COALESCE((SELECT MIN(next_at) FROM deliveries WHERE next_at IS NOT NULL) + 30000, 9e15),
      COALESCE((SELECT MIN(due_at) FROM checks), 9e15),
      COALESCE((SELECT MIN(next_at) FROM webhook_messages WHERE state = 'pending') + 30000, 9e15),
      COALESCE((SELECT MIN(renew_at) FROM channels WHERE renew_at IS NOT NULL), 9e15),
      COALESCE((SELECT MIN(since) FROM clearances), 9e15)) AS at`);
    const wanted = Number(row?.at);
    if (wanted >= 9e15) return;
    const at = Math.ceil(Math.max(wanted, this.scheduler.now + 1) / SWEEP_EVERY_MS) * SWEEP_EVERY_MS;
    if (at >= this.#sweepAt) return;
    this.#sweepAt = at;
    this.scheduler.at(at, () => {
      if (this.#sweepAt !== at) return;
      this.#sweepAt = Number.POSITIVE_INFINITY;
      if (this.now() >= this.outageUntil && this.#sweepFinds())
        this.spawn(
          "sweep",
          async (ctx) => void (await sweep(ctx)),
          () => {},
        );
      this.#planSweep();
    });
  }

  #sweepFinds(): boolean {
    const { now } = this.scheduler;
    const found = this.database.rows(
      `SELECT 1 FROM deliveries JOIN channels ON channels.id = channel_id
        WHERE next_at <= ?1 - 30000 AND COALESCE(channels.lease_until, 0) <= ?1
       UNION ALL SELECT 1 FROM checks WHERE due_at <= ?1
       UNION ALL SELECT 1 FROM webhook_messages WHERE state = 'pending' AND next_at <= ?1 - 30000
       UNION ALL SELECT 1 FROM channels WHERE renew_at <= ?1 UNION ALL SELECT 1 FROM clearances LIMIT 1`,
      now,
    );
    return found.length > 0;
  }

  // Ports -----------------------------------------------------------------------------------------------------------

  #open(): Opened {
    const opened: Opened = {
      process: null,
      database: openDatabase(
        this.database.binding((what, statements, act) => {
          const { process } = opened;
          if (process === null) throw new Error("a process that has ended uses its database");
          return this.#gate({ process, port: "db", what: `${what} ${statements.length} ${verbOf(statements)}` }, act);
        }),
      ),
    };
    return opened;
  }

  context(process: Process, background: Promise<unknown>[]): Context {
    const opened = this.#opened.pop() ?? this.#open();
    opened.process = process;
    this.#openedBy.set(process, opened);
    const { database } = opened;
    const now = () => this.scheduler.now + process.skewMs;
    return {
      settings: SETTINGS,
      accounts: database,
      databaseOf: () => database,
      databases: [database],
      now,
      entropy: (length) => this.chance.bytes(length),
      clock: {
        arm: (workspaceId, entries) =>
          this.#gate({ process, port: "clock", what: "arm" }, () => this.#clock(workspaceId).arm(workspaceId, entries)),
        clear: (workspaceId) =>
          this.#gate({ process, port: "clock", what: "clear" }, () => this.#clock(workspaceId).clear()),
      },
      mcp: { end: async () => {} },
      queue: {
        send: (jobs) =>
          jobs.length === 0
            ? Promise.resolve()
            : this.#gate({ process, port: "queue", what: `send ${jobs.length}` }, () => this.#send(jobs)),
      },
      bucket: this.#bucket(process),
      seal: this.#seal,
      passwords: { hash: async (password) => password, verify: async () => true, isOutdated: () => false },
      outbound: {
        check: () => "url_not_public",
        admit: async (url) => new URL(url),
        fetch: (url, init = {}) => {
          const go = this.#wireTo(process, "webhook", async () => this.receiver.take(init));
          return url === HOOK ? go(url, init) : Promise.reject(new TypeError("fetch failed"));
        },
      },
      pause: (ms) =>
        this.running
          ? new Promise((end) =>
              this.after(ms, () => {
                if (!process.dead) end();
              }),
            )
          : Promise.resolve(),
      webhooks: {
        wake: (workspace, ids) =>
          this.#gate({ process, port: "clock", what: "wake" }, () => {
            for (const id of ids) this.#voice(workspace, id).wake();
          }).catch(() => {}),
      },
      mail: null,
      idp: null,
      address: null,
      limits: { take: async () => 0, clear: async () => {} },
      wire: (platform) => this.#wire(process, platform, now),
      addressOf: (_platform, url) => url,
      later: (work) => {
        background.push(work.catch((error) => this.note(`later failed: ${String(error)}`)));
      },
    };
  }

  #bucket(process: Process): Bucket {
    const gate = <Result>(what: string, act: () => Result) => this.#gate({ process, port: "bucket", what }, act);
    const find = <Result>(what: string, act: () => Result | null) =>
      this.#gate<Result | null>({ process, port: "bucket", what }, act, async (_verdict, done) => done(null));
    return {
      presignPut: async () => `${MEDIA_URL}/put`,
      publicUrl: (key) => `${MEDIA_URL}/${key}`,
      stat: (key) =>
        find(`stat ${key}`, () => {
          const object = this.objects.get(key);
          return object === undefined
            ? null
            : { bytes: object.bytes.byteLength, contentType: object.contentType, etag: object.etag };
        }),
      read: (key, etag, range) =>
        find(`read ${key}`, () => {
          const object = this.objects.get(key);
          if (object === undefined || object.etag !== etag) return null;
          const { offset = 0, length = object.bytes.byteLength } = range ?? {};
          return streamOf(object.bytes.subarray(offset, offset + length));
        }),
      delete: (keys) =>
        gate("delete", () => {
          for (const key of keys) this.objects.delete(key);
        }),
      clear: (prefix) =>
        gate("clear", () => {
          for (const key of this.objects.keys()) if (key.startsWith(prefix)) this.objects.delete(key);
        }),
    };
  }

  #voice(workspace: string, webhook: string): Voice {
    const voice = this.#voices.get(webhook) ?? new Voice(this, workspace, webhook);
    this.#voices.set(webhook, voice);
    return voice;
  }

  /** A call of a server outside; `carryOut` is what it does with it. */
  #wireTo(
    process: Process,
    platform: string,
    carryOut: (url: string, init: RequestInit) => Promise<Response>,
  ): (url: string, init?: RequestInit) => Promise<Response> {
    return async (url, init = {}) => {
      const { signal } = init;
      // A stream is read as its source gives it, which may be a port itself.
      const body = init.body instanceof ReadableStream ? await new Response(init.body).arrayBuffer() : init.body;
      const call = async () => {
        const answer = await carryOut(url, { ...init, body });
        this.carriedOut(platform);
        return answer;
      };
      const what = `${init.method ?? "GET"} ${new URL(url).pathname}`;
      return this.#gate({ process, port: "wire", what, platform }, call, async (verdict, done, fail) => {
        const givesUp = (then: (reason: Error) => void) => {
          if (signal?.aborted) then(signal.reason);
          else if (signal) signal.addEventListener("abort", () => then(signal.reason), { once: true });
          else this.after(2 * MINUTE, () => then(new TypeError("fetch failed")));
        };
        if (verdict.is === "answer") {
          const answer = new Response(verdict.body, { status: verdict.status, headers: verdict.headers });
          if (verdict.carriedOut) await this.#aside(process, call);
          done(answer);
        } else if (verdict.is === "hang") {
          if (verdict.lands !== null) {
            this.underway++;
            this.after(verdict.lands, () => this.#aside(process, call).finally(() => this.underway--));
          }
          if (!verdict.headersCame) return givesUp(fail);
          done(new Response(new ReadableStream({ start: (stream) => givesUp((reason) => stream.error(reason)) })));
        }
      });
    };
  }

  #wire(process: Process, platform: string, now: () => number): Wire {
    const go = this.#wireTo(process, platform, (url, init) => this.networks.call(platform, url, init));
    return {
      app: { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null },
      fetch: go,
      fetchPublic: go,
      now,
      random: (length) => this.chance.bytes(length),
      sized: (stream) => stream,
    };
  }

  async #aside(process: Process, call: () => Promise<unknown>): Promise<void> {
    this.acting = process;
    await call();
    this.acting = null;
  }
}

async function perform(ctx: Context, name: keyof typeof bound, caller: Caller, input: RawInput): Promise<Answer> {
  try {
    const { status, body } = await bound[name].perform(ctx, caller, input);
    return { is: "answer", status, body };
  } catch (error) {
    if (error instanceof Refusal) return { is: "answer", status: error.status, body: error.message };
    return { is: "answer", status: 500, body: String(error) };
  }
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(stream) {
      stream.enqueue(bytes);
      stream.close();
    },
  });
}

const verbOf = (statements: { sql: string }[]): string => {
  const words = /^\s*(\w+)(?:.*?\b(?:from|into|update)\s+"?(\w+)"?)?/is.exec(statements[0]?.sql ?? "");
  return `${words?.[1] ?? ""} ${words?.[2] ?? ""}`;
};

const SETTINGS: Settings = {
  version: "simulation",
  baseUrl: "https://crier.test",
  provider: "sandbox",
  sandboxUrl: "http://networks.test",
  defaultPlan: "unlimited",
  sealKeys: MASTER,
  passwordPepper: "",
  bucket: null,
  appOf: () => ({ clientId: "sandbox", clientSecret: "sandbox", scopes: null }),
  allowPrivateAddresses: false,
  dashboardUrl: "https://crier.test",
  mail: null,
  idp: null,
};
