// The work of one alarm. It is bounded, so that it stays far below the platform's limits for one alarm. Work that is under
// way at its end continues, and the next alarm, set for now, takes it over.
import type { Context } from "../context.ts";

const LASTS_MS = 60_000;
const DELIVERIES_MAX = 50;
/** Half of the queries that one invocation may send to a database (production limits of D1: 1,000). */
const QUERIES_MAX = 500;
/**
 * Queries to write the send intent and the record of one delivery, if it shares its round trips with no other delivery.
 */
const QUERIES_PER_DELIVERY = 12;
/** Queries of one follow-up: reading the delivery, perhaps renewing its token, writing its result and metrics. */
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
  /** By name: the version of the row as its session read it. */
  readonly #lost = new Map<string, number>();
  readonly #aside = new Set<string>();

  constructor(ctx: Clock) {
    this.#ctx = ctx;
    this.#endsAt = ctx.now() + LASTS_MS;
  }

  get isSpent(): boolean {
    return this.#deliveries >= DELIVERIES_MAX || this.#queries >= QUERIES_MAX || this.#ctx.now() >= this.#endsAt;
  }
  /** The earliest requested instant that has not come yet, in epoch milliseconds, or null. */
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
  /** Counts the follow-ups of `deliveries` deliveries. */
  followedUp(deliveries: number): void {
    this.#queries += QUERIES_PER_FOLLOW_UP * deliveries;
  }
  queried(times: number): void {
    this.#queries += times;
  }

  /** Notes that `name` was worked alone in this piece of work. */
  worksAlone(name: string): void {
    this.#alone.add(name);
  }
  /** Whether `name` was worked alone; `null` asks for any name. */
  hasWorkedAlone(name: string | null): boolean {
    return name === null ? this.#alone.size > 0 : this.#alone.has(name);
  }

  /**
   * Notes that a session could not write a row, which it had read with `version`. Returns whether that had happened before,
   * and whether the row has changed since then.
   */
  lose(name: string, version: number): "first" | "changed" | "unchanged" {
    const before = this.#lost.get(name);
    this.#lost.set(name, version);
    if (before === undefined) return "first";
    return before === version ? "unchanged" : "changed";
  }

  /** Leaves a delivery out of the further reads of this piece of work, so that the others of its channel go out. */
  setAside(name: string): void {
    this.#aside.add(name);
  }
  /** The names of the deliveries that were set aside. */
  get aside(): string[] {
    return [...this.#aside];
  }

  /** Notes that work comes due at `at` (epoch milliseconds). */
  armed(dueAt: number): void {
    this.#armedAt = Math.min(dueAt, this.#armedAt ?? dueAt);
    this.wake();
  }
  /** Whether work that was requested meanwhile has come due. */
  takeWhetherArmed(): boolean {
    if (this.#armedAt === null || this.#armedAt > this.#ctx.now()) return false;
    this.#armedAt = null;
    return true;
  }

  /** Ends the current `wait`. */
  wake(): void {
    this.#isWoken = true;
    this.#waiting?.abort();
  }

  /** Waits until `wake` is called, until `at` (epoch milliseconds; null: never), or until the piece of work is over. */
  async wait(wakeAt: number | null): Promise<void> {
    if (!this.#isWoken) {
      const until = Math.min(this.#endsAt, wakeAt ?? this.#endsAt, this.#armedAt ?? this.#endsAt);
      this.#waiting = new AbortController();
      await this.#ctx.pause(Math.max(1, until - this.#ctx.now()), this.#waiting.signal);
      this.#waiting = null;
    }
    this.#isWoken = false;
  }
}
