// Limits how much one invocation asks of the platform. When the allowance is used up, calls wait inside the object. The object
// sets an alarm for now; the alarm is a new invocation, and the waiting calls continue.

/** The platform counts both separately for each invocation. */
export interface WorkLimits {
  /** Calls to other hosts and of the bucket. */
  fetches: number;
  /** Statements to D1. Whether a batch counts as one or by its statements is on no page; it is counted by its statements. */
  statements: number;
}

export type Meter = keyof WorkLimits;

/** Where calls and statements are taken from before they are made. */
export interface Allowance {
  /** Resolves when `count` more may be asked for. */
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

  /** `askForInvocation` is called whenever something begins to wait for the next invocation. */
  constructor(limits: WorkLimits, askForInvocation: () => void) {
    this.#limits = limits;
    this.#askForInvocation = askForInvocation;
  }

  /** Whether something waits for the next invocation. */
  get isExhausted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves as soon as something waits for the next invocation. */
  get exhausted(): Promise<void> {
    return this.#exhaustion.promise;
  }

  /** A new invocation begins: the work that waited goes on first, in the order in which it came. */
  renew(): void {
    this.#used = { fetches: 0, statements: 0 };
    this.#exhaustion = Promise.withResolvers();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { meter, count, grant } of waiting) void this.take(meter, count).then(grant);
  }

  /** Resolves when `count` more may be asked for. More than a whole invocation has is granted to one that has used nothing. */
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
