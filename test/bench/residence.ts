// Measures how long objects are billed: during their work, and while one of their timers is pending.
import { AsyncLocalStorage } from "node:async_hooks";

/** The work and timers that keep one object from hibernating, and since when. */
class Residence {
  readonly #add: (ms: number) => void;
  #depth = 0;
  #since = 0;

  /** `add` receives the milliseconds during which the object could not hibernate. */
  constructor(add: (ms: number) => void) {
    this.#add = add;
  }

  begin(): void {
    if (this.#depth++ > 0) return;
    this.#since = Date.now();
    resident.add(this);
  }

  end(): void {
    if (--this.#depth > 0) return;
    this.#add(Date.now() - this.#since);
    resident.delete(this);
  }
}

const residences = new WeakMap<object, Residence>();
const resident = new Set<Residence>();
/** The object whose code runs. */
const running = new AsyncLocalStorage<Residence>();

/** How many objects cannot hibernate now. */
export const countResident = (): number => resident.size;

/** Runs the work of an object. `add` receives the milliseconds during which the object could not hibernate. */
export async function whileResident<Result>(
  object: object,
  add: (ms: number) => void,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const residence = residences.get(object) ?? new Residence(add);
  residences.set(object, residence);
  residence.begin();
  try {
    return await running.run(residence, work);
  } finally {
    residence.end();
  }
}

/** From now on, an object's timers keep it resident until they fire or are cleared. */
export function meterTimers(): void {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const pending = new Map<unknown, Residence>();
  const end = (timer: unknown) => {
    pending.get(timer)?.end();
    pending.delete(timer);
  };
  Object.assign(globalThis, {
    setTimeout(then: () => void, ms?: number) {
      const timer = set(() => {
        end(timer);
        then();
      }, ms);
      const residence = running.getStore();
      residence?.begin();
      if (residence !== undefined) pending.set(timer, residence);
      return timer;
    },
    clearTimeout(timer?: number) {
      end(timer);
      clear(timer);
    },
  });
  // This timer cannot be cleared.
  AbortSignal.timeout = (ms) => {
    const residence = running.getStore();
    residence?.begin();
    if (residence !== undefined) set(() => residence.end(), ms);
    return timeout(ms);
  };
}
