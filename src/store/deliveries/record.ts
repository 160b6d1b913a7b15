// Ends a session's current work on a delivery: writes its decision and everything that belongs to it in one
// transaction. If the statements are repeated after a lost answer, they change nothing and return
// the state of the rows.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { DeliveryDecision } from "../../domain/delivery/decide-outcome.ts";
import type { FollowUpKind } from "../../domain/delivery/follow-up-moves.ts";
import { type NetworkPost, toLastTry } from "../../domain/delivery/stored-facts.ts";
import type { LiveThreadPart } from "../../domain/delivery/thread.ts";
import { PROOFS, type Proof } from "../../domain/delivery/transitions.ts";
import type { EventRecord } from "../../domain/event-body.ts";
import { type Database, NOW } from "../db/db.ts";
import { type JsonTable, jsonTable } from "../db/json-table.ts";
import { channels, deliveries, events } from "../db/schema.ts";
import { insertEvents } from "../events.ts";
import { followPosts } from "../posts/media-uses.ts";
import { refreshPosts } from "../posts/status.ts";
import { fanOut } from "../webhooks/messages.ts";
import { isDelivery } from "./delivery-key.ts";
import { insertFollowUpWork } from "./follow-up-rows.ts";
import {
  type DeliveryGuard,
  GUARD_COLUMNS,
  guardCells,
  guardIn,
  ifUnchanged,
  isLeftBy,
  type LeftRow,
  writtenBy,
} from "./guard.ts";
import { mayMove } from "./moves.ts";
import { answered } from "./send-intent.ts";
import { countThreadParts, insertThreadParts } from "./thread-part-rows.ts";

/** A decision in the form in which it is written: its publish key is sealed. */
type SealedDecision = Omit<DeliveryDecision, "publishKey"> & { publishKey?: string | null };

/** The end of a session's current work on a delivery. Plain data, so it can be kept in a Durable Object's storage. */
export interface DeliveryRecord {
  guard: DeliveryGuard;
  decision: SealedDecision;
  event: EventRecord | null;
  followUp: FollowUp;
  /** The thread part that is live according to this decision, if there is one. */
  threadPart?: ProvenThreadPart;
  /** The same proof for a row that has ended as unknown, or was retried, since the session read it. */
  otherwise?: DeliveryRecord;
}

/** The proof that a thread part is live. It is recorded only if exactly the parts before it are live, so it counts once. */
export interface ProvenThreadPart {
  proof: Proof;
  live: LiveThreadPart;
}

/** The follow-up work of a delivery that has ended. */
export interface FollowUp {
  /** When the delivery is rechecked, in epoch milliseconds; null: never. */
  checkAt: number | null;
  /** The work that is to be done under the post now that it is live. */
  kinds: FollowUpKind[];
  /** Whether the post has files, which may expire some time after the delivery has ended. */
  hasFiles: boolean;
}

/** The result of writing a record. */
export interface Recorded {
  /** Whether the record was written. If not, the delivery no longer belongs to the session. */
  written: boolean;
  /** The endpoints to notify. */
  endpointsToNotify: string[];
}

/** The columns of a record in the delivery's own row. */
const DECISION_COLUMNS = [
  "state",
  "next_at",
  "has_open_send",
  "last_try",
  "said",
  "sets_publish_key",
  "publish_key",
  "network_post",
  "check_at",
] as const;

/** The columns that mark a decision as proof. */
const PROOF_COLUMNS = ["live", "proof", "position"] as const;

// The records as parameters: each statement gets only the columns that it needs.
const decisionTable = jsonTable("transitions", [...GUARD_COLUMNS, ...PROOF_COLUMNS, "event_id", ...DECISION_COLUMNS]);
const eventTable = jsonTable("events", [...GUARD_COLUMNS, ...PROOF_COLUMNS, "event", "event_id", "body", "created_at"]);
const messageTable = jsonTable("messages", [...GUARD_COLUMNS, "state", "event_id"]);
const workTable = jsonTable("works", [...GUARD_COLUMNS, ...PROOF_COLUMNS, "state", "kinds"]);
const newWork = {
  key: guardIn(workTable).key,
  table: workTable.table,
  state: workTable.column("state"),
  kinds: workTable.column("kinds"),
};
const partTable = jsonTable("parts", [...GUARD_COLUMNS, "state", "part"]);
const newParts = { key: guardIn(partTable).key, table: partTable.table, part: partTable.column("part") };
const delayTable = jsonTable("delays", [...GUARD_COLUMNS, "not_before"]);
const postTable = jsonTable("posts", ["workspace", "post"]);

