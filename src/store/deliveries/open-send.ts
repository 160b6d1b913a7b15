// When the irrevocable call of a delivery has surely ended, although nobody has recorded its answer.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** By platform: how many milliseconds the irrevocable call may take. */
export type SendTimeouts = Readonly<Record<string, number>>;

/** How long after its call's time limit an unanswered send may be recovered by another session. */
const RECOVER_MARGIN_MS = 30_000;

/** When a delivery was last sent. `sends`: its column. */
export const sentAtIn = (sends: SQLWrapper): SQL<number | null> => sql`(${sends} ->> '$[#-1].sent_at')`;

/**
 * The instant from which another session may recover a send. `timeouts`: `SendTimeouts` as JSON. Only a broken row has no time
 * of its send: the time at which it was due counts instead, because it may have been sent since.
 */
export const recoverableAt = (
  { sends, nextAt, platform }: { sends: SQLWrapper; nextAt: SQLWrapper; platform: SQLWrapper },
  timeouts: SQLWrapper,
): SQL<number> =>
  sql`(COALESCE(${sentAtIn(sends)}, ${nextAt}) + COALESCE(${timeouts} ->> ${platform}, 0) + ${sql.raw(String(RECOVER_MARGIN_MS))})`;
