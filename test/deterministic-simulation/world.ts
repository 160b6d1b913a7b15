// One simulated deployment: processes of the real code over simulated ports, a queue and objects that keep no promise they
// did not make, and a trace of all that happened.
import { createSeal, type Seal } from "../../src/adapters/seal.ts";
import type { Caller, Context } from "../../src/context.ts";
import { wakePublishers } from "../../src/delivery/queue-consumer.ts";
import { Refusal } from "../../src/domain/refusal.ts";
import { consumeMaintenance } from "../../src/maintenance/queue-consumer.ts";
import { type Places, sweep } from "../../src/maintenance/sweep.ts";
import { handlers } from "../../src/operations/index.ts";
import type { RawInput } from "../../src/operations/run.ts";
import type { Change, SimulatedDatabase } from "./database.ts";
import type { Plan } from "./faults.ts";
import type { Ground } from "./ground.ts";
import { D1_ERRORS, QUERIES_MAX, WALL_MS } from "./limits.ts";
import type { Networks } from "./networks.ts";
import { Ports } from "./ports.ts";
import type { Chance } from "./prng.ts";
import { SimulatedQueue } from "./queue.ts";
import { Receiver } from "./receiver.ts";
import { type Point, type Process, Scheduler, type Verdict } from "./scheduler.ts";
import { type NetworkCall, Wires } from "./wire.ts";

const MINUTE = 60_000;
/** How far the machines' clocks are off the database's. */
const SKEW_MAX_MS = 2_000;
const SWEEP_EVERY_MS = MINUTE;
const SPAN_MS = 5 * MINUTE;

/** A fault that struck. */
export interface Injected {
  kind: string;
  /** Of the scheduler. */
  step: number;
  /** Epoch milliseconds; and how long it lasts, where it does. */
  at: number;
  ms: number;
  platform: string | null;
  /** The number of the post whose call it struck; null where there is none or nobody knows. */
  n: number | null;
  workspace: string | null;
  process: Process | null;
  port: Point["port"] | null;
  irrevocable: boolean;
  what: string;
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
  /** Answers come quickly, and no clock is wrong. */
  isPrompt: boolean;
}

/** What hears of the end of an object's process, and may be told that another one has begun. */
interface Owner {
  killed(): void;
  replace(): void;
}

type How = "done" | "threw" | "killed";
type PointOf = Pick<Point, "process" | "port" | "what" | "platform" | "n" | "irrevocable"> & { started?: () => void };

/** In which a deploy has ended what ran before it. */
const DEPLOY_MS = 30_000;
/** What is due and may be sent: what its network asked to leave alone nobody sweeps up. */
const WAITING = `deliveries JOIN channels ON channels.workspace_id = deliveries.workspace_id AND channels.id = channel_id
  WHERE next_at IS NOT NULL`;
/** First comments that are still to be written, or were begun, where anybody may write them. */
const COMMENTING = `deliveries JOIN channels ON channels.workspace_id = deliveries.workspace_id AND channels.id = channel_id
  WHERE comment_state IN ('due', 'sending') AND check_at IS NOT NULL AND deliveries.state = 'live'
  AND credential IS NOT NULL AND removed_at IS NULL`;
const OLD_KEY = ["sim", new Uint8Array(32).fill(7)] as const;
const NEW_KEY = ["new", new Uint8Array(32).fill(9)] as const;

export class World implements Ground {
  readonly scheduler: Scheduler;
  readonly database: SimulatedDatabase;
  readonly networks: Networks;
  readonly chance: Chance;
  readonly isPrompt: boolean;
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
  /** Told of what is committed. */
  committed: (changes: Change[]) => void = () => {};
  /** Told of each call of a network as it is made, and after one was carried out. */
  called: (call: NetworkCall) => void = () => {};
  carriedOut: (call: NetworkCall) => void = () => {};
  /** Told of each process that ends before its work, stands still, or is taken over by another. */
  killed: (process: Process) => void = () => {};
  /** Told of each process that is taken over by another and goes on. */
  takenOver: (process: Process) => void = () => {};
  /** Whose a post is, by its number. */
  workspaceOf: (n: number) => string | null = () => null;
  /** Calls that are still on their way though nobody waits for them. */
  underway = 0;
  /** The most calls in any five minutes. */
  busiest = 0;
  #span = 0;
  #inSpan = 0;
  /** Until then nothing that nobody waits for is run: no queue, no alarm, no sweep. */
  outageUntil = 0;
  readonly #inOrder: boolean;
  #seal: Seal = createSeal(new Map([OLD_KEY]), "sim");
  /** Requests and batches that are at work, and runs of objects. */
  readonly #processes = new Map<Process, (how: How) => void>();
  readonly #runs = new Map<Process, Set<(how: How) => void>>();
  readonly #owners = new Map<Process, Owner>();
  /** What wakes publishers, and mail and clearing up. */
  readonly queue: SimulatedQueue;
  readonly maintenance: SimulatedQueue;
  readonly wires: Wires;
  readonly ports: Ports;
  readonly receiver = new Receiver();
  #processCount = 0;
  #sweepAt = Number.POSITIVE_INFINITY;
  /** What the sweeper remembers from one sweep to the next. */
  readonly #places: Places = {};
  #unfinished: boolean | null = null;

