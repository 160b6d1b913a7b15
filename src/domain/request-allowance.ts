// Limits how much one request may use the platform. The caller waits for the answer, so the work cannot continue in another
// invocation. Work beyond the limits is refused with a clear error. Otherwise the platform would end the invocation with an
// error that does not help the caller.
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
