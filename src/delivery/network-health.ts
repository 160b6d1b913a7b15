// Tracks networks that do not answer. After two hangs in a row, the other deliveries of that network pause for a while, so
// that they do not each run into a time limit.
import type { NetworkIO } from "../networks/network.ts";

const HANGS_MAX = 2;
/** How long deliveries to a hanging network pause, in milliseconds. */
const PAUSE_MS = 30_000;

interface Health {
  hangs: number;
  pausedUntil: number;
}

export class NetworkHealth {
  readonly #now: () => number;
  readonly #networks = new Map<string, Health>();

  /** `now`: epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether so many calls of a network went unanswered that it is not called now. */
  isPaused(network: string): boolean {
    return (this.#networks.get(network)?.pausedUntil ?? 0) > this.#now();
  }

  /** Wraps a connector's access to the network to notice calls that run into their time limit. */
  watch(network: string, io: NetworkIO): NetworkIO {
    const watched =
      (call: NetworkIO["fetch"]): NetworkIO["fetch"] =>
      async (url, init) => {
        try {
          const answer = await call(url, init);
          this.#networks.delete(network);
          return answer;
        } catch (error) {
          if (init?.signal?.aborted) this.#hung(network);
          throw error;
        }
      };
    return { ...io, fetch: watched(io.fetch), fetchPublic: watched(io.fetchPublic) };
  }

  #hung(network: string): void {
    const hangs = (this.#networks.get(network)?.hangs ?? 0) + 1;
    const pausedUntil = hangs >= HANGS_MAX ? this.#now() + PAUSE_MS : 0;
    this.#networks.set(network, { hangs, pausedUntil });
  }
}