/** Statements that only some records need. Each costs database time even if it writes nothing. */
export interface RecordNeeds {
  hasFiles: boolean;
  /** Whether work is to be done under a post that is live now. */
  hasWork: boolean;
  /** Whether a part of a thread is live now. */
  hasThreadParts: boolean;
  /** Whether a network has asked to wait. */
  hasDelays: boolean;
}

export const getRecordNeeds = (records: DeliveryRecord[]): RecordNeeds => ({
  hasFiles: records.some(({ followUp }) => followUp.hasFiles),
  hasWork: records.some(({ followUp }) => followUp.kinds.length > 0),
  hasThreadParts: records.some(({ threadPart }) => threadPart !== undefined),
  hasDelays: records.some(({ decision }) => decision.channelNotBefore !== undefined),
});

/** The parameters of the statements of `recordStatements`. */
export function recordValues(records: DeliveryRecord[]) {
  const rows = records.map(toCells);
  const posts = new Map(records.map(({ guard: { key } }) => [`${key.workspaceId} ${key.postId}`, key]));
  return {
    ...decisionTable.values(rows),
    ...eventTable.values(rows),
    ...messageTable.values(rows),
    count: records.length,
    ...workTable.values(rows.filter(({ kinds }) => kinds !== NO_KINDS)),
    ...partTable.values(rows.filter(({ part }) => part !== null)),
    ...delayTable.values(rows.filter(({ not_before }) => not_before !== null)),
    ...postTable.values(
      [...posts.values()].map(({ workspaceId, postId }) => ({ workspace: workspaceId, post: postId })),
    ),
  };
}

const NO_KINDS = JSON.stringify([]);

const toCells = ({ guard, decision, event, followUp, threadPart }: DeliveryRecord) => ({
  ...guardCells(guard),
  state: decision.state,
  next_at: decision.nextAt,
  has_open_send: decision.hasOpenSend,
  last_try: toCell(toLastTry(decision)),
  said: decision.detail ?? decision.networkMessage ?? null,
  sets_publish_key: decision.publishKey !== undefined,
  publish_key: decision.publishKey ?? null,
  live: decision.live !== undefined,
  proof: threadPart?.proof ?? (decision.state === "handed_over" ? "handed_over" : "proven"),
  position: threadPart?.live.position ?? 0,
  part: toCell(threadPart?.live ?? null),
  network_post: toCell(getNetworkPost(decision, threadPart)),
  not_before: decision.channelNotBefore ?? null,
  event_id: event?.id ?? null,
  event: event?.event ?? null,
  body: event?.body ?? null,
  created_at: event?.createdAt ?? null,
  check_at: followUp.checkAt,
  kinds: JSON.stringify(followUp.kinds),
});

const toCell = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** The post that a decision found on its network; null if there is none. The first part of a thread stands for it. */
function getNetworkPost({ live }: SealedDecision, threadPart: ProvenThreadPart | undefined): NetworkPost | null {
  if (live === undefined || (threadPart !== undefined && threadPart.live.position > 0)) return null;
  const { id, url, urlState } = live;
  return { id, url, urlState };
}

/**
 * The statements that write transitions with their events and their posts' new status, all or nothing. Each is guarded
 * by the row's version, except proof that the post is live, which is accepted from any session.
 */
