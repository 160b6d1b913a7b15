// Guards a session's writes to a delivery: they apply only while the row is as the session last saw it. The row names
// the session that wrote it, so a write whose answer was lost can be repeated and read back.
import { and, eq, sql } from "drizzle-orm";
import { type In, NOW, type RowIn } from "../db/db.ts";
import { type JsonTable, jsonTable } from "../db/json-table.ts";
import { type AnswerRow, findNumber, readNumber, readText, toStatement } from "../db/prepared-sql.ts";
import { deliveries } from "../db/schema.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { sentAtIn } from "./open-send.ts";

export interface DeliveryGuard {
  key: DeliveryKey;
  /** A name that no other session has. */
  session: string;
  /** The session's fencing token: one above that of the row that it read. */
  fencingToken: number;
  /** The version of the row as the session last saw it. Every write increments it. */
  version: number;
  /** When the session took the delivery, by the database's clock (epoch milliseconds). */
  since: number;
}

/** A guard as SQL expressions. */
export interface GuardIn {
  key: RowIn<DeliveryKey>;
  session: In<string>;
  fencingToken: In<number>;
  version: In<number>;
  since: In<number>;
}

/** True of a row that has not been written since the session last saw it. */
export const ifUnchanged = ({ key, version }: GuardIn) => and(isDelivery(key), eq(deliveries.version, version));

/** True of a row as the session's next write leaves it. */
export const isWritten = ({ key, session, version }: GuardIn) =>
  and(isDelivery(key), eq(deliveries.session, session), sql`${deliveries.version} = ${version} + 1`);

/** The columns that a session's writes set; `recoverSend` and `cancelUnsent` set only the version and the session. */
export const writtenBy = ({ session, fencingToken, since }: GuardIn) => ({
  // Proof that a post is out is accepted even from a session with an outdated fencing token.
  fencingToken: sql<number>`MAX(${deliveries.fencingToken}, ${fencingToken})`,
  version: sql<number>`${deliveries.version} + 1`,
  session: sql<string>`${session}`,
  startedAt: sql<number>`COALESCE(${deliveries.startedAt}, ${since})`,
});

export const GUARD_COLUMNS = ["workspace", "post", "channel", "session", "fencing_token", "version", "since"] as const;
type GuardColumn = (typeof GUARD_COLUMNS)[number];

/** The cells of a guard in a table parameter of a statement. */
export const guardCells = ({ key, session, fencingToken, version, since }: DeliveryGuard) => ({
  workspace: key.workspaceId,
  post: key.postId,
  channel: key.channelId,
  session,
  fencing_token: fencingToken,
  version,
  since,
});

export const guardIn = ({ column }: Pick<JsonTable<GuardColumn>, "column">): GuardIn => ({
  key: { workspaceId: column("workspace"), postId: column("post"), channelId: column("channel") },
  session: column("session"),
  fencingToken: column("fencing_token"),
  version: column("version"),
  since: column("since"),
});

/** A row that a session wrote last. */
export interface LeftRow extends DeliveryKey {
  session: string;
  state: string;
  version: number;
  sentAt: number | null;
  /** The database's clock. */
  now: number;
}

const sessionTable = jsonTable("sessions", ["workspace", "post", "channel", "session"]);

/** The statement that reads the rows which are still as their sessions left them. */
export function selectLeft() {
  const { table, column } = sessionTable;
  const key = { workspaceId: column("workspace"), postId: column("post"), channelId: column("channel") };
  return toStatement(sql`SELECT ${deliveries.workspaceId}, ${deliveries.postId}, ${deliveries.channelId}, ${deliveries.session},
      ${deliveries.state}, ${deliveries.version}, ${sentAtIn(deliveries.sends)} AS sent_at, ${NOW} AS now
    FROM ${table} CROSS JOIN ${deliveries} WHERE ${isDelivery(key)} AND ${deliveries.session} = ${column("session")}`);
}

export const readLeftRow = (row: AnswerRow): LeftRow => ({
  workspaceId: readText(row, "workspace_id"),
  postId: readText(row, "post_id"),
  channelId: readText(row, "channel_id"),
  session: readText(row, "session"),
  state: readText(row, "state"),
  version: readNumber(row, "version"),
  sentAt: findNumber(row, "sent_at"),
  now: readNumber(row, "now"),
});

/** The parameters of `selectLeft`. */
export const leftValues = (guards: DeliveryGuard[]) => sessionTable.values(guards.map(guardCells));

/** Whether a row belongs to the delivery and session of a guard. */
export const isLeftBy =
  ({ key, session }: DeliveryGuard) =>
  (row: LeftRow) =>
    row.session === session &&
    row.postId === key.postId &&
    row.channelId === key.channelId &&
    row.workspaceId === key.workspaceId;
