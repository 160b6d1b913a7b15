// Records the results of rechecks of live deliveries. A recheck has no row of its own: when the next one is due, and what
// the last one found, are columns of its delivery (docs/decisions/0024-one-state-machine-for-follow-ups.md).
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { RecheckDecision } from "../../domain/delivery/recheck.ts";
import type { LiveThreadPart } from "../../domain/delivery/thread.ts";
import type { EventRecord } from "../../domain/event-body.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";
import { refreshPostStatus } from "../posts/status.ts";
import { endpointsToNotify } from "../webhooks/messages.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { endFollowUps, POST_IS_GONE, unlessTakenDown } from "./follow-up-rows.ts";
import { mayMove } from "./moves.ts";
import { noteStatements } from "./notes.ts";

/** Records that the post of a delivery is gone, if `condition` holds, and ends its follow-ups. */
export async function recordRemoval(
  db: Database,
  key: DeliveryKey,
  condition: SQL | undefined,
  columns: { detail?: null; networkMessage?: null; parts?: string | SQL } = {},
): Promise<void> {
  await db.batch([
    db
      .update(deliveries)
      .set({
        state: "removed",
        version: sql`${deliveries.version} + 1`,
        session: null,
        checkedAt: NOW,
        checkAt: null,
        ...columns,
      })
      .where(condition),
    endFollowUps(db, key, eq(deliveries.state, "removed"), POST_IS_GONE),
    ...refreshPostStatus(db, key.workspaceId, key.postId),
  ]);
}

/** The dedupe key of the event: a delivery goes live only once, so this event is written only once. */
const ONCE = 0;

/** The parts of a thread as they were read, and their new value: written only if they have not changed in between. */
interface ThreadPartsChange {
  from: string;
  to: LiveThreadPart[];
}

/**
 * Records the result of rechecking a live delivery; a delivery that is no longer live stays as it is. `altered`: the
 * event of a delivery that was found altered. Returns the endpoints to notify.
 */
export async function recordRecheck(
  db: Database,
  key: DeliveryKey,
  after: RecheckDecision,
  altered: EventRecord | null,
  threadParts?: ThreadPartsChange,
): Promise<string[]> {
  const isLive = and(
    isDelivery(key),
    mayMove("found_gone"),
    threadParts === undefined ? undefined : eq(deliveries.parts, threadParts.from),
  );
  const changed = threadParts === undefined ? {} : { parts: JSON.stringify(threadParts.to) };
  if (after.is === "removed") {
    await recordRemoval(db, key, isLive, changed);
    return [];
  }
  const { url, urlState, missingSince, nextAt, readback } = after;
  const update = db
    .update(deliveries)
    .set({
      url,
      urlState,
      checkedAt: NOW,
      missingSince,
      checkAt: unlessTakenDown(nextAt),
      ...(readback && { readback }),
      ...changed,
    })
    .where(isLive);
  if (altered === null) {
    await update;
    return [];
  }
  const isNew = and(mayMove("found_gone"), isNull(deliveries.readback));
  const { messages } = await batch(db, { ...noteStatements(db, key, altered, ONCE, isNew), kept: update });
  return endpointsToNotify(messages);
}
