// Limits how much one invocation asks of the platform. When the allowance is used up, calls wait inside the object. The
// object sets an alarm for now; the alarm is a new invocation, and the waiting calls continue.

/** The platform counts both separately for each invocation. */
export interface WorkLimits {
  /** Calls to other hosts and of the bucket. */
  fetches: number;
  /**
   * Statements to D1. Whether a batch counts as one query or by its statements is not documented; it is counted by its
   * statements.
   */
  statements: number;
}

export type Meter = keyof WorkLimits;

/** The allowance from which calls and statements are taken before they are made. */
export interface Allowance {
  /** Resolves when `count` more are available. */
  take(meter: Meter, count: number): Promise<void>;
}

interface Waiting {
  meter: Meter;
  count: number;
  grant(): void;
}

export class WorkAllowance implements Allowance {
  readonly #limits: WorkLimits;
  readonly #askForInvocation: () => void;
  #used: WorkLimits = { fetches: 0, statements: 0 };
  #waiting: Waiting[] = [];
  #exhaustion = Promise.withResolvers<void>();

  /** `askForInvocation` is called whenever work begins to wait for the next invocation. */
  constructor(limits: WorkLimits, askForInvocation: () => void) {
    this.#limits = limits;
    this.#askForInvocation = askForInvocation;
  }

  /** Whether work waits for the next invocation. */
  get isExhausted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves as soon as work waits for the next invocation. */
  get exhausted(): Promise<void> {
    return this.#exhaustion.promise;
  }

  /** Begins a new invocation: the waiting work continues first, in order of arrival. */
  renew(): void {
    this.#used = { fetches: 0, statements: 0 };
    this.#exhaustion = Promise.withResolvers();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { meter, count, grant } of waiting) void this.take(meter, count).then(grant);
  }

  /**
   * Resolves when `count` more are available. A count above a whole invocation's limit is granted to an invocation that has
   * used nothing.
   */
  take(meter: Meter, count: number): Promise<void> {
    const used = this.#used[meter];
    const isFirst = this.#waiting.length === 0;
    if (isFirst && (used === 0 || used + count <= this.#limits[meter])) {
      this.#used[meter] += count;
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ meter, count, grant: resolve });
    if (isFirst) {
      this.#exhaustion.resolve();
      this.#askForInvocation();
    }
    return promise;
  }
}