  constructor({ database, networks, chance, startsAt, inOrder, isPrompt }: Parts, plan: Plan) {
    this.database = database;
    this.networks = networks;
    this.chance = chance;
    this.plan = plan;
    this.isPrompt = isPrompt;
    this.#inOrder = inOrder;
    this.scheduler = new Scheduler(startsAt, chance, (point, index) => this.#work(point, index), inOrder);
    this.queue = new SimulatedQueue(this, { name: "crier", batchMax: 50, consume: wakePublishers, inOrder });
    const maintenance = { name: "crier-maintenance", batchMax: 10, consume: consumeMaintenance, inOrder };
    this.maintenance = new SimulatedQueue(this, maintenance);
    this.wires = new Wires(this);
    this.ports = new Ports(this);
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

  get seal(): Seal {
    return this.#seal;
  }
  /** From now on what is sealed is sealed with another key; what runs has the old one alone, until the deploy has ended it. */
  rotateKeys(): void {
    this.#seal = createSeal(new Map([OLD_KEY, NEW_KEY]), "new");
    this.after(this.chance.between(0, DEPLOY_MS), () => this.restart());
  }

  /** From now on nothing that was sealed can be opened. */
  loseKeys(): void {
    this.inject("keys_lost");
    this.#seal = createSeal(new Map([NEW_KEY]), "new");
  }

  /** Whether nobody is at work and no call is on its way to a network. */
  get isIdle(): boolean {
    return (
      this.underway === 0 &&
      this.#runs.size === 0 &&
      ![...this.#processes.keys()].some(({ kind }) => kind === "consumer")
    );
  }

  /** Whether nothing is left that anybody would do. */
  get isQuiet(): boolean {
    if (this.#processes.size > 0 || this.#runs.size > 0 || this.underway > 0) return false;
    if (this.queue.underway > 0 || this.maintenance.underway > 0) return false;
    this.#unfinished ??=
      this.database.rows(
        `SELECT 1 FROM deliveries WHERE next_at IS NOT NULL UNION ALL SELECT 1 FROM clearances WHERE next_at = 0
         UNION ALL SELECT 1 FROM webhook_messages WHERE state = 'pending' UNION ALL SELECT 1 FROM ${COMMENTING} LIMIT 1`,
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
    if (point.port === "db" && ++process.queries > QUERIES_MAX) {
      this.note(`#${index} ${process.kind}${process.id} has no trips to the database left`);
      return point.fail(new Error(D1_ERRORS.tooMany));
    }
    const { kind, verdict } = this.plan.decide(point, index);
    const about = point.n === undefined || point.n === null ? "" : ` p${point.n}`;
    const name = `#${index} ${process.kind}${process.id} ${point.port} ${point.what}${about}`;
    this.note(verdict.is === "fine" ? name : `${name}  << ${kind}`);
    if (verdict.is !== "fine") this.inject(kind, { point, ms: this.#lasts(verdict) });
    await this.#carryOut(point, verdict);
  }

  /** How long a fault lasts, or asks to wait, in milliseconds. */
  #lasts(verdict: Verdict): number {
    if ("ms" in verdict) return verdict.ms;
    const after = verdict.is === "answer" ? verdict.headers["retry-after"] : undefined;
    if (after === undefined) return 0;
    return Math.max(0, /^-?\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - this.scheduler.now);
  }

  /** Whether a fault strikes where no call is at stake; noted when it does. */
  strikes(kind: string, workspace: string | null = null): boolean {
    const struck = this.running && this.plan.strikes(kind);
    if (struck) this.inject(kind, { workspace });
    return struck;
  }

  inject(kind: string, about: Partial<Injected> & { point?: Point } = {}): void {
    const { point, ...rest } = about;
    const n = point?.n ?? null;
    this.injected.push({
      kind,
      step: this.scheduler.count,
      at: this.scheduler.now,
      ms: 0,
      platform: point?.platform ?? null,
      n,
      workspace: (n === null ? null : this.workspaceOf(n)) ?? point?.process.workspace ?? null,
      process: point?.process ?? null,
      port: point?.port ?? null,
      irrevocable: point?.irrevocable ?? false,
      what: point?.what ?? "",
      ...rest,
    });
  }
  get lastInjected(): Injected {
    const last = this.injected.at(-1);
    if (last === undefined) throw new Error("nothing has struck yet");
    return last;
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
      if (process.dead) return;
      if (process.frozenUntil > this.now()) this.scheduler.at(process.frozenUntil, alive(hand));
      else hand();
    };
    const lost = (text?: string) =>
      new Error(
        text ??
          (point.port === "wire" ? "fetch failed" : point.port === "db" ? D1_ERRORS.lost : "Network connection lost."),
      );
    switch (verdict.is) {
      case "expired":
        if (point.platform !== undefined) this.networks.expire(point.platform);
        return this.#carryOut(point, { is: "fine" });
      case "freeze":
        this.scheduler.freeze(process, verdict.ms);
        this.killed(process);
        if (verdict.replaced) this.#replace(process);
        return this.#carryOut(point, { is: "fine" });
      case "replace":
        this.killed(process);
        this.#replace(process);
        return this.#carryOut(point, { is: "fine" });
      case "fine": {
        if (process.frozenUntil > this.now()) return this.scheduler.add(point);
        const hand = await this.#act(point);
        // Half of the answers come at once, so that what is slow meets what is quick.
        if (this.#inOrder || this.chance.happens(0.5)) hand();
        else this.after(this.#latency(point), alive(hand));
        return;
      }
      case "kill":
        if (verdict.when === "after") await this.#act(point);
        return this.kill(process);
      case "lost":
        if (verdict.when === "after") await this.#act(point);
        return point.fail(lost(verdict.text));
      case "late":
        this.underway++;
        this.after(verdict.ms, async () => {
          await this.#act(point);
          this.underway--;
        });
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

  #replace(process: Process): void {
    this.takenOver(process);
    this.#owners.get(process)?.replace();
  }

  #latency({ port, platform = "" }: Point): number {
    if (port !== "wire") return this.chance.between(1, this.isPrompt ? 15 : 200);
    return this.plan.latencyMs?.(platform) ?? this.chance.between(1, this.isPrompt ? 200 : 1_500);
  }

  /** Carries `act` out when its turn comes. */
  gate<Result>(
    { started, ...point }: PointOf,
    act: () => Result | Promise<Result>,
    misbehave?: (verdict: Verdict, done: (result: Result) => void, fail: (error: Error) => void) => Promise<void>,
  ): Promise<Result> {
    if (!this.running) return (async () => act())();
    return new Promise<Result>((done, reject) => {
      const fail = (error: unknown) => reject(error);
      started?.();
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

  async aside(process: Process, call: () => Promise<unknown>): Promise<void> {
    this.acting = process;
    await call();
    this.acting = null;
  }

  // Processes -------------------------------------------------------------------------------------------------------

  makeProcess(kind: Process["kind"], workspace: string | null): Process {
    const isRight = this.#inOrder || this.isPrompt || this.chance.happens(0.8);
    return {
      id: ++this.#processCount,
      kind,
      workspace,
      skewMs: isRight ? 0 : this.chance.between(-SKEW_MAX_MS, SKEW_MAX_MS),
      dead: false,
      queries: 0,
      connections: 0,
      waiting: [],
      frozenUntil: 0,
    };
  }

  contextOf(process: Process): Context {
    return this.ports.context(process, []);
  }

  /** Starts a process. `ended` hears of its end, whichever it is. */
  spawn(
    kind: Process["kind"],
    workspace: string | null,
    body: (ctx: Context) => Promise<void>,
    ended: (how: How) => void,
  ): Process {
    const process = this.makeProcess(kind, workspace);
    this.#processes.set(process, ended);
    const background: Promise<unknown>[] = [];
    const ctx = this.ports.context(process, background);
    const whole = async (): Promise<How> => {
      let how: How = "done";
      try {
        await body(ctx);
      } catch (error) {
        how = "threw";
        this.note(`${kind}${process.id} threw ${String(error)}`);
      }
      for (const work of background) await work;
      return how;
    };
    void whole().then((how) => this.#end(process, how));
    if (kind !== "api") this.after(WALL_MS, () => this.#tooLong(process));
    return process;
  }

  /** Runs work of an object in its process. `ended` hears of its end once, whichever it is. */
  runIn(process: Process, body: () => Promise<unknown>, ended: (how: How) => void): void {
    const runs = this.#runs.get(process) ?? new Set();
    this.#runs.set(process, runs);
    process.queries = 0;
    runs.add(ended);
    const end = (how: How) => {
      if (!runs.delete(ended)) return;
      if (runs.size === 0) this.#runs.delete(process);
      ended(how);
    };
    void body().then(
      () => end("done"),
      (error) => {
        if (process.dead) return;
        this.note(`${process.kind}${process.id} threw ${String(error)}`);
        end("threw");
      },
    );
    this.after(WALL_MS, () => {
      if (runs.has(ended)) this.#tooLong(process);
    });
  }

  #tooLong(process: Process): void {
    if (process.dead || !(this.#processes.has(process) || this.#runs.has(process))) return;
    this.note(`${process.kind}${process.id} has run for 15 minutes`);
    this.kill(process);
  }

  ownedBy(process: Process, owner: Owner): void {
    this.#owners.set(process, owner);
  }

  #end(process: Process, how: How): void {
    const ended = this.#processes.get(process);
    if (ended === undefined) return;
    this.#processes.delete(process);
    this.ports.ended(process, how !== "killed");
    this.scheduler.kill(process);
    if (how === "killed") this.killed(process);
    ended(how);
  }

  kill(process: Process): void {
    if (process.dead) return;
    if (this.#processes.has(process)) {
      this.#end(process, "killed");
      return;
    }
    this.scheduler.kill(process);
    this.killed(process);
    const runs = this.#runs.get(process) ?? [];
    this.#runs.delete(process);
    this.#owners.get(process)?.killed();
    this.#owners.delete(process);
    for (const ended of runs) ended("killed");
  }

  /** A deploy, or the end of the machine. */
  restart(): void {
    this.note("restart");
    for (const process of [...this.#processes.keys(), ...this.#owners.keys()]) {
      if (process.dead) continue;
      this.inject("restart", { process, workspace: process.workspace });
      this.kill(process);
    }
  }

  /** A caller's request. `answered` hears what the caller hears, once. */
  request(
    name: keyof typeof handlers,
    raw: Partial<RawInput>,
    caller: Caller,
    answered: (answer: Answer) => void,
  ): void {
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
    const workspace = caller !== null && "workspaceId" in caller ? caller.workspaceId : null;
    this.spawn(
      "api",
      workspace,
      async (ctx) => {
        const answer = await perform(ctx, name, caller, input);
        // The answer leaves before the work that it does not wait for is done.
        hear(this.strikes("client_unheard") ? { is: "lost" } : answer);
      },
      () => hear({ is: "lost" }),
    );
  }

  /** An operation carried out at once, before or after everything. */
  async perform(name: keyof typeof handlers, raw: Partial<RawInput>, caller: Caller): Promise<Answer> {
    const input: RawInput = { params: {}, query: {}, body: undefined, idempotencyKey: null, ...raw };
    return perform(this.contextOf({ ...this.makeProcess("api", null), skewMs: 0 }), name, caller, input);
  }

  // The sweeper -----------------------------------------------------------------------------------------------------

  /** Sweeps that would find nothing are left out: they change nothing. */
  #planSweep(): void {
    const [row] = this.database.rows(`SELECT MIN(
      COALESCE((SELECT MIN(MAX(next_at + 30000, COALESCE(not_before, 0))) FROM ${WAITING}), 9e15),
      COALESCE((SELECT MIN(check_at) FROM deliveries WHERE check_at IS NOT NULL), 9e15),
      COALESCE((SELECT MIN(next_at) FROM webhook_messages WHERE state = 'pending') + 30000, 9e15),
      COALESCE((SELECT MIN(renew_at) FROM channels WHERE renew_at IS NOT NULL), 9e15),
      COALESCE((SELECT MIN(since) FROM clearances WHERE next_at = 0), 9e15)) AS at`);
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
          null,
          (ctx) => sweep(ctx, () => this.#places),
          () => {},
        );
      this.#planSweep();
    });
  }

  #sweepFinds(): boolean {
    const { now } = this.scheduler;
    const found = this.database.rows(
      `SELECT 1 FROM ${WAITING} AND next_at <= ?1 - 30000 AND COALESCE(not_before, 0) <= ?1 UNION ALL SELECT 1 FROM deliveries WHERE check_at <= ?1
       UNION ALL SELECT 1 FROM webhook_messages WHERE state = 'pending' AND next_at <= ?1 - 30000
       UNION ALL SELECT 1 FROM channels WHERE renew_at <= ?1 UNION ALL SELECT 1 FROM clearances WHERE next_at = 0 LIMIT 1`,
      now,
    );
    return found.length > 0;
  }
}

async function perform(ctx: Context, name: keyof typeof handlers, caller: Caller, input: RawInput): Promise<Answer> {
  try {
    const { status, body } = await handlers[name].invoke(ctx, caller, input);
    return { is: "answer", status, body };
  } catch (error) {
    if (error instanceof Refusal) return { is: "answer", status: error.status, body: `${error.code} ${error.message}` };
    return { is: "answer", status: 500, body: String(error) };
  }
}
