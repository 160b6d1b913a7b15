// One simulated deployment: processes of the real code over simulated ports, queues and objects with the platform's guarantees
// only, and a trace of all events.
import type { Context } from "../../src/context.ts";
import { wakePublishers } from "../../src/delivery/queue-consumer.ts";
import { consumeMaintenance } from "../../src/maintenance/queue-consumer.ts";
import { AlteredPosts } from "./altered-posts.ts";
import { Archive } from "./archive.ts";
import type { Change, SimulatedDatabase } from "./database.ts";
import type { Plan } from "./faults.ts";
import type { Ground } from "./ground.ts";
import { moveAway } from "./move.ts";
import type { Networks } from "./networks.ts";
import { Points } from "./points.ts";
import { Ports } from "./ports.ts";
import type { Chance } from "./prng.ts";
import { Processes } from "./processes.ts";
import { SimulatedQueue } from "./queue.ts";
import { Receiver } from "./receiver.ts";
import { type Point, type Process, Scheduler } from "./scheduler.ts";
import { Sealing } from "./sealing.ts";
import type { Subject } from "./subjects.ts";
import { Sweeps, TO_REPEAT } from "./sweeps.ts";
import type { Tenant } from "./tenants.ts";
import { timeTravel } from "./time-travel.ts";
import type { Version } from "./versions.ts";
import { type NetworkCall, Wires } from "./wire.ts";
import type { Workload } from "./workload.ts";

/** A fault that struck. */
export interface Injected {
  kind: string;
  /** The scheduler's step. */
  step: number;
  /** Start in epoch milliseconds, and duration. */
  at: number;
  ms: number;
  platform: string | null;
  /** The number of the post whose call it struck; null: none, or unknown. */
  n: number | null;
  workspace: string | null;
  /** The delivery or channel that the struck call was made for; null: none. */
  subject: Subject | null;
  process: Process | null;
  /** The name of the object whose process or alarm it struck; null: none. */
  object: string | null;
  port: Point["port"] | null;
  irrevocable: boolean;
  what: string;
  /** The database's error text; null: none. */
  text: string | null;
}

export interface StoredObject {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  etag: string;
}

export interface Parts {
  /** The first one has the accounts and, at first, all workspaces. */
  databases: readonly [SimulatedDatabase, ...SimulatedDatabase[]];
  networks: Networks;
  chance: Chance;
  startsAt: number;
  /** Points are carried out in order, and calls take no time. */
  inOrder: boolean;
  /** Answers arrive quickly, and all clocks are right. */
  isPrompt: boolean;
}

/** Follow-up work that is unfinished and may be done. */
const WORKING = `follow_ups JOIN deliveries USING (workspace_id, post_id, channel_id)
  JOIN channels ON channels.workspace_id = follow_ups.workspace_id AND channels.id = channel_id
  WHERE follow_ups.state IN ('due', 'sending') AND check_at IS NOT NULL
  AND (kind = 'takedown' OR (deliveries.state = 'live' AND credential IS NOT NULL AND removed_at IS NULL))`;

export class World implements Ground {
  readonly scheduler: Scheduler;
  readonly databases: readonly [SimulatedDatabase, ...SimulatedDatabase[]];
  readonly networks: Networks;
  readonly chance: Chance;
  readonly isPrompt: boolean;
  readonly objects = new Map<string, StoredObject>();
  /** Files that other hosts serve, by address. */
  readonly addresses = new Map<string, { bytes: Uint8Array<ArrayBuffer>; contentType: string }>();
  readonly trace: string[] = [];
  readonly injected: Injected[] = [];
  /** Requests that were answered with 500 or more, with their process. */
  readonly failed: { process: Process; what: string }[] = [];
  /** By workspace and month: the number of posts that were created before the world, so that their rows are missing. */
  readonly countedBefore = new Map<string, number>();
  /** Posts that networks show differently from what they accepted. */
  readonly altered = new AlteredPosts(this);
  /** Old data that has left the database. */
  readonly archive = new Archive(this);
  /** A digest of the trace. */
  digest = 0;
  plan: Plan;
  /** False during setup and judgement, when calls are answered at once. */
  running = false;
  /** The process whose call is being carried out. */
  acting: Process | null = null;
  /** Called with each commit. */
  committed: (changes: Change[]) => void = () => {};
  /** Called when a network's call is made, and after it was carried out. */
  called: (call: NetworkCall) => void = () => {};
  carriedOut: (call: NetworkCall) => void = () => {};
  /** Called when a process ends before its work, is frozen, or is replaced. */
  killed: (process: Process) => void = () => {};
  /** Called when a process is replaced and continues. */
  takenOver: (process: Process) => void = () => {};
  /** The workspace of a post, by its number. */
  findWorkspace: (n: number) => string | null = () => null;
  /** The id of a post, if a caller knows it. */
  findPostId: (n: number) => string | null = () => null;
  /** Until then, no queue, alarm or sweep runs. */
  outageUntil = 0;
  /** Whether posts repeat. Only then do sweeps look for them, so that the schedules of the other seeds stay the same. */
  hasSeries = false;
  /** When the database was restored to an earlier minute; null: never. */
  wentBackAt: number | null = null;
  /** The release of processes that start now. */
  version: Version = "current";
  /** Points are carried out in order, and calls take no time. */
  readonly inOrder: boolean;
  readonly sealing = new Sealing(this);
  /** The queues for publishers, and for mail and cleanup. */
  readonly queue: SimulatedQueue;
  readonly maintenance: SimulatedQueue;
  readonly wires: Wires;
  readonly ports: Ports;
  readonly points = new Points(this);
  readonly processes = new Processes(this);
  readonly #sweeps = new Sweeps(this);
  readonly receiver = new Receiver();
  /** The number of the database with the rows of all workspaces, and whether a move to the other one is in progress. */
  #home = 0;
  isMoving = false;

