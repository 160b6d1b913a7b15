// Reads the work of a publisher: the next due deliveries of each of its channels, with everything that publishing them
// needs, and when more work comes due. Reading changes nothing: the first write of a session shows that it has taken a
// delivery.
//
// A row that cannot be read, which no release writes, is returned by its name, and the others of its lane are returned with
// everything they need.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { LiveThreadPart } from "../../domain/delivery/thread.ts";
import { whyUnreadable } from "../../domain/delivery/unreadable.ts";
import { PAGE_BYTES_MAX } from "../../domain/limits.ts";
import { type Database, NOW } from "../db/db.ts";
import { type AnswerRow, findNumber, preparedBatch, readNumber, readText, toStatement } from "../db/prepared-sql.ts";
import { rowAsJson } from "../db/row-as-json.ts";
import { channels, deliveries, media, mediaUses, posts } from "../db/schema.ts";
import { bytesListed } from "../posts/listed-bytes.ts";
import type { DeliveryGuard } from "./guard.ts";
import { recoverableAt, type SendTimeouts } from "./open-send.ts";
import { threadPartsJson } from "./thread-part-rows.ts";

export type DeliveryRow = typeof deliveries.$inferSelect;
type ChannelRow = typeof channels.$inferSelect;

/** Everything that publishing one delivery needs. */
export interface DueDelivery {
  delivery: DeliveryRow;
  /** Its published parts; none, unless it is a thread. */
  threadParts: LiveThreadPart[];
  post: typeof posts.$inferSelect;
  channel: ChannelRow;
  /** Every file that the post uses, in no particular order. */
  media: (typeof media.$inferSelect)[];
  /** The database's clock when it was read. */
  now: number;
}

/** A due delivery whose rows cannot be read. */
interface UnreadableDelivery {
  postId: string;
  channelId: string;
  reason: string;
}

/** The pending work of a channel in a lane. */
interface ChannelSchedule {
  channelId: string;
  /** Whether more is due than was read. */
  hasMore: boolean;
  /** The next instant at which a delivery comes due; null: nothing is upcoming. */
  nextAt: number | null;
}

export interface DueWork {
  /** The database's clock. */
  now: number;
  /** In the order of their promised times. */
  deliveries: DueDelivery[];
  unreadable: UnreadableDelivery[];
  /** Every channel of the lane that is not busy. Empty if the lane has no channels left. */
  channels: ChannelSchedule[];
  hasChannels: boolean;
}

export interface Lane {
  workspaceId: string;
  lane: number;
}

/** How many due deliveries of a channel are considered for the next ones. */
const QUEUE_HEAD = 100;
/** Deliveries read for one channel at once, to save a read after each of them. */
export const PER_CHANNEL_MAX = 10;
/** Deliveries read in all, and the bytes of all their posts but the last: a post may have a mebibyte. */
const DELIVERIES_MAX = 50;
const BYTES_MAX = 4 * PAGE_BYTES_MAX;

const [deliveryJson, postJson, channelJson, mediaJson] = [
  rowAsJson(deliveries),
  rowAsJson(posts),
  rowAsJson(channels),
  rowAsJson(media),
];

const mayPublish = sql`(${channels.notBefore} IS NULL OR ${channels.notBefore} <= ${NOW})`;

