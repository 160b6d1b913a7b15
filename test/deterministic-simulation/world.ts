// One simulated deployment: processes of the real code over simulated ports, a queue and objects that keep no promise they
// did not make, and a trace of all that happened.
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
import { Sweeps } from "./sweeps.ts";
import type { Tenant } from "./tenants.ts";
import { timeTravel } from "./time-travel.ts";
import type { Version } from "./versions.ts";
import { type NetworkCall, Wires } from "./wire.ts";
import type { Workload } from "./workload.ts";

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
  /** What the call was made for that it struck; null: nobody in particular. */
  subject: Subject | null;
  process: Process | null;
  /** The name of the object whose process or alarm it struck; null: none. */
  object: string | null;
  port: Point["port"] | null;
  irrevocable: boolean;
  what: string;
  /** What the database said; null: nothing. */
  text: string | null;
}

export interface StoredObject {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  etag: string;
}

export interface Parts {
  /** The first one has the accounts, and at first all workspaces. */
  databases: readonly [SimulatedDatabase, ...SimulatedDatabase[]];
  networks: Networks;
  chance: Chance;
  startsAt: number;
  /** Points come in order, and nothing takes time of its own. */
  inOrder: boolean;
  /** Answers come quickly, and no clock is wrong. */
  isPrompt: boolean;
}

/** Work of options that is still to be done, or was begun, where anybody may do it. */
const WORKING = `follow_ups JOIN deliveries USING (workspace_id, post_id, channel_id)
  JOIN channels ON channels.workspace_id = follow_ups.workspace_id AND channels.id = channel_id
  WHERE follow_ups.state IN ('due', 'sending') AND check_at IS NOT NULL AND deliveries.state = 'live'
  AND credential IS NOT NULL AND removed_at IS NULL`;

export class World implements Ground {
  readonly scheduler: Scheduler;
  readonly databases: readonly [SimulatedDatabase, ...SimulatedDatabase[]];
  readonly networks: Networks;
  readonly chance: Chance;
  readonly isPrompt: boolean;
  readonly objects = new Map<string, StoredObject>();
  /** Files that hosts serve, by address. */
  readonly addresses = new Map<string, { bytes: Uint8Array<ArrayBuffer>; contentType: string }>();
  readonly trace: string[] = [];
  readonly injected: Injected[] = [];
  /** Requests that were answered with 500 or more, and by which process. */
  readonly failed: { process: Process; what: string }[] = [];
  /** By workspace and month, the posts that are counted and were made before the world: their rows are not in it. */
  readonly countedBefore = new Map<string, number>();
  /** What networks show otherwise than they accepted it. */
  readonly altered = new AlteredPosts(this);
  /** What has left the database because it is old. */
  readonly archive = new Archive(this);
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
  /** Its id, where anybody was told. */
  postOf: (n: number) => string | null = () => null;
  /** Until then nothing that nobody waits for is run: no queue, no alarm, no sweep. */
  outageUntil = 0;
  /** When its database went back to an earlier minute; null: it never did. */
  wentBackAt: number | null = null;
  /** The release that processes have which begin now. */
  version: Version = "current";
  /** Points come in order, and nothing takes time of its own. */
  readonly inOrder: boolean;
  readonly sealing = new Sealing(this);
  /** What wakes publishers, and mail and clearing up. */
  readonly queue: SimulatedQueue;
  readonly maintenance: SimulatedQueue;
  readonly wires: Wires;
  readonly ports: Ports;
  readonly points = new Points(this);
  readonly processes = new Processes(this);
  readonly #sweeps = new Sweeps(this);
  readonly receiver = new Receiver();
  /** The number of the database that has the rows of all workspaces; and of a move to another that is under way. */
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
    const maintenance = { name: "crier-maintenance", batchMax: 10, consume: consumeMaintenance, inOrder };
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

  /** The database that has the rows of workspaces. */
  get database(): SimulatedDatabase {
    const database = this.databases[this.#home];
    if (database === undefined) throw new Error(`there is no database ${this.#home}`);
    return database;
  }
  /** Moves a workspace to the other database, in tries of which each but the last breaks off (-> move.ts). */
  moveAway(tenant: Tenant, diesAt: readonly number[]): Promise<void> {
    return moveAway(this, tenant, diesAt);
  }
  /** From now on the rows of workspaces are in another database. */
  goHome(home: number): void {
    this.#home = home;
    this.#sweeps.plan();
  }

  /** Has the database go back, at `at`, to what it is at `minute` (-> time-travel.ts). */
  timeTravel(workload: Workload, instants: { minute: number; at: number }): void {
    timeTravel(this, workload, instants);
  }
  /** The database is one of an earlier minute: what was noted of its rows counts no more. */
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

  contextOf(process: Process): Context {
    return this.ports.context(process, []);
  }

  /** Whether nobody is at work and no call is on its way to a network. */
  get isIdle(): boolean {
    return this.points.underway === 0 && this.processes.areIdle;
  }

  /** Whether nothing is left that anybody would do. */
  get isQuiet(): boolean {
    if (!this.processes.areQuiet || this.points.underway > 0 || this.isMoving) return false;
    if (this.queue.underway > 0 || this.maintenance.underway > 0) return false;
    const unfinished = this.database.rows(
      `SELECT 1 FROM deliveries WHERE next_at IS NOT NULL OR (takedown_state = 'due' AND check_at IS NOT NULL) UNION ALL SELECT 1 FROM clearances WHERE next_at = 0
         UNION ALL SELECT 1 FROM webhook_messages WHERE state = 'pending' UNION ALL SELECT 1 FROM ${WORKING}
         UNION ALL SELECT 1 FROM discarded_objects WHERE next_at <= ?1 UNION ALL SELECT 1 FROM media WHERE expires_at <= ?1 AND state <> 'expired' LIMIT 1`,
      this.now(),
    );
    return unfinished.length === 0;
  }

  /** Whether a fault strikes where no call is at stake; noted when it does. */
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
      workspace: (n === null ? null : this.workspaceOf(n)) ?? point?.process.workspace ?? null,
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
