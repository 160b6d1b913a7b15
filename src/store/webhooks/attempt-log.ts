// The log of an endpoint as its owner reads it: the attempts to reach it, and the events that it missed while it was
// switched off. A missed event has no row in the log. Its entry is made from its message, and the entry's id is derived from the
// event's id.
import { and, desc, eq, lt, type SQL } from "drizzle-orm";
import type { LOGGED_OUTCOMES } from "../../domain/webhook.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/db.ts";
import { events, webhookMessages } from "../db/schema.ts";
import { type AttemptRow, findAttempt, selectAttempts } from "./attempts.ts";

export type LoggedRow = Omit<AttemptRow, "outcome"> & { outcome: (typeof LOGGED_OUTCOMES)[number] };
/** `body`: the body that was sent, or would have been; null: it was a test, or its event has been deleted. */
export interface LogEntry {
  attempt: LoggedRow;
  body: string | null;
}

const toEventId = (attemptId: string) => attemptId.replace(/^att_/, "evt_");
const toAttemptId = (eventId: string) => eventId.replace(/^evt_/, "att_");

const selectMissed = (db: Database, workspaceId: string, webhookId: string, condition: SQL | undefined) =>
  db
    .select({
      eventId: webhookMessages.eventId,
      attempts: webhookMessages.attempts,
      event: events.event,
      missedAt: events.createdAt,
      body: events.body,
    })
    .from(webhookMessages)
    .innerJoin(
      events,
      and(eq(events.workspaceId, webhookMessages.workspaceId), eq(events.seq, webhookMessages.eventSeq)),
    )
    .where(
      and(
        eq(webhookMessages.workspaceId, workspaceId),
        eq(webhookMessages.webhookId, webhookId),
        eq(webhookMessages.state, "skipped"),
        condition,
      ),
    );
type MissedRow = Awaited<ReturnType<typeof selectMissed>>[number];

const toEntry = (workspaceId: string, webhookId: string, missed: MissedRow): LogEntry => ({
  attempt: {
    workspaceId,
    webhookId,
    id: toAttemptId(missed.eventId),
    eventId: missed.eventId,
    event: missed.event,
    attempt: missed.attempts,
    responseCode: null,
    outcome: "skipped",
    durationMs: 0,
    response: null,
    attemptedAt: missed.missedAt,
    nextAttemptAt: null,
  },
  body: missed.body,
});

/** The log of an endpoint, newest first, before `before` (null: from the newest). */
export async function listLog(
  db: Database,
  workspaceId: string,
  webhookId: string,
  limit: number,
  before: string | null,
): Promise<LogEntry[]> {
  const earlier = before === null ? undefined : lt(webhookMessages.eventId, toEventId(before));
  const { attempts, missed } = await batch(db, {
    attempts: selectAttempts(db, { workspaceId, webhookId, before, limit }),
    missed: selectMissed(db, workspaceId, webhookId, earlier).orderBy(desc(webhookMessages.eventId)).limit(limit),
  });
  return [...attempts, ...missed.map((row) => toEntry(workspaceId, webhookId, row))]
    .sort((a, b) => (a.attempt.id < b.attempt.id ? 1 : -1))
    .slice(0, limit);
}

/** One entry of the log. */
export async function findLogEntry(
  db: Database,
  workspaceId: string,
  webhookId: string,
  id: string,
): Promise<LogEntry | undefined> {
  const attempt = await findAttempt(db, workspaceId, webhookId, id);
  if (attempt !== undefined) return attempt;
  const [missed] = await selectMissed(db, workspaceId, webhookId, eq(webhookMessages.eventId, toEventId(id)));
  return missed && toEntry(workspaceId, webhookId, missed);
}
