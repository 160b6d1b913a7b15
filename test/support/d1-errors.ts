// The exact texts of D1's errors.
// docs: developers.cloudflare.com/d1/observability/debug-d1, "List of D1_ERRORS" (with cloudflare-docs 24991 and 32641).
// sqlite: the text of SQLite with the name of its result code, as workerd combines them (src/workerd/util/sqlite.c++).
// All read 2026-11-24.

/** Temporary errors. After some of them, it is unknown whether the statement was carried out. */
export const PASSING = {
  lost: "D1_ERROR: Network connection lost.",
  updated: "D1_ERROR: D1 DB reset because its code was updated.",
  starting: "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
  reset: "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  unresolved: "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
  disconnected: "D1_ERROR: Can't read from request stream because client disconnected.",
  timeout: "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  overloaded: "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  queueFull: "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  memory: "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  cpu: "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
  fullDatabase: "D1_ERROR: Exceeded maximum DB size.",
  // cloudflare-docs 32641; in force since 2026-09-01 (cloudflare-docs 32799).
  readLimit:
    "D1_ERROR: Your account has exceeded D1's free tier daily row read limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC) to continue.",
  writeLimit:
    "D1_ERROR: Your account has exceeded D1's free tier daily row write limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC) to continue.",
  full: "D1_ERROR: database or disk is full: SQLITE_FULL",
  busy: "D1_ERROR: database is locked: SQLITE_BUSY",
  locked: "D1_ERROR: database table is locked: SQLITE_LOCKED",
  noMemory: "D1_ERROR: out of memory: SQLITE_NOMEM",
  interrupted: "D1_ERROR: interrupted: SQLITE_INTERRUPT",
  io: "D1_ERROR: disk I/O error: SQLITE_IOERR",
} as const;

/** Temporary errors of SQLite itself, which rolls the transaction back. */
export const UNDONE = [
  PASSING.full,
  PASSING.busy,
  PASSING.locked,
  PASSING.noMemory,
  PASSING.interrupted,
  PASSING.io,
  PASSING.fullDatabase,
  PASSING.writeLimit,
] as const;

/** Permanent errors. */
export const REFUSED = {
  unique: "D1_ERROR: UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)",
  constraint: "D1_ERROR: NOT NULL constraint failed: deliveries.retries: SQLITE_CONSTRAINT",
  error: "D1_ERROR: too many SQL variables at offset 412: SQLITE_ERROR",
  tooBig: "D1_ERROR: string or blob too big: SQLITE_TOOBIG",
  mismatch: "D1_ERROR: datatype mismatch: SQLITE_MISMATCH",
  range: "D1_ERROR: column index out of range: SQLITE_RANGE",
  auth: "D1_ERROR: not authorized: SQLITE_AUTH",
  type: "D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'",
} as const;
