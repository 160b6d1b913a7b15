// Shares out the connections that the runtime lets one object have open at once. A call that waits inside the runtime uses up
// its own time limit before it is sent, so calls wait here instead.

/** The runtime allows six (developers.cloudflare.com/workers/platform/limits, read 2026-11-20); the database uses one. */
const CONNECTIONS = 5;
/** A file is read from its source while it is sent to the network, which takes two connections. */
const WITH_FILES = 2;
/**
 * Limits the concurrent work of one network, and its connections. If that network hangs, another network still gets two
 * connections for a file.
 */
const PER_NETWORK_MAX = 2;
const CONNECTIONS_PER_NETWORK = 3;
/**
 * Limit on connections for files, so that a text always finds a connection that no upload holds
 * (docs/decisions/0016-four-connections-for-files.md).
 */
const FILES_MAX = 4;
/** Limit on work without a deadline: rechecks, metrics, pre-flight. */
const FOLLOW_UPS_MAX = 2;

export interface ConnectionNeed {
  /** The network to call. */
  network: string;
  /** Whether the call sends files. */
  hasFiles: boolean;
  isFollowUp: boolean;
}

interface Waiting extends ConnectionNeed {
  begin(): void;
}

/** Current usage by the work under way. */
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
   * Runs `work` once its connections are free. Deliveries come before follow-ups; within each, first come, first served. Work
   * that is held back by its own limit (for its network, or for files) lets other work pass. Work that only waits for
   * connections does not: a delivery with files needs two at once, and later texts would take each connection as it becomes
   * free.
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
    let reservedConnections = 0;
    for (const waiting of [...deliveries, ...followUps]) {
      if (!this.#isWithinLimits(waiting)) continue;
      const neededConnections = countConnections(waiting);
      if (this.#use.connections + reservedConnections + neededConnections > CONNECTIONS) {
        reservedConnections += neededConnections;
        continue;
      }
      this.#count(waiting, 1);
      admitted.add(waiting);
    }
    if (admitted.size === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => !admitted.has(waiting));
    for (const { begin } of admitted) begin();
  }

  /** Whether the limits allow this work to begin once enough connections are free. */
  #isWithinLimits(need: ConnectionNeed): boolean {
    const { files, followUps, byNetwork } = this.#use;
    const neededConnections = countConnections(need);
    const networkUse = byNetwork.get(need.network) ?? NOTHING;
    return (
      (!need.hasFiles || files + neededConnections <= FILES_MAX) &&
      (!need.isFollowUp || followUps < FOLLOW_UPS_MAX) &&
      networkUse.works < PER_NETWORK_MAX &&
      networkUse.connections + neededConnections <= CONNECTIONS_PER_NETWORK
    );
  }

  #count(need: ConnectionNeed, direction: 1 | -1): void {
    const use = this.#use;
    const connectionChange = countConnections(need) * direction;
    use.connections += connectionChange;
    if (need.hasFiles) use.files += connectionChange;
    if (need.isFollowUp) use.followUps += direction;
    const { works, connections } = use.byNetwork.get(need.network) ?? NOTHING;
    use.byNetwork.set(need.network, { works: works + direction, connections: connections + connectionChange });
  }
}

const countConnections = ({ hasFiles }: ConnectionNeed): number => (hasFiles ? WITH_FILES : 1);
