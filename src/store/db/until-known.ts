// Retries a statement whose answer was lost until the outcome is known. Only for idempotent statements: reads, and
// writes with a guard that makes a repetition change nothing.
import { DatabaseAway, isMoving, wasRefused } from "../../domain/database-fault.ts";
import { findRefusal } from "../../domain/refusal.ts";

/** Waits between the attempts, in milliseconds: about twelve seconds in all. */
const WAITS_MS = [20, 100, 400, 1_500, 4_000, 6_000];

export interface Asking {
  /** Resolves after `ms` milliseconds. */
  pause(ms: number): Promise<void>;
  /** Called for each attempt without an answer. */
  failed?(error: unknown): void;
}

/**
 * Runs `act`, and retries it while its answer is lost. Throws if the database refuses (then nothing was written) or if
 * `act` itself throws a refusal. Throws `DatabaseAway` if no attempt is answered; it is then unknown whether `act` took
 * effect.
 */
export async function untilKnown<Answer>({ pause, failed }: Asking, act: () => Promise<Answer>): Promise<Answer> {
  for (const wait of [...WAITS_MS, null]) {
    try {
      return await act();
    } catch (error) {
      if (wasRefused(error) || findRefusal(error) !== null) throw error;
      failed?.(error);
      if (isMoving(error)) throw new DatabaseAway("the workspace is being moved", { cause: error });
      if (wait === null) throw new DatabaseAway("the database does not answer", { cause: error });
      await pause(wait);
    }
  }
  throw new DatabaseAway("the database does not answer");
}