function dueStatements() {
  const workspaceId = sql.placeholder("workspace");
  const ofLane = and(eq(channels.workspaceId, workspaceId), eq(channels.lane, sql.placeholder("lane")));
  const isFree = sql`${channels.id} NOT IN (SELECT value FROM json_each(${sql.placeholder("busy")}))`;
  const send = { sends: sql`queued.sends`, nextAt: sql`queued.next_at`, platform: channels.platform };
  const recoverAt = recoverableAt(send, sql`${sql.placeholder("timeouts")}`);
  const isNotSetAside = sql`(queued.post_id || ':' || queued.channel_id) NOT IN (SELECT value FROM json_each(${sql.placeholder("aside")}))`;
  // Ordered by promised time, even if some deliveries had to wait for the network; only the head of a long queue is
  // read.
  const head = sql`(SELECT queued.post_id AS post, queued.scheduled_for AS promised, queued.next_at AS next_at,
      CASE WHEN queued.state = 'sending' THEN ${recoverAt} ELSE 0 END AS free_at
    FROM ${deliveries} AS queued WHERE queued.workspace_id = ${workspaceId} AND queued.channel_id = ${channels.id}
      AND queued.next_at <= ${NOW} AND ${isNotSetAside} ORDER BY queued.next_at, queued.post_id LIMIT ${sql.raw(String(QUEUE_HEAD))})`;
  const next = sql`(SELECT post FROM ${head} WHERE free_at <= ${NOW} ORDER BY promised, post
    LIMIT ${sql.raw(String(PER_CHANNEL_MAX))})`;
  const isDue = and(
    ofLane,
    isFree,
    mayPublish,
    eq(deliveries.workspaceId, workspaceId),
    eq(deliveries.channelId, channels.id),
    sql`${deliveries.postId} IN ${next}`,
    eq(posts.workspaceId, workspaceId),
    eq(posts.id, deliveries.postId),
  );
  const parses = and(deliveryJson.parses, postJson.parses, channelJson.parses);
  const bytesBefore = sql`SUM(CASE WHEN ${parses} THEN ${bytesListed} END) OVER (ORDER BY ${deliveries.scheduledFor}, ${deliveries.postId}
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
  const selection = sql`(SELECT channel_id, post_id, parses FROM (SELECT ${deliveries.channelId} AS channel_id, ${deliveries.postId} AS post_id,
      ${bytesBefore} AS bytes_before, ${parses} AS parses FROM ${channels} CROSS JOIN ${deliveries} CROSS JOIN ${posts} WHERE ${isDue}
      ORDER BY ${deliveries.scheduledFor}, ${deliveries.postId} LIMIT ${sql.raw(String(DELIVERIES_MAX))})
    WHERE COALESCE(bytes_before, 0) <= ${sql.raw(String(BYTES_MAX))})`;
  const files = sql`(SELECT json_group_array(${mediaJson.array}) FROM ${mediaUses}
    JOIN ${media} ON ${mediaUses.workspaceId} = ${media.workspaceId} AND ${mediaUses.mediaId} = ${media.id}
    WHERE ${mediaUses.workspaceId} = ${posts.workspaceId} AND ${mediaUses.postId} = ${posts.id})`;
  const ifParses = (value: SQL) => sql`CASE WHEN taken.parses THEN ${value} END`;
  const upcoming = sql`SELECT MIN(queued.next_at) FROM ${deliveries} AS queued
    WHERE queued.workspace_id = ${workspaceId} AND queued.channel_id = ${channels.id}`;
  return {
    rows: toStatement(sql`SELECT ${NOW} AS now, ${deliveries.postId} AS post_id, ${channels.id} AS channel_id,
        taken.parses, ${ifParses(deliveryJson.array)} AS delivery, ${threadPartsJson.array} AS thread_parts,
        ${ifParses(postJson.array)} AS post,
        ${ifParses(channelJson.array)} AS channel, ${ifParses(files)} AS files
      FROM ${selection} AS taken CROSS JOIN ${channels} CROSS JOIN ${deliveries} CROSS JOIN ${posts}
      WHERE ${channels.workspaceId} = ${workspaceId} AND ${channels.id} = taken.channel_id
        AND ${deliveries.workspaceId} = ${workspaceId} AND ${deliveries.postId} = taken.post_id
        AND ${deliveries.channelId} = ${channels.id}
        AND ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${deliveries.postId}
      ORDER BY ${deliveries.scheduledFor}, ${deliveries.postId}`),
    schedules: toStatement(sql`SELECT ${channels.id} AS channel_id, ${NOW} AS now, ${isFree} AS is_free,
        ${channels.notBefore} AS not_before, (SELECT COUNT(*) FROM ${head} WHERE free_at <= ${NOW}) AS due,
        (SELECT MIN(free_at) FROM ${head} WHERE free_at > ${NOW}) AS free_at,
        (${upcoming} AND queued.next_at > ${NOW}) AS upcoming_at
      FROM ${channels} WHERE ${ofLane}`),
  };
}

/** A due delivery, or the reason why its rows cannot be read. */
function readDueRow(row: AnswerRow): DueDelivery | UnreadableDelivery {
  const names = { postId: readText(row, "post_id"), channelId: readText(row, "channel_id") };
  if (readNumber(row, "parses") === 0) return { ...names, reason: "its JSON does not parse" };
  const files: unknown[][][] = JSON.parse(readText(row, "files"));
  const due = {
    delivery: deliveryJson.read(JSON.parse(readText(row, "delivery"))),
    threadParts: threadPartsJson.read(JSON.parse(readText(row, "thread_parts"))),
    post: postJson.read(JSON.parse(readText(row, "post"))),
    channel: channelJson.read(JSON.parse(readText(row, "channel"))),
    media: files.map((cells) => mediaJson.read(cells)),
    now: readNumber(row, "now"),
  };
  const reason = whyUnreadable(due);
  return reason === null ? due : { ...names, reason };
}

const readSchedule = (row: AnswerRow) => ({
  channelId: readText(row, "channel_id"),
  now: readNumber(row, "now"),
  isFree: readNumber(row, "is_free") === 1,
  notBefore: findNumber(row, "not_before"),
  due: readNumber(row, "due"),
  freeAt: findNumber(row, "free_at"),
  upcomingAt: findNumber(row, "upcoming_at"),
});

const runDue = preparedBatch(dueStatements, (rowsFrom) => ({
  found: rowsFrom("rows").map(readDueRow),
  schedules: rowsFrom("schedules").map(readSchedule),
}));

/** What a publisher leaves out of a read, and how long its networks' calls may take. */
interface DueLimits {
  /** The ids of channels that are being worked. */
  busy: string[];
  /** The names (`POST:CHANNEL`) of deliveries that are not worked for now. */
  aside?: string[];
  /** By platform; a delivery that another session is sending is left alone until this time has passed. */
  sendTimeoutsMs: SendTimeouts;
}

/** Reads the due deliveries on the channels of a lane. */
export async function readDue(
  db: Database,
  { workspaceId, lane }: Lane,
  { busy, aside = [], sendTimeoutsMs }: DueLimits,
): Promise<DueWork> {
  const { found, schedules } = await runDue(db, {
    workspace: workspaceId,
    lane,
    busy: JSON.stringify(busy),
    aside: JSON.stringify(aside),
    timeouts: JSON.stringify(sendTimeoutsMs),
  });
  const foundByChannel = Map.groupBy(found, (due) => ("reason" in due ? due.channelId : due.delivery.channelId));
  const now = schedules[0]?.now ?? 0;
  return {
    now,
    deliveries: found.filter((due) => "delivery" in due),
    unreadable: found.filter((due) => "reason" in due),
    hasChannels: schedules.length > 0,
    channels: schedules.flatMap(({ channelId, isFree, notBefore, due, freeAt, upcomingAt }) => {
      if (!isFree) return [];
      const waits = notBefore !== null && notBefore > now;
      const hasMore = !waits && due > (foundByChannel.get(channelId)?.length ?? 0);
      const instants = [freeAt, upcomingAt, waits && due > 0 ? notBefore : null].filter((instant) => instant !== null);
      const nextAt = instants.length === 0 ? null : Math.max(Math.min(...instants), waits ? notBefore : 0);
      return [{ channelId, hasMore, nextAt }];
    }),
  };
}

/** The guard of a session that begins with this delivery. */
export function makeGuard({ delivery, now }: Pick<DueDelivery, "delivery" | "now">, session: string): DeliveryGuard {
  const { workspaceId, postId, channelId, fencingToken, version } = delivery;
  return { key: { workspaceId, postId, channelId }, session, fencingToken: fencingToken + 1, version, since: now };
}