  constructor({ databases, networks, chance, startsAt, inOrder, isPrompt }: Parts, plan: Plan) {
    this.databases = databases;
    this.networks = networks;
    this.chance = chance;
    this.plan = plan;
    this.isPrompt = isPrompt;
    this.inOrder = inOrder;
    this.scheduler = new Scheduler(startsAt, chance, (point, index) => this.points.work(point, index), inOrder);
    this.queue = new SimulatedQueue(this, { name: "crier", batchMax: 50, consume: wakePublishers, inOrder });
    // The schedules have no feeds.
    const consume: typeof wakePublishers = (ctx, batch) => consumeMaintenance(ctx, batch, async () => {});
    const maintenance = { name: "crier-maintenance", batchMax: 10, consume, inOrder };
    this.maintenance = new SimulatedQueue(this, maintenance);
    this.wires = new Wires(this);
    this.ports = new Ports(this);
    for (const database of databases) {
      database.now = () => this.scheduler.now;
      database.committed = (changes) => {
        this.archive.note(changes);
        this.committed(changes);
        this.#sweeps.plan();
      };
    }
  }

  /** The database with the rows of workspaces. */
  get database(): SimulatedDatabase {
    const database = this.databases[this.#home];
    if (database === undefined) throw new Error(`there is no database ${this.#home}`);
    return database;
  }
  /** Moves a workspace to the other database, in several tries of which only the last one completes (move.ts). */
  moveAway(tenant: Tenant, diesAt: readonly number[]): Promise<void> {
    return moveAway(this, tenant, diesAt);
  }
  /** The rows of workspaces are in another database from now on. */
  goHome(home: number): void {
    this.#home = home;
    this.#sweeps.plan();
  }

  /** At `at`, restores the database to its state at `minute` (time-travel.ts). */
  timeTravel(workload: Workload, instants: { minute: number; at: number }): void {
    timeTravel(this, workload, instants);
  }
  /** The database was restored, so earlier notes about its rows are void. */
  wentBack(): void {
    this.note("the database went back");
    this.wentBackAt = this.now();
    this.committed = () => {};
    this.called = () => {};
    this.carriedOut = () => {};
    this.#sweeps.plan();
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

  createContext(process: Process): Context {
    return this.ports.context(process, []);
  }

  /** Whether no object or consumer is running and no call is on its way to a network. */
  get isIdle(): boolean {
    return this.points.underway === 0 && this.processes.areIdle;
  }

  /** Whether no work is left. */
  get isQuiet(): boolean {
    if (!this.processes.areQuiet || this.points.underway > 0 || this.isMoving) return false;
    if (this.queue.underway > 0 || this.maintenance.underway > 0) return false;
    const unfinished = this.database.rows(
      `SELECT 1 FROM deliveries WHERE next_at IS NOT NULL UNION ALL SELECT 1 FROM clearances WHERE next_at = 0
         UNION ALL SELECT 1 FROM webhook_messages WHERE state = 'pending' UNION ALL SELECT 1 FROM ${WORKING} UNION ALL SELECT 1 FROM ${TO_REPEAT}
         UNION ALL SELECT 1 FROM discarded_objects WHERE next_at <= ?1 UNION ALL SELECT 1 FROM media WHERE expires_at <= ?1 AND state <> 'expired' LIMIT 1`,
      this.now(),
    );
    return unfinished.length === 0;
  }

  /** Whether a fault strikes where no call is involved. Notes it if so. */
  strikes(
    kind: string,
    { workspace = null, name = null }: { workspace?: string | null; name?: string | null } = {},
  ): boolean {
    const struck = this.running && this.plan.strikes(kind);
    if (struck) this.inject(kind, { workspace, object: name });
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
      workspace: (n === null ? null : this.findWorkspace(n)) ?? point?.process.workspace ?? null,
      subject: point?.subject ?? null,
      process: point?.process ?? null,
      object: (point?.process ?? rest.process)?.object ?? null,
      port: point?.port ?? null,
      irrevocable: point?.irrevocable ?? false,
      what: point?.what ?? "",
      text: null,
      ...rest,
    });
  }
  get lastInjected(): Injected {
    const last = this.injected.at(-1);
    if (last === undefined) throw new Error("nothing has struck yet");
    return last;
  }
}
