// Limits how much one request may ask of the platform. Its caller waits, so the request cannot continue in another
// invocation. Work beyond the limits is refused, before the platform ends the invocation with an error that is useless to the
// caller.
import { refuse } from "./refusal.ts";
import type { Allowance, Meter, WorkLimits } from "./work-allowance.ts";

export class RequestAllowance implements Allowance {
  readonly #limits: WorkLimits;
  readonly #used: WorkLimits = { fetches: 0, statements: 0 };

  constructor(limits: WorkLimits) {
    this.#limits = limits;
  }

  /** Throws `too_much_for_free_plan`. */
  async take(meter: Meter, count: number): Promise<void> {
    this.#used[meter] += count;
    if (this.#used[meter] > this.#limits[meter]) throw refuse("too_much_for_free_plan");
  }
}
