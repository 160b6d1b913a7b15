// Splits the work of an object into pieces that each fit one invocation of the account's plan. When a piece has used up its
// allowance, the rest waits inside its calls until the object's next alarm renews the allowance, and then continues.
import { limitDatabase } from "./adapters/limited-database.ts";
import { compose } from "./compose.ts";
import type { Context } from "./context.ts";
import { isAccountPlan, WORK_LIMITS } from "./domain/account-plan.ts";
import { WorkAllowance, type WorkLimits } from "./domain/work-allowance.ts";
import { type Env, furtherDatabases } from "./env.ts";

/**
 * The limits of one invocation; null if the plan has none that matter. Never throws: constructors of objects call it before
 * the settings are read.
 */
export const workLimits = ({ ACCOUNT_PLAN: plan = "paid" }: Env): WorkLimits | null =>
  isAccountPlan(plan) ? WORK_LIMITS[plan] : null;

/** `env` with databases that charge their statements to `allowance`. Throws `SettingsError`. */
export function limitEnv(env: Env, allowance: WorkAllowance | null): Env {
  if (allowance === null) return env;
  const further = furtherDatabases(env).map(
    (database, i) => [`DB_${i + 1}`, limitDatabase(database, allowance)] as const,
  );
  return { ...env, DB: limitDatabase(env.DB, allowance), ...Object.fromEntries(further) };
}

type WaitUntil = (work: Promise<unknown>) => void;

/** The work of an object's alarms, one piece at a time. */
export class LimitedWork {
  readonly #env: Env;
  readonly #waitUntil: WaitUntil;
  readonly #allowance: WorkAllowance | null;
  #limitedEnv: Env | null = null;
  /** Resolves when the last started piece of work has ended. */
  #end: Promise<void> = Promise.resolve();

  constructor(env: Env, waitUntil: WaitUntil) {
    this.#env = env;
    this.#waitUntil = waitUntil;
    const limits = workLimits(env);
    this.#allowance = limits && new WorkAllowance(limits, () => {});
  }

  /** A context that charges calls and statements to the allowance. Throws `SettingsError`. */
  compose(): Context {
    this.#limitedEnv ??= limitEnv(this.#env, this.#allowance);
    return compose(this.#limitedEnv, this.#waitUntil, { allowance: this.#allowance });
  }

  /**
   * Starts `work`, or continues work for which an earlier invocation had no allowance left. Returns whether it has finished;
   * if not, the alarm must fire again at once.
   */
  async goOn(work: () => Promise<void>): Promise<boolean> {
    if (this.#allowance === null) {
      await work();
      return true;
    }
    const isContinued = this.#allowance.isExhausted;
    this.#allowance.renew();
    if (!isContinued) this.#end = work();
    await Promise.race([this.#end, this.#allowance.exhausted]);
    return !this.#allowance.isExhausted;
  }
}
