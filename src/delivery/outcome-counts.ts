/** How the deliveries of a publisher went since somebody asked, by name (-> domain/lateness.ts). */
export class OutcomeCounts {
  #counts: Record<string, number> = {};

  add(name: string): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }

  /** What was counted since the last time; null: nothing. */
  take(): Record<string, number> | null {
    const counts = this.#counts;
    this.#counts = {};
    return Object.keys(counts).length === 0 ? null : counts;
  }
}
