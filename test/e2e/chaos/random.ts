/** Random numbers and choices from a seed. */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  /** In [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }
  chance(odds: number): boolean {
    return this.next() < odds;
  }
  one<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  }
  /** `count` different items in random order. */
  some<Item>(items: readonly Item[], count: number): Item[] {
    const remaining = [...items];
    const chosen: Item[] = [];
    while (chosen.length < count && remaining.length > 0)
      chosen.push(...remaining.splice(this.between(0, remaining.length - 1), 1));
    return chosen;
  }
}