export function recordStatements(db: Database, needs: RecordNeeds) {
  const posts = sql`SELECT ${postTable.column("workspace")}, ${postTable.column("post")} FROM ${postTable.table}`;
  const { column } = decisionTable;
  const guard = guardIn(decisionTable);
  const { workspaceId, postId, channelId } = guard.key;
  const networkPost = sql`COALESCE(${column("network_post")}, ${deliveries.networkPost})`;
  const proofs = PROOFS.map((proof) => sql`WHEN ${sql.raw(`'${proof}'`)} THEN ${mayMove(proof)}`);
  // All parameter tables have the same name, so this expression works for each of them. A part that is found later is a
  // second failure with an event of its own, and so needs its own token.
  const fencingToken = sql`${writtenBy(guard).fencingToken} + (${column("proof")} = 'part_found')`;
  const goesThrough = sql`CASE WHEN ${column("live")}
    THEN ${countThreadParts} = ${column("position")}
      AND CASE ${column("proof")} ${sql.join(proofs, sql` `)} END
    ELSE ${ifUnchanged(guard)} END`;
  // The events that this batch added are at the end of the feed.
  const isNew = (id: SQL) => sql`${events.workspaceId} = ${workspaceId} AND ${events.id} = ${id}
    AND ${events.seq} > (SELECT MAX(fed.seq) FROM ${events} AS fed WHERE fed.workspace_id = ${workspaceId}) - ${sql.placeholder("count")}`;
  return {
    // Runs before the states change: a repeated proof adds no event, and so counts nothing.
    events: insertEvents(
      db,
      {
        workspaceId,
        id: eventTable.column("event_id"),
        event: eventTable.column("event"),
        postId,
        channelId,
        dedupeKey: fencingToken,
        body: eventTable.column("body"),
        createdAt: eventTable.column("created_at"),
      },
      sql`FROM ${eventTable.table} CROSS JOIN ${deliveries}
        WHERE ${isDelivery(guard.key)} AND ${goesThrough} AND ${eventTable.column("event")} IS NOT NULL`,
    ),
    // Also runs before the states change. A delivery goes live once, so its work is added once.
    work: needs.hasWork ? [insertFollowUpWork(db, newWork, goesThrough)] : [],
    transitions: db
      .update(deliveries)
      .set({
        state: sql`${column("state")}`,
        ...writtenBy(guard),
        fencingToken,
        nextAt: sql`${column("next_at")}`,
        hasOpenSend: sql`${column("has_open_send")}`,
        // A live delivery needs no entry here: its own columns hold the outcome.
        sends: sql`CASE WHEN ${deliveries.state} = 'sending' AND ${column("state")} <> 'live'
          THEN ${answered(sql`CASE WHEN ${column("live")} AND ${column("state")} <> 'handed_over' THEN 'live' ELSE ${column("state")} END`, column("said"))}
          ELSE ${deliveries.sends} END`,
        lastTry: column("last_try"),
        publishKey: sql`CASE WHEN ${column("sets_publish_key")} THEN ${column("publish_key")} ELSE ${deliveries.publishKey} END`,
        networkPost: sql`CASE WHEN ${column("state")} = 'live' THEN json_set(${networkPost}, '$.checkedAt', ${NOW}) ELSE ${networkPost} END`,
        publishedAt: sql`CASE WHEN ${column("network_post")} IS NULL OR ${column("state")} = 'handed_over' THEN ${deliveries.publishedAt} ELSE ${NOW} END`,
        successSeq: sql`CASE WHEN ${column("state")} = 'live'
          THEN (SELECT ${events.seq} FROM ${events} WHERE ${isNew(column("event_id"))}) ELSE ${deliveries.successSeq} END`,
        // A post that is live has its work as rows, and nothing was done under a delivery that published nothing.
        isHeldBack: sql`CASE WHEN ${column("state")} IN ('live', 'retry_wait') THEN 0 ELSE ${deliveries.isHeldBack} END`,
        checkAt: sql`COALESCE(${column("check_at")}, ${deliveries.checkAt})`,
      })
      .from(decisionTable.table)
      .where(and(isDelivery(guard.key), goesThrough)),
    // Runs after the states change, because a part counts for its own proof once it is there.
    parts: needs.hasThreadParts ? [insertThreadParts(db, newParts, isRecorded(partTable))] : [],
    messages: fanOut(
      db,
      sql`${messageTable.table} CROSS JOIN ${deliveries} CROSS JOIN ${events}`,
      sql`${isRecorded(messageTable)} AND ${isNew(messageTable.column("event_id"))}`,
    ),
    posts: refreshPosts(db, posts),
    files: needs.hasFiles ? followPosts(db, posts) : [],
    delays: needs.hasDelays ? [delayChannels(db)] : [],
  };
}

/**
 * The statement that makes channels wait as long as their networks have asked. It applies even if another session has
 * written the delivery since, because the network's request is still valid.
 */
function delayChannels(db: Database) {
  const { workspaceId, channelId } = guardIn(delayTable).key;
  return db
    .update(channels)
    .set({ notBefore: sql`MAX(COALESCE(${channels.notBefore}, 0), ${delayTable.column("not_before")})` })
    .from(delayTable.table)
    .where(and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId)));
}

/** True of the rows as the records of a table left them; `table` has the guards and states. */
const isRecorded = (table: JsonTable<(typeof GUARD_COLUMNS)[number] | "state">) => {
  const { key, session } = guardIn(table);
  return and(isDelivery(key), eq(deliveries.session, session), eq(deliveries.state, table.column("state")));
};

/** The results of records, read from the rows that their sessions left and the messages that were written. */
export function readRecorded(
  records: DeliveryRecord[],
  { left, messages }: { left: LeftRow[]; messages: { eventId: string; webhookId: string; state: string }[] },
): Recorded[] {
  return records.map(({ guard, decision, event }) => ({
    written: left.find(isLeftBy(guard))?.state === decision.state,
    endpointsToNotify: messages.flatMap(({ eventId, webhookId, state }) =>
      eventId === event?.id && state === "pending" ? [webhookId] : [],
    ),
  }));
}
