// Repairs a database after it was set back to an earlier minute, or restored from a backup. Deliveries that were sent
// since must not be sent again, everything that was stopped since must stay stopped, and readers of the event feed must
// miss nothing.
//
// With a record of the state before the restore (-> standing.ts), the fate of each waiting delivery is known. If it
// waited before the restore too, it continues. If it was cancelled, it is cancelled again. If it changed in any other
// way, it may have been sent. Without the record, every delivery that was due by then may have been sent.
import { FOLLOW_UP_MOVES, REQUEST_KINDS } from "../domain/delivery/follow-up-moves.ts";
import { applySeries, pauseSeries } from "./series-after-restore.ts";
import { type Change, keyOfRow, STANDING, STOOD_TABLE, type Standing, WAITING_LIST } from "./standing.ts";

const IS_OF_POST = "posts.workspace_id = deliveries.workspace_id AND posts.id = deliveries.post_id";
const HELD_BACK = FOLLOW_UP_MOVES.held_back;
const IS_OF_DELIVERY = `follow_ups.workspace_id = deliveries.workspace_id AND follow_ups.post_id = deliveries.post_id
  AND follow_ups.channel_id = deliveries.channel_id`;
/** The call of a takedown or an edit can be repeated. */
const IS_DUE_WORK = `follow_ups.state = '${HELD_BACK.from[0]}' AND follow_ups.kind NOT IN ('${REQUEST_KINDS.join("', '")}')`;
const IS_WAITING = `state IN ${WAITING_LIST}`;

/**
 * Gives deliveries an open send, as if their sender had died between the send intent and the answer. Their outcome is
 * then reconciled with the network; an outcome that cannot be determined ends as `outcome_unknown`. This applies to
 * each part of a thread.
 */
const openSends = (which: string, sentAt: string): Change => ({
  says: "deliveries may have been sent: they are looked for",
  sql: `UPDATE deliveries SET state = 'sending', has_open_send = 1, next_at = ${sentAt},
      is_held_back = 1, version = version + 1, fencing_token = fencing_token + 1, started_at = COALESCE(started_at, ${sentAt}),
      sends = json_insert(sends, '$[#]', json_object('fencing_token', fencing_token + 1, 'payload_hash', '', 'sent_at', ${sentAt}))
    WHERE ${IS_WAITING} AND ${which} AND EXISTS (SELECT 1 FROM posts WHERE ${IS_OF_POST} AND posts.cancelled_at IS NULL) RETURNING id`,
});

/**
 * First comments and additions that may have been made are not made again, not even under a post that is found to be
 * live.
 */
const holdFollowUps = (checkAt: number): Change[] => [
  {
    says: "live posts wait for a first comment or an addition that may have been made: it is not made again",
    sql: `UPDATE deliveries SET check_at = ${checkAt}
      WHERE state = 'live' AND EXISTS (SELECT 1 FROM follow_ups WHERE ${IS_OF_DELIVERY} AND ${IS_DUE_WORK}) RETURNING id`,
  },
  {
    says: "first comments and additions that may have been made are looked for",
    sql: `UPDATE follow_ups SET state = '${HELD_BACK.to}' WHERE ${IS_DUE_WORK} RETURNING kind`,
  },
  {
    says: "deliveries with an open call make no comment or addition, should they be live",
    sql: `UPDATE deliveries SET is_held_back = 1
      WHERE state IN ('sending', 'processing', 'reconciling', 'outcome_unknown') AND NOT is_held_back RETURNING id`,
  },
];

/**
 * Raises feed positions above all earlier ones. No workspace has had an event in each millisecond since 1970, so the
 * current instant exceeds every position, including those of an earlier restore.
 */
const raiseFeedPositions = (now: number): Change => ({
  says: "workspaces number their next events above all earlier ones",
  sql: `UPDATE workspaces SET feed_from = ${now} WHERE feed_from < ${now} RETURNING id`,
});

