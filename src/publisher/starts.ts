// Counts starts without an end. If the work ends the object repeatedly, the publisher continues with one delivery at a time,
// and gives up the delivery that has ended it too often. The same applies to a delivery on which our own code fails every
// time.

export interface StartsStorage {
  kv: {
    get<Value>(key: string): Value | undefined;
    put(key: string, value: unknown): void;
    delete(key: string): unknown;
  };
}

/** After this many starts without an end, deliveries are worked one at a time. */
const CAREFUL_AFTER = 2;
/** Five with the two starts above: then the delivery is given up. */
const ENDS_ALONE_MAX = 3;
const BACK_OFF_MS = 300;
/** Failures of our own code on one delivery. */
const FAILURES_MAX = 5;

/** A record that is written before a start and deleted after its end. */
interface Begun {
  starts: number;
  /** The name of the work that is done alone. */
  alone: string | null;
  /** How often the object ended at each work that was done alone. */
  ends: Record<string, number>;
}

const NAME = "begun";
const FAILURES = "failures";

export class Starts {
  readonly #storage: StartsStorage;
  /** The record that this object has written of its own start. */
  #begun: Begun | null = null;
  /** Whether this object has begun nothing yet. */
  #isFresh = true;
  /** The value stored under `FAILURES`; null if it was not read yet. */
  #failed: Record<string, number> | null = null;

  constructor(storage: StartsStorage) {
    this.#storage = storage;
  }

  /**
   * Records a start, once until its end. A record costs two rows, so a start that is in time and only publishes writes none:
   * if it does not end, the next start finds its work late. Returns the number of the start, from 1.
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

  /** Whether earlier starts had no end. */
  get isCareful(): boolean {
    return (this.#begun?.starts ?? 0) > CAREFUL_AFTER;
  }
  get backOffMs(): number {
    return Math.min(((this.#begun?.starts ?? 0) - CAREFUL_AFTER) * BACK_OFF_MS, 5 * BACK_OFF_MS);
  }

  /** How often the object ended at this work while it was done alone. */
  endsAt(name: string): number {
    return this.#begun?.ends[name] ?? 0;
  }
  /** Whether this work must be given up. */
  isHopeless(name: string): boolean {
    return this.endsAt(name) >= ENDS_ALONE_MAX || (this.#failures()[name] ?? 0) >= FAILURES_MAX;
  }

  /** Counts a failure of our own code. Returns the total so far. */
  noteFailure(name: string): number {
    const times = (this.#failures()[name] ?? 0) + 1;
    this.#keepFailures({ ...this.#failures(), [name]: times });
    return times;
  }
  /** Forgets what has ended or failed at this work: its result is written, so a later retry begins with a clean record. */
  forget(name: string): void {
    const { [name]: times, ...otherFailures } = this.#failures();
    if (times !== undefined) this.#keepFailures(otherFailures);
    if (this.#begun === null) return;
    const { [name]: ends, ...otherEnds } = this.#begun.ends;
    if (ends !== undefined) this.#write({ ...this.#begun, ends: otherEnds });
  }

  #failures(): Record<string, number> {
    this.#failed ??= this.#storage.kv.get<Record<string, number>>(FAILURES) ?? {};
    return this.#failed;
  }
  #keepFailures(failures: Record<string, number>): void {
    this.#storage.kv.put(FAILURES, failures);
    this.#failed = failures;
  }

  /** Runs `work` after recording durably that it is done alone. */
  async alone(name: string, work: () => Promise<unknown>): Promise<void> {
    this.#write({ ...this.#record, alone: name });
    await work();
    this.#write({ ...this.#record, alone: null });
  }

  /** Deletes the record: all that was begun has ended. */
  end(): void {
    if (this.#begun === null) return;
    this.#begun = null;
    this.#storage.kv.delete(NAME);
  }

  get #record(): Begun {
    return this.#begun ?? { starts: 1, alone: null, ends: {} };
  }

  #write(record: Begun): void {
    this.#begun = record;
    this.#storage.kv.put(NAME, record);
  }
}
