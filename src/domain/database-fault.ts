// Classifies database errors.
//
// D1 gives its errors no codes, so this is the one place that reads texts: those of
// developers.cloudflare.com/d1/observability/debug-d1 (list of D1_ERRORS, with cloudflare-docs 24991 and 32641, read
// 2026-11-24), and those of SQLite, which end in the name of their result code (workerd, src/workerd/util/sqlite.c++, read
// 2026-11-24).
import { dailyLimitDetail, isDatabaseLimit } from "./daily-limit.ts";
import { errorTexts } from "./error-texts.ts";
import { type Refusal, refuse } from "./refusal.ts";

/** The error for a write to a workspace that is being moved to another database (scripts/move/tables.ts). */
const MOVING = "workspace_moving";
const MOVING_RETRY_S = 10;

/** The result codes with which SQLite refuses a statement permanently; the other codes are temporary. */
const REFUSED = /\bSQLITE_(?:CONSTRAINT|ERROR|TOOBIG|MISMATCH|RANGE|AUTH)\b|^D1_TYPE_ERROR\b/;
/** No more writes are possible until space is freed. */
const FULL = /\bSQLITE_FULL\b|Exceeded maximum (?:DB size|account storage)/;
/** The statement was not begun, or was rolled back completely. */
const NOT_CARRIED_OUT =
  /\bSQLITE_(?:BUSY|LOCKED)\b|D1 DB is overloaded|Cannot resolve D1 DB|while starting up D1 DB storage/;
/** Errors of D1, with or without the prefix of the client library. */
const FROM_DATABASE = /^D1_(?:EXEC_)?ERROR\b|^Network connection lost\.|\bD1 (?:DB|storage)\b/;

const RETRY_S = 5;
const FULL_RETRY_S = 600;

/** The database gave no answer for so long that the work continues without it. */
export class DatabaseAway extends Error {
  override name = "DatabaseAway";
}

const mentions = (error: unknown, text: RegExp): boolean => errorTexts(error).some((message) => text.test(message));

/** Whether a write failed because its workspace is being moved; if so, it wrote nothing. */
export const isMoving = (error: unknown): boolean => mentions(error, new RegExp(`\\b${MOVING}\\b`));

/** Whether a batch failed because the database refused one of its statements permanently; if so, it wrote nothing. */
export const wasRefused = (error: unknown): boolean => !isMoving(error) && mentions(error, REFUSED);

/** Whether a batch failed because a row or a value is larger than the database allows; if so, it wrote nothing. */
export const isTooBig = (error: unknown): boolean => mentions(error, /\bSQLITE_TOOBIG\b/);

/** Whether a batch failed because the value of a unique column exists already. `column`: `table.column`. */
export function violatesUnique(error: unknown, column: string): boolean {
  return errorTexts(error).some((message) => message.includes(`UNIQUE constraint failed: ${column}`));
}

/** Whether a failed batch may succeed on a retry. */
export function isPassing(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true;
  return mentions(error, FROM_DATABASE) && !mentions(error, REFUSED);
}

/** Whether a batch may be retried at once: it was not carried out, and waiting a moment may help. */
export const wasNotCarriedOut = (error: unknown): boolean => isPassing(error) && mentions(error, NOT_CARRIED_OUT);

/** Whether retrying at once may help. */
export const passesSoon = (error: unknown): boolean =>
  isPassing(error) && !mentions(error, FULL) && !isDatabaseLimit(error);

/** The refusal of a write to a workspace that is moving, or has moved, to another database. */
export const refuseMoving = (): Refusal =>
  refuse("workspace_moving", { headers: { "Retry-After": String(MOVING_RETRY_S) } });

/**
 * The refusal for a call that failed because of the database and not because of a bug; null for any other error. `now`: epoch
 * milliseconds.
 */
export function databaseRefusal(error: unknown, now: number): Refusal | null {
  const refusal = (retryS: number, detail = {}) =>
    refuse("database_unavailable", { ...detail, headers: { "Retry-After": String(retryS) } });
  if (isMoving(error)) return refuseMoving();
  if (!isPassing(error)) return null;
  if (isDatabaseLimit(error)) {
    const message = "The database's allowance for today is used up.";
    return refuse("database_unavailable", { message, ...dailyLimitDetail(now) });
  }
  if (mentions(error, FULL)) {
    return refusal(FULL_RETRY_S, {
      message: "The database is full.",
      hint: "Writes are rejected until the operator of this service frees space. Reads still work.",
    });
  }
  return refusal(RETRY_S);
}
