// Records the results of rechecks of live deliveries. A recheck has no row of its own: when the next one is due, and what
// the last one found, are columns of its delivery (docs/decisions/0024-one-state-machine-for-follow-ups.md).
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { RecheckDecision, RecheckResult } from "../../domain/delivery/recheck.ts";
import type { LiveThreadPart } from "../../domain/delivery/thread.ts";
import type { EventRecord } from "../../domain/event-body.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";
import { refreshPostStatus } from "../posts/status.ts";
import { endpointsToNotify } from "../webhooks/messages.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { endFollowUps, POST_IS_GONE, unlessRequested } from "./follow-up-rows.ts";
import { mayMove } from "./moves.ts";
import { noteStatements } from "./notes.ts";
import { type markThreadPartRemoved, updateRecheckedThreadParts } from "./thread-part-rows.ts";

type ThreadPartUpdate = ReturnType<typeof updateRecheckedThreadParts> | ReturnType<typeof markThreadPartRemoved>;

/**
 * Records that the post of a delivery is gone, if `condition` holds, and ends its follow-ups. `threadParts`: the statement
 * that writes its parts, if it has any.
 */
export async function recordRemoval(
  db: Database,
  key: DeliveryKey,
  condition: SQL | undefined,
  { threadParts, ...columns }: { threadParts: ThreadPartUpdate | null; lastTry?: SQL; networkPost?: SQL },
): Promise<void> {
  await batch(db, {
    threadParts: threadParts === null ? [] : [threadParts],
    removed: db
      .update(deliveries)
      .set({
        state: "removed",
        version: sql`${deliveries.version} + 1`,
        session: null,
        networkPost: sql`json_set(${deliveries.networkPost}, '$.checkedAt', ${NOW})`,
        checkAt: null,
        ...columns,
      })
      .where(condition),
    work: endFollowUps(db, key, eq(deliveries.state, "removed"), POST_IS_GONE),
    post: refreshPostStatus(db, key.workspaceId, key.postId),
  });
}

/** A recheck that has ended. */
export interface EndedRecheck {
  after: RecheckDecision;
  result: RecheckResult["result"];
  /** The event of a delivery that was found altered. */
  altered: EventRecord | null;
  /** How many edits were confirmed so far. The event is written once for the post as published, and once after each edit. */
  edits?: number | undefined;
  /** Those of a thread after the recheck. */
  threadParts?: readonly LiveThreadPart[];
}

/** A delivery's `network_post` after a recheck with this result. */
const withRecheck = (networkPost: SQL, result: RecheckResult["result"]) => {
  const entry = sql`json_object('at', ${NOW}, 'result', ${result})`;
  const earlier = sql`COALESCE(${deliveries.networkPost} -> '$.rechecks', json_array())`;
  return sql`json_set(${networkPost}, '$.checkedAt', ${NOW}, '$.rechecks', json_insert(${earlier}, '$[#]', ${entry}))`;
};

/**
 * Records the result of rechecking a live delivery; a delivery that is no longer live stays as it is. Returns the endpoints
 * to notify.
 */
export async function recordRecheck(
  db: Database,
  key: DeliveryKey,
  { after, result, altered, edits = 0, threadParts = [] }: EndedRecheck,
): Promise<string[]> {
  const isLive = and(isDelivery(key), mayMove("found_gone"));
  const parts = threadParts.length === 0 ? null : updateRecheckedThreadParts(db, key, threadParts, isLive);
  if (after.is === "removed") {
    await recordRemoval(db, key, isLive, {
      threadParts: parts,
      networkPost: withRecheck(sql`${deliveries.networkPost}`, result),
    });
    return [];
  }
  const { url, urlState, missingSince, nextAt, readback } = after;
  const found = JSON.stringify({ missingSince, ...(readback && { readback }) });
  const isNew = and(mayMove("found_gone"), sql`${deliveries.networkPost} ->> '$.readback' IS NULL`);
  const { messages } = await batch(db, {
    event: [],
    messages: [],
    ...(altered === null ? {} : noteStatements(db, key, altered, edits, isNew)),
    threadParts: parts === null ? [] : [parts],
    delivery: db
      .update(deliveries)
      .set({
        // A patch with null removes the field.
        networkPost: withRecheck(
          sql`json_set(json_patch(${deliveries.networkPost}, ${found}), '$.url', ${url}, '$.urlState', ${urlState})`,
          result,
        ),
        checkAt: unlessRequested(nextAt),
      })
      .where(isLive),
  });
  return endpointsToNotify(messages);
}
