// The processes of a world: how they start and end, and the notifications about both.
import type { Context } from "../../src/context.ts";
import { WALL_MS } from "./limits.ts";
import type { Process } from "./scheduler.ts";
import type { World } from "./world.ts";

/** The largest difference between a machine's clock and the database's. */
const SKEW_MAX_MS = 2_000;

type How = "done" | "threw" | "killed";

/** Notified when an object's process ends or is replaced. */
interface Owner {
  killed(): void;
  replace(): void;
}

export class Processes {
  readonly #world: World;
  /** Running requests and batches, and runs of objects. */
  readonly #whole = new Map<Process, (outcome: How) => void>();
  readonly #runs = new Map<Process, Set<(outcome: How) => void>>();
  readonly #owners = new Map<Process, Owner>();
  #count = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether no process is running. */
  get areQuiet(): boolean {
    return this.#whole.size === 0 && this.#runs.size === 0;
  }
  /** Whether only requests and sweeps are running. */
  get areIdle(): boolean {
    return this.#runs.size === 0 && ![...this.#whole.keys()].some(({ kind }) => kind === "consumer");
  }

  makeProcess(kind: Process["kind"], workspace: string | null, object: string | null = null): Process {
    const isRight = this.#world.inOrder || this.#world.isPrompt || this.#world.chance.happens(0.8);
    return {
      id: ++this.#count,
      kind,
      workspace,
      object,
      n: null,
      version: this.#world.version,
      skewMs: isRight ? 0 : this.#world.chance.between(-SKEW_MAX_MS, SKEW_MAX_MS),
      dead: false,
      diedAt: null,
      queries: 0,
      connections: 0,
      waiting: [],
      frozenUntil: 0,
      takenOverAt: null,
    };
  }

  /** Starts a process. `ended` is called at its end, whatever ended it. */
  spawn(
    kind: Process["kind"],
    workspace: string | null,
    body: (ctx: Context) => Promise<void>,
    ended: (how: How) => void,
  ): Process {
    const process = this.makeProcess(kind, workspace);
    this.#whole.set(process, ended);
    const background: Promise<unknown>[] = [];
    const ctx = this.#world.ports.context(process, background);
    const whole = async (): Promise<How> => {
      let outcome: How = "done";
      try {
        await body(ctx);
      } catch (error) {
        outcome = "threw";
        this.#world.note(`${kind}${process.id} threw ${String(error)}`);
      }
      for (const work of background) await work;
      return outcome;
    };
    void whole().then((outcome) => this.#end(process, outcome));
    if (kind !== "api") this.#world.after(WALL_MS, () => this.#tooLong(process));
    return process;
  }

  /** Runs an object's work in its process. `ended` is called once, whatever ended it. */
  runIn(process: Process, body: () => Promise<unknown>, ended: (how: How) => void): void {
    const runs = this.#runs.get(process) ?? new Set();
    this.#runs.set(process, runs);
    process.queries = 0;
    runs.add(ended);
    const end = (outcome: How) => {
      if (!runs.delete(ended)) return;
      if (runs.size === 0) this.#runs.delete(process);
      ended(outcome);
    };
    void body().then(
      () => end("done"),
      (error) => {
        if (process.dead) return;
        this.#world.note(`${process.kind}${process.id} threw ${String(error)}`);
        end("threw");
      },
    );
    this.#world.after(WALL_MS, () => {
      if (runs.has(ended)) this.#tooLong(process);
    });
  }

  #tooLong(process: Process): void {
    if (process.dead || !(this.#whole.has(process) || this.#runs.has(process))) return;
    this.#world.note(`${process.kind}${process.id} has run for 15 minutes`);
    this.kill(process);
  }

  ownedBy(process: Process, owner: Owner): void {
    this.#owners.set(process, owner);
  }
  /** Replaces an object's process by another one. */
  replace(process: Process): void {
    process.takenOverAt ??= this.#world.now();
    this.#world.takenOver(process);
    this.#owners.get(process)?.replace();
  }

  #end(process: Process, outcome: How): void {
    const ended = this.#whole.get(process);
    if (ended === undefined) return;
    this.#whole.delete(process);
    this.#world.ports.ended(process, outcome !== "killed");
    this.#world.scheduler.kill(process);
    if (outcome === "killed") this.#world.killed(process);
    ended(outcome);
  }

  kill(process: Process): void {
    if (process.dead) return;
    if (this.#whole.has(process)) {
      this.#end(process, "killed");
      return;
    }
    this.#world.scheduler.kill(process);
    this.#world.killed(process);
    const runs = this.#runs.get(process) ?? [];
    this.#runs.delete(process);
    this.#owners.get(process)?.killed();
    this.#owners.delete(process);
    for (const ended of runs) ended("killed");
  }

  /**
   * A deploy: from its next call on, each object runs in a new incarnation with empty memory. The old incarnations continue for
   * `graceMs` with the work that they have begun, but without storage. Requests and batches run to their end.
   */
  deploy(graceMs: number): void {
    this.#world.note("deploy");
    this.#world.version = "current";
    for (const process of [...this.#owners.keys()]) {
      if (process.dead || process.takenOverAt !== null) continue;
      this.#world.inject("replace", { process, workspace: process.workspace });
      this.replace(process);
      this.#world.after(graceMs, () => {
        if (!process.dead && this.#runs.has(process))
          this.#world.inject("restart", { process, workspace: process.workspace });
        this.kill(process);
      });
    }
  }

  /** Ends all processes at once. */
  restart(): void {
    this.#world.note("restart");
    for (const process of [...this.#whole.keys(), ...this.#owners.keys()]) {
      if (process.dead) continue;
      this.#world.inject("restart", { process, workspace: process.workspace });
      this.kill(process);
    }
  }
}
