// Everything that happens goes through it: each call of a port is a point, points are worked off one at a time in an order
// that the seed decides, and time passes only when nothing else can happen.
import type { Chance } from "./prng.ts";
import type { Subject } from "./subjects.ts";
import type { Version } from "./versions.ts";

/** A request, a queue invocation, a call of an object or its alarm: what a crash ends, all at once. */
export interface Process {
  id: number;
  kind: "api" | "consumer" | "alarm" | "sweep";
  /** Whose work it does; null: anybody's. */
  workspace: string | null;
  /** The name of the object that it runs; null: none. */
  object: string | null;
  /** The number of the post that a request names; null: none. */
  n: number | null;
  /** The release whose messages and storage it writes. */
  version: Version;
  /** What its own clock shows beyond the true time, in milliseconds. */
  skewMs: number;
  dead: boolean;
  /** Epoch milliseconds; null: it lives. */
  diedAt: number | null;
  /** Round trips to the database so far. */
  queries: number;
  /** Connections that wait for an answer, and calls that wait for a connection. */
  connections: number;
  waiting: (() => void)[];
  /** Frozen with its whole isolate: until then none of its calls is made. Epoch milliseconds. */
  frozenUntil: number;
  /** When another took its place, while it went on or stood still (epoch milliseconds); null: nobody has. */
  takenOverAt: number | null;
}

/** One call of a port, waiting for its turn. */
export interface Point {
  process: Process;
  port: "db" | "wire" | "queue" | "object" | "bucket";
  /** What it is called for; null: for nobody in particular, or for several at once. */
  subject: Subject | null;
  /** What is called, for the trace and for the faults. */
  what: string;
  platform?: string;
  /** The number of the post that a call of a network is about, where that is known. */
  n?: number | null;
  /** Whether the call is the one that publishes. */
  irrevocable?: boolean;
  /** Told of each fault that strikes it. */
  struck?: () => void;
  /** Does the thing and returns what delivers its answer. */
  act(): Promise<() => void>;
  /** Delivers a failure. */
  fail(error: Error): void;
  /** Does what only this port can do wrong. */
  misbehave(verdict: Verdict): Promise<void>;
}

/** What becomes of a call. */
export type Verdict =
  | { is: "fine" }
  | { is: "kill"; when: "before" | "after" }
  /** `text`: what the caller is told, where it is not the port's usual word. */
  | { is: "lost"; when: "before" | "after"; text?: string }
  /** The answer is lost, and the call is carried out `ms` later. */
  | { is: "late"; ms: number }
  | { is: "pause"; when: "before" | "after"; ms: number }
  /** The isolate stands still and goes on. `replaced`: an object's next incarnation begins meanwhile. */
  | { is: "freeze"; ms: number; replaced: boolean }
  /** An object's next incarnation begins; this one goes on with everything but its storage. */
  | { is: "replace" }
  /** The caller waits until its patience ends; `lands`: milliseconds after which the call is carried out, null = never. */
  | { is: "hang"; lands: number | null; headersCame: boolean }
  /** Another answer than the network's own. */
  | { is: "answer"; carriedOut: boolean; status: number; headers: Record<string, string>; body: string }
  /** The network's token ends just before the call. */
  | { is: "expired" }
  /** The file is not there. */
  | { is: "missing" };

interface Timer {
  at: number;
  order: number;
  then: () => unknown;
}

/** Does one point, with whatever goes wrong about it. */
export type Worker = (point: Point, index: number) => Promise<void>;

export class Scheduler {
  now: number;
  readonly #chance: Chance;
  readonly #worker: Worker;
  /** In the order in which they came instead of by chance. */
  readonly #inOrder: boolean;
  #points: Point[] = [];
  #timers: Timer[] = [];
  #order = 0;
  /** Points worked off so far. */
  count = 0;
  /** No run comes near it that does not turn in circles. */
  pointsMax = 20_000;

  constructor(now: number, chance: Chance, worker: Worker, inOrder = false) {
    this.now = now;
    this.#chance = chance;
    this.#worker = worker;
    this.#inOrder = inOrder;
  }

  add(point: Point): void {
    const { process } = point;
    if (process.dead) return;
    if (process.frozenUntil > this.now) this.at(process.frozenUntil, () => this.add(point));
    else this.#points.push(point);
  }

  /** Lets nothing of a process happen for `ms`; what it has asked for already is asked then. */
  freeze(process: Process, ms: number): void {
    process.frozenUntil = this.now + ms;
    const its = this.#points.filter((point) => point.process === process);
    this.#points = this.#points.filter((point) => point.process !== process);
    for (const point of its) this.add(point);
  }

  at(at: number, then: () => unknown): void {
    // A clock shows whole milliseconds, and no timer ends before its time.
    const timer = { at: Math.max(Math.ceil(at), this.now), order: this.#order++, then };
    // The next timer is the last of the list; a heap is not worth it.
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isLater(timer, this.#timers[middle])) high = middle;
      else low = middle + 1;
    }
    this.#timers.splice(low, 0, timer);
  }

  after(ms: number, then: () => unknown): void {
    this.at(this.now + ms, then);
  }

  /** Ends a process: nothing of it goes on. */
  kill(process: Process): void {
    process.dead = true;
    process.diedAt ??= this.now;
    this.#points = this.#points.filter((point) => point.process !== process);
  }

  /** Lets everything happen until `until` holds at a pause, or nothing is left, or its time is up. False: it never ends. */
  async run(until: () => boolean, endsAt: number): Promise<boolean> {
    for (;;) {
      await quiet();
      if (this.#points.length > 0) {
        if (++this.count > this.pointsMax) return false;
        const i = this.#inOrder ? 0 : Math.floor(this.#chance.next() * this.#points.length);
        const [point] = this.#points.splice(i, 1);
        if (point !== undefined && !point.process.dead) await this.#worker(point, this.count - 1);
        continue;
      }
      if (until()) return true;
      const timer = this.#timers.pop();
      if (timer === undefined || timer.at > endsAt) return true;
      this.now = Math.max(this.now, timer.at);
      await timer.then();
    }
  }
}

const isLater = (timer: Timer, other: Timer | undefined): boolean =>
  other !== undefined && (timer.at > other.at || (timer.at === other.at && timer.order > other.order));

/** When every promise that could settle by itself has. */
const quiet = (): Promise<void> => new Promise((settle) => setImmediate(settle));
