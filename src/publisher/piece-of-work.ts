// What one alarm does: bounded, so that it stays far below what the platform allows for one. What is under way at its end
// goes on; the next alarm, set for now, takes it over.
import type { Context } from "../context.ts";

const LASTS_MS = 60_000;
const DELIVERIES_MAX = 50;
/** Half of what one invocation may ask of a database (production limits of D1: 1,000). */
const QUERIES_MAX = 500;
/** What writing the send intent and the settlement of one delivery takes, when it shares them with nobody. */
const QUERIES_PER_DELIVERY = 12;
/** Queries of one follow-up: reading the delivery, perhaps renewing its token, writing its result and figures. */
const QUERIES_PER_FOLLOW_UP = 10;

type Clock = Pick<Context, "now" | "pause">;

export class PieceOfWork {
  readonly #ctx: Clock;
  readonly #endsAt: number;
  #deliveries = 0;
  #queries = 0;
  #armedAt: number | null = null;
  #waiting: AbortController | null = null;
  #isWoken = false;
  readonly #alone = new Set<string>();
  readonly #lost = new Set<string>();

  constructor(ctx: Clock) {
    this.#ctx = ctx;
    this.#endsAt = ctx.now() + LASTS_MS;
  }

  get isSpent(): boolean {
    return this.#deliveries >= DELIVERIES_MAX || this.#queries >= QUERIES_MAX || this.#ctx.now() >= this.#endsAt;
  }
  /** The earliest instant that was asked for and has not come, epoch milliseconds; null: none. */
  get armedAt(): number | null {
    return this.#armedAt;
  }

  get hasDelivered(): boolean {
    return this.#deliveries > 0;
  }
  delivered(): void {
    this.#deliveries++;
    this.#queries += QUERIES_PER_DELIVERY;
  }
  /** Counts follow-ups of so many deliveries. */
  followedUp(deliveries: number): void {
    this.#queries += QUERIES_PER_FOLLOW_UP * deliveries;
  }
  queried(times: number): void {
    this.#queries += times;
  }

  /** What was worked alone in this piece of work. */
  worksAlone(name: string): void {
    this.#alone.add(name);
  }
  /** `null`: anything. */
  hasWorkedAlone(name: string | null): boolean {
    return name === null ? this.#alone.size > 0 : this.#alone.has(name);
  }

  /** Somebody else had written a delivery before its session could. Returns whether that was so before. */
  isLostAgain(name: string): boolean {
    const wasLost = this.#lost.has(name);
    this.#lost.add(name);
    return wasLost;
  }

  /** Something comes due at `at` (epoch milliseconds). */
  armed(at: number): void {
    this.#armedAt = Math.min(at, this.#armedAt ?? at);
    this.wake();
  }
  /** Whether something has come due that was asked for meanwhile. */
  takeWhetherArmed(): boolean {
    if (this.#armedAt === null || this.#armedAt > this.#ctx.now()) return false;
    this.#armedAt = null;
    return true;
  }

  /** Something has changed. */
  wake(): void {
    this.#isWoken = true;
    this.#waiting?.abort();
  }

  /** Waits until something changes, `at` comes (epoch milliseconds; null: never), or the piece of work is over. */
  async wait(at: number | null): Promise<void> {
    if (!this.#isWoken) {
      const until = Math.min(this.#endsAt, at ?? this.#endsAt, this.#armedAt ?? this.#endsAt);
      this.#waiting = new AbortController();
      await this.#ctx.pause(Math.max(1, until - this.#ctx.now()), this.#waiting.signal);
      this.#waiting = null;
    }
    this.#isWoken = false;
  }
}
