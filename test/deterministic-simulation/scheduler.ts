// The order of all events. Each call of a port is a point. Points are carried out one at a time, in an order that the seed
// determines. Time passes only when nothing else can happen.
import type { Chance } from "./prng.ts";
import type { Subject } from "./subjects.ts";
import type { Version } from "./versions.ts";

/** A request, a queue invocation, or a call or alarm of an object: what a crash ends as a whole. */
export interface Process {
  id: number;
  kind: "api" | "consumer" | "alarm" | "sweep";
  /** The workspace that it works for; null: any. */
  workspace: string | null;
  /** The name of its object; null: none. */
  object: string | null;
  /** The number of the post that a request names; null: none. */
  n: number | null;
  /** The release whose formats it writes to queues and storage. */
  version: Version;
  /** The error of its clock, in milliseconds. */
  skewMs: number;
  dead: boolean;
  /** Epoch milliseconds; null: it is alive. */
  diedAt: number | null;
  /** Round trips to the database so far. */
  queries: number;
  /** Open connections, and calls that wait for a connection. */
  connections: number;
  waiting: (() => void)[];
  /** Frozen with its whole isolate until this instant: none of its calls is made before. Epoch milliseconds. */
  frozenUntil: number;
  /** When another process replaced it while it was running or frozen (epoch milliseconds); null: never. */
  takenOverAt: number | null;
}

/** A call of a port that waits for its turn. */
export interface Point {
  process: Process;
  port: "db" | "wire" | "queue" | "object" | "bucket";
  /** The delivery or channel that the call is made for; null: none, or several deliveries. */
  subject: Subject | null;
  /** The name of the call, for the trace and the faults. */
  what: string;
  platform?: string;
  /** The number of the post that a network's call is about, if it is known. */
  n?: number | null;
  /** Whether the call publishes. */
  irrevocable?: boolean;
  /** Called with each fault that strikes the call. */
  struck?: () => void;
  /** Carries out the call and returns a function that delivers its answer. */
  act(): Promise<() => void>;
  /** Delivers an error. */
  fail(error: Error): void;
  /** Carries out a fault that only this port can have. */
  misbehave(verdict: Verdict): Promise<void>;
}

/** What happens to a call. */
export type Verdict =
  | { is: "fine" }
  | { is: "kill"; when: "before" | "after" }
  /** `text`: the error's message, if it differs from the port's usual one. */
  | { is: "lost"; when: "before" | "after"; text?: string }
  /** The answer is lost, and the call is carried out `ms` later. */
  | { is: "late"; ms: number }
  | { is: "pause"; when: "before" | "after"; ms: number }
  /** The isolate is frozen and continues later. `replaced`: the object's next incarnation starts meanwhile. */
  | { is: "freeze"; ms: number; replaced: boolean }
  /** The object's next incarnation starts. This one continues without storage. */
  | { is: "replace" }
  /** The caller waits until its time limit; `lands`: milliseconds after which the call is carried out, null = never. */
  | { is: "hang"; lands: number | null; headersCame: boolean }
  /** An answer that is not the network's own. */
  | { is: "answer"; carriedOut: boolean; status: number; headers: Record<string, string>; body: string }
  /** The access token expires just before the call. */
  | { is: "expired" }
  /** The file is missing. */
  | { is: "missing" };

interface Timer {
  at: number;
  order: number;
  then: () => unknown;
}

/** Carries out one point with its fault. */
export type Worker = (point: Point, index: number) => Promise<void>;

export class Scheduler {
  now: number;
  readonly #chance: Chance;
  readonly #worker: Worker;
  /** Points are carried out in their order of arrival instead of a random order. */
  readonly #inOrder: boolean;
  #points: Point[] = [];
  #timers: Timer[] = [];
  #order = 0;
  /** Points carried out so far. */
  count = 0;
  /** A run with more points is in an endless loop. */
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

  /** Freezes a process for `ms`. Its waiting calls are made afterwards. */
  freeze(process: Process, ms: number): void {
    process.frozenUntil = this.now + ms;
    const itsPoints = this.#points.filter((point) => point.process === process);
    this.#points = this.#points.filter((point) => point.process !== process);
    for (const point of itsPoints) this.add(point);
  }

  at(at: number, then: () => unknown): void {
    // Clocks show whole milliseconds, and no timer ends early.
    const timer = { at: Math.max(Math.ceil(at), this.now), order: this.#order++, then };
    // The next timer is the last of the list. A heap would not pay off.
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

  /** Ends a process. None of its calls continues. */
  kill(process: Process): void {
    process.dead = true;
    process.diedAt ??= this.now;
    this.#points = this.#points.filter((point) => point.process !== process);
  }

  /** Runs until `until` holds at a pause, nothing is left, or `endsAt` is reached. Returns false if the run never ends. */
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

const isLater = (timer: Timer, laterTimer: Timer | undefined): boolean =>
  laterTimer !== undefined &&
  (timer.at > laterTimer.at || (timer.at === laterTimer.at && timer.order > laterTimer.order));

/** Waits until every promise that can settle has settled. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
