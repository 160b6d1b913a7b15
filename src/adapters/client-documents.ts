// Recently read descriptions that OAuth clients serve at the addresses which are their ids. With this cache, a person who
// signs in through a client does not depend on how often others request descriptions from the same host.

/** How long a description is used before it is read again. */
const LIFE_MS = 5 * 60_000;
/** Cached descriptions, of 5 KiB at most each; the oldest are evicted. */
const ENTRIES_MAX = 500;

/** Caches descriptions by address. Instants are epoch milliseconds. */
export class ClientDocuments {
  readonly #documents = new Map<string, { document: Record<string, unknown>; readAt: number }>();

  get(address: string, now: number): Record<string, unknown> | null {
    const entry = this.#documents.get(address);
    return entry !== undefined && now - entry.readAt < LIFE_MS ? entry.document : null;
  }

  keep(address: string, document: Record<string, unknown>, now: number): void {
    // Insertion order is the order of reading.
    this.#documents.delete(address);
    this.#documents.set(address, { document, readAt: now });
    if (this.#documents.size <= ENTRIES_MAX) return;
    const [oldest] = this.#documents.keys();
    if (oldest !== undefined) this.#documents.delete(oldest);
  }
}
