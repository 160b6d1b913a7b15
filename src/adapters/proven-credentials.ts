// Credentials that the database has confirmed a short while ago. A request body is read only for one of these, so a made-up
// credential costs one look-up and nothing more.

/** How long a confirmation lasts. A credential that is revoked meanwhile is still refused: only its body is read. */
const LIFE_MS = 10 * 60_000;
/** Entries that are kept; the oldest make room. */
const ENTRIES_MAX = 10_000;

/** Remembers credentials by the SHA-256 of their token. */
export class ProvenCredentials {
  readonly #provenAt = new Map<string, number>();

  /** `now`: epoch milliseconds. */
  has(tokenHash: string, now: number): boolean {
    const provenAt = this.#provenAt.get(tokenHash);
    return provenAt !== undefined && now - provenAt < LIFE_MS;
  }

  add(tokenHash: string, now: number): void {
    // Insertion order is the order of confirmation.
    this.#provenAt.delete(tokenHash);
    this.#provenAt.set(tokenHash, now);
    if (this.#provenAt.size <= ENTRIES_MAX) return;
    const [oldest] = this.#provenAt.keys();
    if (oldest !== undefined) this.#provenAt.delete(oldest);
  }

  delete(tokenHash: string): void {
    this.#provenAt.delete(tokenHash);
  }
}
