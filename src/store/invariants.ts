// The invariants of a database, as read-only queries: each selects rows that break a promise, and must find nothing.
// Operators run them every night, and tests after each run. Each scans one table once and reaches all others by an
// index.
import { CARRIED_OUT, ENDED, STATES } from "../domain/delivery/transitions.ts";
import { DAY_MS, EVENTS_KEPT_MS, RETENTION_MONTHS_MIN } from "../domain/limits.ts";
import { CLEANUP_INVARIANTS } from "./cleanup-invariants.ts";
import { CLOCK } from "./db/db.ts";
import { stateList } from "./deliveries/moves.ts";

export interface Invariant {
  name: string;
  /** The promise. */
  says: string;
  /** A SELECT without a limit; its first column is `workspace_id`, the others locate the problem. */
  sql: string;
}

/** A channel that has sent something this recently is active. */
const AT_WORK_MS = 600_000;
/** The longest that due work may wait during normal operation: a lost alarm, the sweeper's round, its queue. */
const UNTAKEN_MAX_MS = 120_000;
/** A day for sending, an hour of reconciling a lost answer, and the time limit of the last call. */
const HORIZON_MS = 26 * 3_600_000;
/** Deliveries that ended earlier are skipped, because their events are deleted, or about to be. */
const TOLD_WITHIN_MS = EVENTS_KEPT_MS - DAY_MS;
/** Longer than the longest wait before a message is retried, doubled by a `Retry-After`. */
const MESSAGE_WAIT_MAX_MS = 4 * DAY_MS;

const OF_DELIVERY = "d.workspace_id, d.post_id, d.channel_id, d.state";
/** The plus keeps SQLite from using an index of the column: here, from reading all later events of a workspace. */
const LATER = "+f.seq > e.seq";
const SAME_DELIVERY = (alias: string) =>
  `${alias}.workspace_id = d.workspace_id AND ${alias}.post_id = d.post_id AND ${alias}.channel_id = d.channel_id`;
/** The published parts of a thread. */
const PARTS_OF = `thread_parts t WHERE ${SAME_DELIVERY("t")}`;
/** True of a stopped thread whose published parts were taken down. */
const STOPPED = "(d.state = 'removed' AND d.success_seq IS NULL)";
/** The number of sends. */
const ATTEMPTS = "json_array_length(d.sends)";
const NETWORK_ID = "COALESCE(d.network_post ->> '$.id', '')";
const ERROR = "(d.last_try ->> '$.error')";
const SAME_POST = (alias: string) => `${alias}.workspace_id = p.workspace_id AND ${alias}.post_id = p.id`;
const CHANNEL_OF = "channels c ON c.workspace_id = d.workspace_id AND c.id = d.channel_id";

