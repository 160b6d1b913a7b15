// Credentials that the database has recently confirmed. A request body is read only for such a credential, so an
// invented credential costs at most one look-up.

/** How long a confirmation lasts. A credential revoked in that time is still refused; only its request body is read. */
const LIFE_MS = 10 * 60_000;
/** The maximum number of entries; the oldest are evicted. */
const ENTRIES_MAX = 10_000;

/** Caches credentials by the SHA-256 of their token. */
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
