// The connections that the runtime lets one object have open at once, shared out among all that it does: a call that waits
// in the runtime instead would use up its own time limit before it leaves.

/** Six (developers.cloudflare.com/workers/platform/limits, read 2026-11-20), one of which is the database's. */
const CONNECTIONS = 5;
/** A file is read while it is sent. */
const WITH_FILES = 2;
/** What one network works on at once, and its connections: when it hangs, another one still finds two for a file. */
const PER_NETWORK_MAX = 2;
const CONNECTIONS_PER_NETWORK = 3;
/** Connections for files: texts always find one that no upload has (docs/decisions/0016-four-connections-for-files.md). */
const FILES_MAX = 4;
/** Work that has no promised time: verifying, metrics, pre-flight. */
const FOLLOW_UPS_MAX = 2;

export interface ConnectionNeed {
  /** The network that is called. */
  network: string;
  /** Whether files are sent to it. */
  hasFiles: boolean;
  isFollowUp: boolean;
}

interface Waiting extends ConnectionNeed {
  begin(): void;
}

/** Counted by what is under way. */
interface Use {
  connections: number;
  files: number;
  followUps: number;
  byNetwork: Map<string, { works: number; connections: number }>;
}

const NOTHING = { works: 0, connections: 0 };

export class ConnectionLimiter {
  readonly #use: Use = { connections: 0, files: 0, followUps: 0, byNetwork: new Map() };
  #waiting: Waiting[] = [];

  /**
   * Does `work` when its connections are free: deliveries before follow-ups, otherwise in the order of their coming. Work that is held
   * back by a limit of its own (of its network, of files) lets others pass. Work that only waits for connections does not: a delivery
   * with files needs two at once, and texts that come later would take each one that becomes free.
   */
  async use<Result>(need: ConnectionNeed, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ ...need, begin });
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#count(need, -1);
      this.#admit();
    }
  }

  #admit(): void {
    const deliveries = this.#waiting.filter(({ isFollowUp }) => !isFollowUp);
    const followUps = this.#waiting.filter(({ isFollowUp }) => isFollowUp);
    const admitted = new Set<Waiting>();
    let kept = 0;
    for (const waiting of [...deliveries, ...followUps]) {
      if (!this.#isWithinLimits(waiting)) continue;
      const wanted = connectionsOf(waiting);
      if (this.#use.connections + kept + wanted > CONNECTIONS) {
        kept += wanted;
        continue;
      }
      this.#count(waiting, 1);
      admitted.add(waiting);
    }
    if (admitted.size === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => !admitted.has(waiting));
    for (const { begin } of admitted) begin();
  }

  /** Whether it may begin once there are connections enough. */
  #isWithinLimits(need: ConnectionNeed): boolean {
    const { files, followUps, byNetwork } = this.#use;
    const wanted = connectionsOf(need);
    const own = byNetwork.get(need.network) ?? NOTHING;
    return (
      (!need.hasFiles || files + wanted <= FILES_MAX) &&
      (!need.isFollowUp || followUps < FOLLOW_UPS_MAX) &&
      own.works < PER_NETWORK_MAX &&
      own.connections + wanted <= CONNECTIONS_PER_NETWORK
    );
  }

  #count(need: ConnectionNeed, by: 1 | -1): void {
    const use = this.#use;
    const wanted = connectionsOf(need) * by;
    use.connections += wanted;
    if (need.hasFiles) use.files += wanted;
    if (need.isFollowUp) use.followUps += by;
    const { works, connections } = use.byNetwork.get(need.network) ?? NOTHING;
    use.byNetwork.set(need.network, { works: works + by, connections: connections + wanted });
  }
}

const connectionsOf = ({ hasFiles }: ConnectionNeed): number => (hasFiles ? WITH_FILES : 1);
