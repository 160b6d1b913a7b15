// Starts without an ending: when an object is ended again and again by what it works, it goes on with one delivery at a
// time, and gives that one up at which it has ended too often. So too a delivery at which our own work fails every time.

export interface StartsStorage {
  kv: {
    get<Value>(key: string): Value | undefined;
    put(key: string, value: unknown): void;
    delete(key: string): unknown;
  };
}

/** After so many starts without an ending one delivery is worked alone. */
const CAREFUL_AFTER = 2;
/** With those two starts, five: then it is given up. */
const ENDS_ALONE_MAX = 3;
const BACK_OFF_MS = 300;
/** Of our own work on one delivery. */
const FAILURES_MAX = 5;

/** What is written before a start, and gone after its end. */
interface Begun {
  starts: number;
  /** What is worked alone. */
  alone: string | null;
  /** How often the object ended at what it worked alone. */
  ends: Record<string, number>;
}

const NAME = "begun";
const FAILURES = "failures";

export class Starts {
  readonly #storage: StartsStorage;
  /** What this object has written of its own start. */
  #begun: Begun | null = null;
  /** Whether this object has not begun anything yet. */
  #isFresh = true;
  /** What the storage has under `FAILURES`; null: not looked yet. */
  #failed: Record<string, number> | null = null;

  constructor(storage: StartsStorage) {
    this.#storage = storage;
  }

  /**
   * Notes a start, once until its end. A note costs two rows, so a start that is in time and only publishes has none: when it
   * does not end, the next one finds its work late. Returns which start it is, from 1.
   */
  begin({ isLate, hasFollowUps }: { isLate: boolean; hasFollowUps: boolean }): number {
    const missed = this.#isFresh && isLate ? 1 : 0;
    this.#isFresh = false;
    if (this.#begun !== null) return this.#begun.starts;
    const before = this.#storage.kv.get<Begun>(NAME) ?? null;
    if (before === null && !isLate && !hasFollowUps) return 1;
    const { starts, alone, ends } = before ?? { starts: missed, alone: null, ends: {} };
    this.#write({
      starts: starts + 1,
      alone: null,
      ends: alone === null ? ends : { ...ends, [alone]: (ends[alone] ?? 0) + 1 },
    });
    return starts + 1;
  }

  /** Whether starts before this one had no end. */
  get isCareful(): boolean {
    return (this.#begun?.starts ?? 0) > CAREFUL_AFTER;
  }
  get backOffMs(): number {
    return Math.min(((this.#begun?.starts ?? 0) - CAREFUL_AFTER) * BACK_OFF_MS, 5 * BACK_OFF_MS);
  }

  /** How often the object ended at something that it worked alone. */
  endsAt(name: string): number {
    return this.#begun?.ends[name] ?? 0;
  }
  /** Whether something is to be given up. */
  isHopeless(name: string): boolean {
    return this.endsAt(name) >= ENDS_ALONE_MAX || (this.#failures()[name] ?? 0) >= FAILURES_MAX;
  }

  /** Our own work on something failed. Returns how often it has by now. */
  noteFailure(name: string): number {
    const times = (this.#failures()[name] ?? 0) + 1;
    this.#keepFailures({ ...this.#failures(), [name]: times });
    return times;
  }
  forgetFailures(name: string): void {
    const { [name]: times, ...others } = this.#failures();
    if (times !== undefined) this.#keepFailures(others);
  }

  #failures(): Record<string, number> {
    this.#failed ??= this.#storage.kv.get<Record<string, number>>(FAILURES) ?? {};
    return this.#failed;
  }
  #keepFailures(failures: Record<string, number>): void {
    this.#storage.kv.put(FAILURES, failures);
    this.#failed = failures;
  }

  /** Does `work`, and says durably before that it is done alone. */
  async alone(name: string, work: () => Promise<unknown>): Promise<void> {
    const begun = this.#begun ?? { starts: 1, alone: null, ends: {} };
    this.#write({ ...begun, alone: name });
    await work();
    this.#write({ ...begun, alone: null });
  }

  /** All that was begun has ended. */
  end(): void {
    if (this.#begun === null) return;
    this.#begun = null;
    this.#storage.kv.delete(NAME);
  }

  #write(begun: Begun): void {
    this.#begun = begun;
    this.#storage.kv.put(NAME, begun);
  }
}
