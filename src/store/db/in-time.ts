// Work on a database that is not waited for any longer than is good for those who wait.
import { DatabaseAway } from "../../domain/database-fault.ts";

/** What a database that is well never takes: in this time a request passes over it, and a job comes back to it later. */
export const ANSWER_MAX_MS = 5_000;

/** What `work` comes to. Throws `DatabaseAway` when it takes longer than `ms`: whether it is still carried out is unknown. */
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
