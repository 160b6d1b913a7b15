// Limits how long a caller waits for a database.
import { DatabaseAway } from "../../domain/database-fault.ts";

/**
 * Longer than a healthy database ever takes. After this time a request skips the database, and a job returns to it
 * later.
 */
export const ANSWER_MAX_MS = 5_000;

/**
 * Returns the result of `work`. Throws `DatabaseAway` if it takes longer than `ms`: whether the work still happens is
 * unknown.
 */
export async function inTime<Answer>(
  pause: (ms: number, signal: AbortSignal) => Promise<void>,
  ms: number,
  work: Promise<Answer>,
): Promise<Answer> {
  const answered = new AbortController();
  const late = pause(ms, answered.signal).then(() => {
    throw new DatabaseAway("the database does not answer in time");
  });
  late.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    answered.abort();
  }
}
