/** Counts the outcomes of a publisher's deliveries since the last `take`, by name (-> domain/lateness.ts). */
export class OutcomeCounts {
  #counts: Record<string, number> = {};

  add(name: string): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }

  /** Returns the counts since the last call; null if nothing was counted. */
  take(): Record<string, number> | null {
    const counts = this.#counts;
    this.#counts = {};
    return Object.keys(counts).length === 0 ? null : counts;
  }
}