/** Feeds no longer know the items that have made posts since, so they would make those posts again. */
const pauseFeeds: Change = {
  says: "feeds are paused: their newest items may have been posted already",
  sql: "UPDATE feeds SET next_read_at = NULL WHERE next_read_at IS NOT NULL RETURNING id",
};

/**
 * The changes if the state before the restore is unknown. `until`: the epoch milliseconds from which nothing was sent
 * any more.
 */
export const afterRestore = (until: number, now = Date.now()): Change[] => [
  openSends(`next_at <= ${until}`, "next_at"),
  ...holdFollowUps(until),
  pauseSeries(until),
  pauseFeeds,
  raiseFeedPositions(now),
];

const stood = ({ table, key }: Standing, and = "TRUE"): string =>
  `(SELECT 1 FROM ${STOOD_TABLE} AS stood WHERE stood.kind = '${table}' AND stood.key = ${keyOfRow({ table, key })} AND ${and})`;

function stopAssignment(stop: Standing["stop"], now: number): string {
  switch (stop) {
    case "revoke":
      return `revoked_at = ${now}`;
    case "revoke and unseal":
      return `revoked_at = ${now}, sealed = NULL`;
    default:
      return `credential = NULL, credential_id = '', token_expires_at = NULL, renew_at = NULL, warn_at = NULL, removed_at = ${now}, updated_at = ${now}`;
  }
}

function stopRows(standing: Standing, now: number): Change[] {
  const { table, where, stop } = standing;
  if (stop === null) return [];
  const which = `WHERE (${where}) AND NOT EXISTS ${stood(standing)} RETURNING 1 AS changed`;
  const description = `${table} stopped again`;
  if (stop === "delete") return [{ says: description, sql: `DELETE FROM ${table} ${which}` }];
  return [{ says: description, sql: `UPDATE ${table} SET ${stopAssignment(stop, now)} ${which}` }];
}

function keepColumns(standing: Standing): Change[] {
  const { table, columns, isKept = false } = standing;
  if (!isKept) return [];
  const values = columns.map((column) => `stood.content ->> '$.${column}'`);
  const differs = columns.map((column, i) => `${values[i]} IS NOT ${table}.${column}`).join(" OR ");
  return [
    {
      says: `${table} set to their latest values`,
      sql: `UPDATE OR IGNORE ${table} SET (${columns.join(", ")}) = (SELECT ${values.join(", ")} FROM ${STOOD_TABLE} AS stood
          WHERE stood.kind = '${table}' AND stood.key = ${keyOfRow(standing)})
        WHERE EXISTS ${stood(standing, `(${differs})`)} RETURNING 1 AS changed`,
    },
  ];
}

function putBack({ table, key, columns, isPutBack = false }: Standing): Change[] {
  if (!isPutBack) return [];
  const values = [...key.map((_, i) => `key ->> ${i}`), ...columns.map((column) => `content ->> '$.${column}'`)];
  const isKnown = key.includes("user_id") ? "AND key ->> 1 IN (SELECT id FROM users)" : "";
  return [
    {
      says: `${table} added that were made since`,
      sql: `INSERT OR IGNORE INTO ${table} (${[...key, ...columns].join(", ")}) SELECT ${values.join(", ")} FROM ${STOOD_TABLE}
        WHERE kind = '${table}' AND key ->> 0 IN (SELECT id FROM workspaces) ${isKnown} RETURNING 1 AS changed`,
    },
  ];
}

const POSTS = STANDING.find(({ table, kind }) => table === "posts" && kind === undefined);
const DELIVERIES = STANDING.find(({ table }) => table === "deliveries");

