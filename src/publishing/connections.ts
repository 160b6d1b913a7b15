// The connections that the runtime lets one invocation have open at once, shared out among its hands: a call that waits in
// the runtime instead would use up its own time limit before it leaves.

/** Six (developers.cloudflare.com/workers/platform/limits, read 2026-11-20), one of which is the database's. */
const NETWORK_CONNECTIONS = 5;
/** How many of them may be busy with what takes its time (files, looks at other deliveries): texts need not wait for it. */
const SLOW_MAX = 3;

interface Waiting {
  slow: boolean;
  go(): void;
}

export class Connections {
  #busy = 0;
  #busySlowly = 0;
  readonly #first: Waiting[] = [];
  readonly #waiting: Waiting[] = [];

  /** Does `work` on a connection of its own, in turn; `first`: before all who are not. */
  async use<Result>(
    { slow = false, first = false }: { slow?: boolean; first?: boolean },
    work: () => Promise<Result>,
  ): Promise<Result> {
    await new Promise<void>((go) => {
      (first ? this.#first : this.#waiting).push({ slow, go });
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#busy--;
      if (slow) this.#busySlowly--;
      this.#next();
    }
  }

  #next(): void {
    for (const line of [this.#first, this.#waiting]) {
      while (this.#busy < NETWORK_CONNECTIONS) {
        const at = line.findIndex(({ slow }) => !slow || this.#busySlowly < SLOW_MAX);
        const [next] = at < 0 ? [] : line.splice(at, 1);
        if (next === undefined) break;
        this.#busy++;
        if (next.slow) this.#busySlowly++;
        next.go();
      }
    }
  }
}

/** One hand's use of the connections: it holds one at most. */
export class Connection {
  readonly #connections: Connections;
  readonly #slow: boolean;
  #held = false;

  constructor(connections: Connections, slow: boolean) {
    this.#connections = connections;
    this.#slow = slow;
  }

  /** Does `work` on the connection that is held, or on the next that is free. */
  async use<Result>(work: () => Promise<Result>, first = false): Promise<Result> {
    if (this.#held) return work();
    return this.#connections.use({ slow: this.#slow, first }, async () => {
      this.#held = true;
      return work().finally(() => {
        this.#held = false;
      });
    });
  }
}
