// A statement whose answer was lost is asked again until it is known whether it was carried out. Only for what is idempotent: reads, and writes
// that are guarded so that a second time changes nothing.
import { DatabaseAway, isMoving, wasRefused } from "../../domain/database-fault.ts";
import { findRefusal } from "../../domain/refusal.ts";

/** Waits between the tries, in milliseconds: about twelve seconds in all. */
const WAITS_MS = [20, 100, 400, 1_500, 4_000, 6_000];

export interface Asking {
  /** Ends after so many milliseconds. */
  pause(ms: number): Promise<void>;
  /** Told of each try that had no answer. */
  failed?(error: unknown): void;
}

/**
 * Does `act`, again and again while its answer is lost. Throws what the database refused (nothing was written then), a
 * refusal that `act` throws itself, and `DatabaseAway` when it still gives no answer: whether `act` was carried out is unknown.
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