export const INVARIANTS: readonly Invariant[] = [
  {
    name: "due_work_is_taken",
    says: "A due delivery waits at most two minutes on a channel that is not publishing.",
    sql: `SELECT ${OF_DELIVERY}, d.next_at FROM deliveries d LEFT JOIN ${CHANNEL_OF}
      WHERE d.next_at <= ${CLOCK} - ${UNTAKEN_MAX_MS}
        AND COALESCE(c.not_before, 0) <= ${CLOCK} - ${UNTAKEN_MAX_MS}
        AND NOT EXISTS (SELECT 1 FROM deliveries other WHERE other.workspace_id = d.workspace_id
          AND other.channel_id = d.channel_id AND other.sends ->> '$[#-1].sent_at' > ${CLOCK} - ${AT_WORK_MS})`,
  },
  {
    name: "deliveries_end",
    says: "Every delivery has ended at most a day and two hours after its due time.",
    sql: `SELECT ${OF_DELIVERY}, d.scheduled_for FROM deliveries d
      WHERE d.next_at <= ${CLOCK} + ${HORIZON_MS} AND d.scheduled_for < ${CLOCK} - ${HORIZON_MS}`,
  },
  {
    name: "unfinished_work_has_a_time",
    says: "A delivery has a time for its next step if and only if it has not ended.",
    sql: `SELECT ${OF_DELIVERY}, d.next_at FROM deliveries d WHERE (d.state IN ${stateList(ENDED)}) = (d.next_at IS NOT NULL)`,
  },
  {
    name: "live_is_on_the_network",
    says: "A live delivery has the network's id and its publishing time. Only a thread is published and not live.",
    sql: `SELECT ${OF_DELIVERY} FROM deliveries d
      WHERE d.state IN ('live', 'removed') AND (${NETWORK_ID} = '' OR d.published_at IS NULL)
        OR (d.published_at IS NOT NULL AND d.state NOT IN ('live', 'removed') AND NOT EXISTS (SELECT 1 FROM ${PARTS_OF}))`,
  },
  {
    name: "handed_over_is_no_post",
    says: "A delivery that was handed over has the network's id of the draft, but no URL and no publishing time.",
    sql: `SELECT ${OF_DELIVERY} FROM deliveries d WHERE d.state = 'handed_over'
      AND (${NETWORK_ID} = '' OR d.published_at IS NOT NULL OR d.network_post ->> '$.url' IS NOT NULL OR d.check_at IS NOT NULL)`,
  },
  {
    name: "parts_are_on_the_network",
    says: "Each published part of a thread has the network's id, and the first part's id is that of its delivery. The parts are numbered without a gap, and a delivery with a published part is neither cancelled nor waiting for its time.",
    sql: `SELECT p.workspace_id, p.post_id, p.channel_id, d.state, p.position, p.network_id FROM thread_parts p
      LEFT JOIN deliveries d ON ${SAME_DELIVERY("p")}
      WHERE p.network_id = '' OR d.published_at IS NULL OR d.state IN ('pending', 'cancelled', 'handed_over')
        OR (p.position = 0 AND d.network_post ->> '$.id' IS NOT p.network_id)
        OR (p.position <> 0 AND NOT EXISTS (SELECT 1 FROM thread_parts before WHERE before.workspace_id = p.workspace_id
          AND before.post_id = p.post_id AND before.channel_id = p.channel_id AND before.position = p.position - 1))`,
  },
  {
    name: "facts_have_their_form",
    says: "The facts of a delivery that are stored as JSON have their form.",
    sql: `SELECT ${OF_DELIVERY}, d.sends, d.last_try, d.network_post, d.terms FROM deliveries d
      WHERE json_type(d.sends) <> 'array' OR json_type(d.last_try) <> 'object' OR json_type(d.terms) <> 'object'
        OR json_type(d.network_post) <> 'object' OR (d.network_post IS NOT NULL AND ${NETWORK_ID} = '')
        OR EXISTS (SELECT 1 FROM json_each(d.sends) WHERE json_type(value, '$.sent_at') IS NOT 'integer')`,
  },
  {
    name: "failures_say_why",
    says: "A failed delivery has a reason, and only a delivery that was sent can have an unknown outcome.",
    sql: `SELECT ${OF_DELIVERY}, d.last_try FROM deliveries d WHERE CASE d.state
      WHEN 'failed' THEN ${ERROR} IS NULL OR ${ERROR} = 'outcome_unknown'
      WHEN 'outcome_unknown' THEN ${ERROR} IS NOT 'outcome_unknown' OR ${ATTEMPTS} = 0 END`,
  },
  {
    name: "sends_are_written_ahead",
    says: "Each send was recorded before it was made, and a delivery that may have been published has at least one.",
    sql: `SELECT ${OF_DELIVERY}, d.sends FROM deliveries d
      WHERE (${ATTEMPTS} = 0 AND d.state IN ('sending', 'reconciling', 'processing', 'live', 'handed_over', 'removed'))
        OR (d.state = 'sending' AND
          (d.sends ->> '$[#-1].fencing_token' IS NOT d.fencing_token OR d.sends ->> '$[#-1].answered_at' IS NOT NULL))`,
  },
  {
    name: "sends_are_in_their_time",
    // A send without a payload was assumed after a restore (after-restore.ts); whether its channel was connected at
    // that time is unknown.
    says: "No delivery is sent before its time, after it was cancelled, or after its channel was disconnected.",
    sql: `SELECT ${OF_DELIVERY}, d.sends FROM deliveries d JOIN posts p ON p.workspace_id = d.workspace_id AND p.id = d.post_id
      LEFT JOIN ${CHANNEL_OF}
      WHERE ${ATTEMPTS} > 0 AND (d.sends ->> '$[0].sent_at' < p.due_at
        OR d.sends ->> '$[0].sent_at' < CAST(ROUND(unixepoch(p.overrides ->> ('$."' || d.channel_id || '".publish_at'), 'subsec') * 1000) AS INTEGER)
        OR (d.sends ->> '$[#-1].payload_hash' <> ''
          AND (d.sends ->> '$[#-1].sent_at' > p.cancelled_at OR d.sends ->> '$[#-1].sent_at' > c.removed_at)))`,
  },
  {
    name: "fencing_tokens_only_rise",
    says: "Each send of a delivery has its own fencing token, up to the current one, and each change of the delivery is a new version.",
    sql: `SELECT ${OF_DELIVERY}, d.fencing_token, d.version FROM deliveries d
      WHERE d.version <= d.fencing_token OR ${ATTEMPTS} > d.fencing_token OR (d.started_at IS NULL) <> (d.fencing_token = 0)
        OR (${ATTEMPTS} > 0 AND d.sends ->> '$[#-1].fencing_token' > d.fencing_token)
        OR (${ATTEMPTS} > 1 AND d.sends ->> '$[#-1].fencing_token' <= d.sends ->> '$[#-2].fencing_token')`,
  },
  {
    name: "unfinished_work_is_found",
    says: "A delivery that has not ended belongs to an unfinished post with a time, by which the sweeper finds forgotten deliveries.",
    sql: `SELECT ${OF_DELIVERY}, d.next_at FROM deliveries d JOIN posts p ON p.workspace_id = d.workspace_id AND p.id = d.post_id
      WHERE d.next_at IS NOT NULL AND (p.status <> 'scheduled' OR p.due_at IS NULL OR p.due_at > d.next_at)`,
  },
  {
    name: "pending_work_is_found",
    says: "Work of options that has not ended belongs to a live post whose next follow-up has a time, and a due takedown to such a post or to the live parts of a stopped thread.",
    sql: `SELECT f.workspace_id, f.post_id, f.channel_id, f.kind, f.state, d.state, d.check_at FROM follow_ups f
      LEFT JOIN deliveries d ON d.workspace_id = f.workspace_id AND d.post_id = f.post_id AND d.channel_id = f.channel_id
      WHERE f.state IN ('due', 'sending') AND (d.check_at IS NULL
        OR (d.state <> 'live' AND NOT (f.kind = 'takedown' AND d.state = 'failed' AND d.published_at IS NOT NULL)))`,
  },
  {
    name: "open_sends_stay_open",
    says: "A send stays open until its outcome is known.",
    sql: `SELECT ${OF_DELIVERY}, d.has_open_send FROM deliveries d WHERE CASE d.has_open_send
      WHEN 0 THEN d.state IN ('reconciling', 'outcome_unknown')
      ELSE d.state NOT IN ('sending', 'reconciling', 'processing', 'outcome_unknown') END`,
  },
  {
    name: "retries_are_bounded",
    says: "No delivery uses more attempts than the retry table allows.",
    sql: `SELECT ${OF_DELIVERY}, d.last_try FROM deliveries d WHERE d.last_try ->> '$.retries' > 6`,
  },
  {
    name: "ends_are_told",
    says: "Every delivery that ended while events are kept has its event: a success exactly once, a failure with the fencing token of the failed attempt.",
    sql: `SELECT ${OF_DELIVERY}, d.fencing_token FROM deliveries d LEFT JOIN (
        SELECT workspace_id, post_id, channel_id, COUNT(*) AS successes, MAX(seq) AS seq FROM events
        WHERE event = 'delivery.succeeded' GROUP BY workspace_id, post_id, channel_id) e ON ${SAME_DELIVERY("e")}
      WHERE COALESCE(d.published_at, d.scheduled_for) > ${CLOCK} - ${TOLD_WITHIN_MS} AND CASE
        WHEN d.state = 'live' OR (d.state = 'removed' AND NOT ${STOPPED})
          THEN e.successes IS NOT 1 OR d.success_seq IS NOT e.seq
        WHEN d.state IN ('failed', 'outcome_unknown') OR ${STOPPED} THEN NOT EXISTS (SELECT 1 FROM events f
          WHERE ${SAME_DELIVERY("f")} AND f.dedupe_key = d.fencing_token AND f.event = 'delivery.failed'
            AND f.event <> 'delivery.succeeded')
        WHEN d.state = 'handed_over' THEN (SELECT COUNT(*) FROM events f
          WHERE ${SAME_DELIVERY("f")} AND f.event = 'delivery.handed_over') <> 1 END`,
  },
  {
    name: "ends_are_final",
    says: "After its success, a delivery can only be found to be altered, and only a live delivery has a success event.",
    sql: `SELECT e.workspace_id, e.post_id, e.channel_id, e.seq FROM events e
      LEFT JOIN deliveries d ON ${SAME_DELIVERY("e")}
      WHERE e.event = 'delivery.succeeded' AND (d.state NOT IN ('live', 'removed') OR EXISTS
        (SELECT 1 FROM events f WHERE f.workspace_id = e.workspace_id AND f.post_id = e.post_id
          AND f.channel_id = e.channel_id AND ${LATER} AND f.event LIKE 'delivery.%'
          AND f.event NOT IN ('delivery.succeeded', 'delivery.altered', 'delivery.edited')))`,
  },
  {
    name: "posts_follow_deliveries",
    says: "A post's status and end follow from its deliveries, and a post that is waiting for approval has no deliveries.",
    sql: `SELECT p.workspace_id, p.id, p.status, p.finished_at FROM posts p LEFT JOIN (
        SELECT workspace_id, post_id, COUNT(*) AS total, COUNT(next_at) AS unfinished,
          TOTAL(state IN ${stateList(CARRIED_OUT)}) AS live, TOTAL(state = 'cancelled') AS cancelled,
          TOTAL(state IN ${stateList(CARRIED_OUT)} OR published_at IS NOT NULL) AS partly
        FROM deliveries GROUP BY workspace_id, post_id) d ON ${SAME_POST("d")}
      WHERE CASE p.status
        WHEN 'draft' THEN d.total IS NOT NULL
        WHEN 'awaiting_approval' THEN d.total IS NOT NULL OR p.finished_at IS NOT NULL
        WHEN 'scheduled' THEN NOT d.unfinished > 0
        WHEN 'published' THEN NOT (d.unfinished = 0 AND d.live = d.total)
        WHEN 'partially_published' THEN NOT (d.unfinished = 0 AND d.partly > 0 AND d.live < d.total)
        WHEN 'cancelled' THEN d.total IS NOT NULL AND NOT (d.unfinished = 0 AND d.partly = 0 AND d.cancelled > 0)
        WHEN 'failed' THEN NOT (d.unfinished = 0 AND d.partly = 0 AND d.cancelled = 0)
        ELSE 1 END OR (p.status NOT IN ('draft', 'awaiting_approval') AND CASE WHEN d.total IS NULL
          THEN NOT (p.status = 'cancelled' AND p.cancelled_at IS NOT NULL AND p.finished_at IS NOT NULL)
          ELSE (p.finished_at IS NULL) <> (d.unfinished > 0) END)`,
  },
  {
    name: "keys_make_one_post",
    says: "An idempotency key belongs to one post and is kept as long as that post.",
    sql: `SELECT k.workspace_id, k.key, k.post_id FROM idempotency_keys k
      LEFT JOIN posts p ON p.workspace_id = k.workspace_id AND p.id = k.post_id
      WHERE (k.expires_at IS NULL AND p.id IS NULL) OR (p.id IS NOT NULL AND p.idempotency_key IS NOT k.key)`,
  },
  {
    name: "keys_of_cancelled_posts_expire",
    says: "An idempotency key has an expiry exactly when its post is cancelled or discarded.",
    sql: `SELECT k.workspace_id, k.key, k.post_id, p.status, k.expires_at FROM idempotency_keys k
      JOIN posts p ON p.workspace_id = k.workspace_id AND p.id = k.post_id
      WHERE (k.expires_at IS NOT NULL) <> (p.status = 'cancelled')`,
  },
  {
    name: "months_count_posts",
    says: "A month's counter equals its number of posts; some posts of earlier months may be in the archive.",
    sql: `SELECT workspace_id, month, SUM(counted) AS counted, SUM(held) AS held FROM (
        SELECT workspace_id, month, posts AS counted, 0 AS held FROM usage_months
        UNION ALL SELECT workspace_id, counted_month, 0, 1 FROM posts WHERE counted_month IS NOT NULL)
      GROUP BY workspace_id, month HAVING CASE
        WHEN month > strftime('%Y-%m', ${CLOCK} / 1000, 'unixepoch', '-${RETENTION_MONTHS_MIN} months') THEN SUM(counted) <> SUM(held)
        ELSE SUM(counted) < SUM(held) END`,
  },
  {
    name: "months_count_costs",
    says: "A month's costs equal those of its posts, in total and by key; some posts of earlier months may be in the archive.",
    sql: `SELECT workspace_id, month, key_id, SUM(counted) AS counted, SUM(held) AS held FROM (
        SELECT workspace_id, month, key_id, cost AS counted, 0 AS held FROM spending
        UNION ALL SELECT workspace_id, counted_month, '', 0, counted_cost FROM posts WHERE counted_month IS NOT NULL
        UNION ALL SELECT workspace_id, counted_month, counted_key, 0, counted_cost FROM posts
          WHERE counted_month IS NOT NULL AND counted_key IS NOT NULL)
      GROUP BY workspace_id, month, key_id HAVING CASE
        WHEN month > strftime('%Y-%m', ${CLOCK} / 1000, 'unixepoch', '-${RETENTION_MONTHS_MIN} months') THEN SUM(counted) <> SUM(held)
        ELSE SUM(counted) < SUM(held) END`,
  },
  {
    name: "workspaces_count_bytes",
    says: "A workspace's byte counter equals the size of its stored files and of abandoned files that are not deleted yet.",
    sql: `SELECT w.id AS workspace_id, w.staged_bytes, COALESCE(m.bytes, 0) AS stored FROM workspaces w LEFT JOIN (
        SELECT workspace_id, SUM(bytes) AS bytes FROM (
          SELECT workspace_id, bytes FROM media WHERE object_key IS NOT NULL AND state <> 'expired'
          UNION ALL SELECT workspace_id, bytes FROM media_copies
          UNION ALL SELECT workspace_id, bytes FROM discarded_objects)
        GROUP BY workspace_id) m ON m.workspace_id = w.id
      WHERE w.staged_bytes <> COALESCE(m.bytes, 0)`,
  },
  {
    name: "workspaces_count_drafts",
    says: "A workspace's counters equal the number and the size of its drafts.",
    sql: `SELECT w.id AS workspace_id, w.drafts, w.draft_bytes FROM workspaces w LEFT JOIN (
        SELECT workspace_id, COUNT(*) AS drafts, SUM(draft_bytes) AS bytes FROM posts WHERE draft_bytes > 0
        GROUP BY workspace_id) p ON p.workspace_id = w.id
      WHERE w.drafts <> COALESCE(p.drafts, 0) OR w.draft_bytes <> COALESCE(p.bytes, 0)
      UNION ALL SELECT workspace_id, id, draft_bytes FROM posts WHERE draft_bytes > 0 AND status NOT IN ('draft', 'awaiting_approval')`,
  },
  ...CLEANUP_INVARIANTS,
  {
    name: "deliveries_have_channels",
    says: "Every delivery belongs to a channel of its own workspace and to that channel's network.",
    sql: `SELECT ${OF_DELIVERY}, c.platform FROM deliveries d LEFT JOIN ${CHANNEL_OF}
      WHERE c.id IS NULL OR c.platform <> d.platform`,
  },
  {
    name: "states_are_known",
    says: "Every delivery has a known state.",
    sql: `SELECT ${OF_DELIVERY} FROM deliveries d WHERE d.state NOT IN ${stateList(STATES)}`,
  },
  {
    name: "messages_can_be_delivered",
    says: "Every webhook message has a known state, and every pending message is due within days.",
    sql: `SELECT workspace_id, webhook_id, event_id, state, next_at FROM webhook_messages
      WHERE state NOT IN ('pending', 'delivered', 'exhausted', 'skipped')
        OR (state = 'pending' AND (typeof(next_at) <> 'integer' OR next_at > ${CLOCK} + ${MESSAGE_WAIT_MAX_MS}))`,
  },
  {
    name: "secrets_are_sealed",
    says: "Credentials that could act for a user are sealed.",
    sql: `SELECT workspace_id, id, 'credential' AS secret FROM channels WHERE credential NOT LIKE 'v1.%'
      UNION ALL SELECT workspace_id, id, 'key' FROM workspace_keys WHERE sealed NOT LIKE 'v1.%'
      UNION ALL SELECT workspace_id, id, 'webhook' FROM webhooks WHERE secret NOT LIKE 'v1.%'`,
  },
  {
    name: "publish_keys_are_sealed",
    says: "Publish keys, with which anyone could continue a publish, are sealed.",
    sql: `SELECT workspace_id, post_id, channel_id FROM deliveries WHERE publish_key NOT LIKE 'v1.%'
      UNION ALL SELECT workspace_id, post_id, position FROM thread_parts WHERE publish_key NOT LIKE 'v1.%'
      UNION ALL SELECT workspace_id, post_id, kind FROM follow_ups WHERE publish_key NOT LIKE 'v1.%'`,
  },
];