/** Decides about the deliveries that wait, and their posts. */
function decideWaitingDeliveries(now: number): Change[] {
  if (POSTS === undefined || DELIVERIES === undefined) return [];
  const sentAt = `MIN(next_at, ${now})`;
  // Whether a part of its thread was published since.
  const wentOn = `EXISTS (SELECT 1 FROM ${STOOD_TABLE} AS part WHERE part.kind = 'thread_parts'
    AND part.key = json_array(deliveries.workspace_id, deliveries.post_id, deliveries.channel_id, (SELECT COUNT(*) FROM thread_parts
      WHERE thread_parts.workspace_id = deliveries.workspace_id AND thread_parts.post_id = deliveries.post_id
        AND thread_parts.channel_id = deliveries.channel_id)))`;
  const waited = stood(DELIVERIES, `(stood.content ->> '$.state' = 'cancelled' OR NOT ${wentOn})`);
  // A post that was withdrawn had not begun.
  const takenBack = `(SELECT 1 FROM ${STOOD_TABLE} AS stood WHERE stood.kind = 'posts'
    AND stood.key = json_array(deliveries.workspace_id, deliveries.post_id) AND stood.content ->> '$.status' <> 'scheduled')`;
  const changed = stood(
    POSTS,
    "(stood.content ->> '$.revision' <> posts.revision OR stood.content ->> '$.status' <> 'scheduled')",
  );
  const cancelled = `(SELECT 1 FROM deliveries JOIN ${STOOD_TABLE} AS stood ON stood.kind = 'deliveries'
      AND stood.key = ${keyOfRow(DELIVERIES)} WHERE ${IS_OF_POST} AND stood.content ->> '$.state' = 'cancelled')`;
  const isEarly = `due_at > ${now} AND EXISTS (SELECT 1 FROM deliveries WHERE ${IS_OF_POST} AND deliveries.next_at <= ${now})`;
  return [
    openSends(`next_at IS NOT NULL AND NOT EXISTS ${waited} AND NOT EXISTS ${takenBack}`, sentAt),
    {
      says: "posts were cancelled, taken back or edited: they do not go out",
      sql: `UPDATE posts SET cancelled_at = ${now}, updated_at = ${now}, revision = revision + 1,
          repeat_state = CASE repeat_state WHEN 'active' THEN 'stopped' ELSE repeat_state END
        WHERE status = 'scheduled' AND cancelled_at IS NULL AND (EXISTS ${changed} OR EXISTS ${cancelled}) RETURNING id`,
    },
    {
      // Their publisher cancels them, like all cancelled deliveries that it finds.
      says: "deliveries of such posts are due, to be cancelled",
      sql: `UPDATE deliveries SET next_at = MIN(next_at, ${now}), version = version + 1, session = NULL
        WHERE ${IS_WAITING} AND next_at > ${now} AND EXISTS (SELECT 1 FROM posts WHERE ${IS_OF_POST} AND posts.cancelled_at IS NOT NULL)
        RETURNING id`,
    },
    {
      says: "posts of such deliveries are due",
      sql: `UPDATE posts SET due_at = ${now} WHERE status = 'scheduled' AND ${isEarly} RETURNING id`,
    },
  ];
}

/** The workspaces of erased accounts leave files behind, which are cleaned up as after any erasure. */
const clearErased = (workspaces: Standing, now: number): Change => ({
  says: "erased workspaces whose files are cleared",
  sql: `INSERT OR IGNORE INTO clearances (workspace_id, since, lanes, home)
    SELECT id, ${now}, 1 + COALESCE((SELECT MAX(lane) FROM channels WHERE channels.workspace_id = workspaces.id), 0), home
    FROM workspaces WHERE NOT EXISTS ${stood(workspaces)} RETURNING 1 AS changed`,
});

/**
 * The changes if `stood_before` holds the state before the restore. May be repeated. `home`: the number of the
 * database. `now`: epoch milliseconds; nothing has been sent since the state was recorded.
 */
export const applyStanding = (home: number, now: number): Change[] => [
  ...STANDING.flatMap((standing) => [
    ...(standing.table === "workspaces" && home === 0 ? [clearErased(standing, now)] : []),
    ...stopRows(standing, now),
    ...keepColumns(standing),
    ...putBack(standing),
  ]),
  ...decideWaitingDeliveries(now),
  ...holdFollowUps(now),
  ...applySeries,
  pauseFeeds,
  raiseFeedPositions(now),
];
